import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, type ServiceProcess, startProcess } from '../faults/process.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const ROUNDS = 3
const CLIENTS = [1, 16]
/** Least of the bare inserts of as many connections. */
const GOALS: Record<string, number> = { track: 0.1, collection: 0.1, creator: 0.1 }

/**
 * POST of the three kinds by clients of one key, compared with as many connections that insert and commit single rows
 * in the same database. The rounds of all kinds alternate, because the machine may become slower.
 */
export async function benchWrites(): Promise<Figure[]> {
  if (!Bun.which('wrk')) throw new Error('the writes bench needs wrk (Debian: apt-get install wrk)')
  const place = await createPlace()
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-writes-'))
  const clients: Client[] = []
  try {
    const service = await startProcess(place)
    const postgres = await joinEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))
    for (let count = 0; count < Math.max(...CLIENTS); count++) {
      const client = new Client({ connectionString: postgres.url })
      await client.connect()
      clients.push(client)
    }
    await clients[0]?.query('CREATE TABLE bare_row (id uuid PRIMARY KEY, data jsonb NOT NULL)')
    const script = join(folder, 'post.lua')
    const figures: Figure[] = []
    for (const count of CLIENTS) figures.push(...(await compare(service, script, clients.slice(0, count))))
    return figures
  } finally {
    for (const client of clients) await client.end()
    await cleanUp(place)
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(service: ServiceProcess, script: string, clients: Client[]): Promise<Figure[]> {
  const connections = clients.length
  const rates = new Map(['bare', ...Object.keys(GOALS)].map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round++) {
    rates.get('bare')?.push(await insertRows(clients))
    for (const kind of Object.keys(GOALS)) rates.get(kind)?.push(await post(service, script, kind, connections))
  }
  const of = (name: string) => median(rates.get(name) ?? [])
  const line = [...rates.keys()].map((name) => `${name} ${of(name).toFixed(0)}/s`).join(', ')
  console.log(`writes, ${connections} clients: ${line}`)
  return Object.entries(GOALS).map(([kind, goal]) => {
    const ratio = of(kind) / of('bare')
    return {
      what: `POST /v1/${kind}, ${connections} clients: requests/s / bare inserts/s`,
      measured: `${ratio.toFixed(2)} (${of(kind).toFixed(0)}/s)`,
      goal: `>= ${goal}`,
      isMet: ratio >= goal,
    }
  })
}

/** Inserts per second, each in a transaction of its own. */
async function insertRows(clients: Client[]): Promise<number> {
  const data = JSON.stringify({ title: 'x'.repeat(200) })
  const began = performance.now()
  const until = began + SECONDS * 1000
  let count = 0
  await Promise.all(
    clients.map(async (client) => {
      const statement = { name: 'bare', text: 'INSERT INTO bare_row (id, data) VALUES ($1::uuid, $2::jsonb)' }
      for (; performance.now() < until; count++)
        await client.query({ ...statement, values: [Bun.randomUUIDv7(), data] })
    }),
  )
  return (count / (performance.now() - began)) * 1000
}

/** Bodies of the requests. Lua: `n` numbers them. */
const bodies: Record<string, (service: ServiceProcess) => object> = {
  creator: () => ({ organization_index: 'NUMBER' }),
  collection: () => ({ title: 'Album NUMBER' }),
  track: ({ credentials }) => ({ collection_id: credentials.collection_id, file_name: 'song NUMBER.mp3' }),
}

/** @returns requests per second. @throws unless every answer is a success */
async function post(service: ServiceProcess, script: string, kind: string, connections: number): Promise<number> {
  const body = JSON.stringify(bodies[kind]?.(service)).replaceAll("'", '')
  await writeFile(
    script,
    `local n = 0
     local run = '${Bun.randomUUIDv7()}'
     local headers = { ['authorization'] = 'Bearer ${service.credentials.api_key}', ['content-type'] = 'application/json' }
     request = function()
       n = n + 1
       return wrk.format('POST', '/v1/${kind}', headers, (string.gsub('${body}', 'NUMBER', run .. n)))
     end`,
  )
  const command = ['wrk', '-t1', `-c${connections}`, `-d${SECONDS}s`, '-s', script, service.url]
  const output = await new Response(Bun.spawn(command, { stdout: 'pipe' }).stdout).text()
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`POST /v1/${kind}: ${output}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1] ?? 0)
}
