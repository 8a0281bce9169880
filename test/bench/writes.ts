import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, startProcess } from '../faults/process.ts'
import { fillLibrary } from '../support/library.ts'
import { createKeys, LIMITED, startUnlimited } from './limits.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const ROUNDS = 3
const CLIENTS = [1, 16]
/** Collections that exist before, each with tracks. New tracks are distributed to as many of them. */
const [COLLECTIONS, TRACKS] = [1000, 10]

interface Kind {
  name: string
  path: string
  /** Lua: the body of request `n`. */
  body: string
  /** Least requests/s / bare inserts/s, by the number of clients: three times those of Prisma's statements. */
  goals: Record<number, number>
}

/**
 * POST of the three kinds by clients whose keys take turns, with rate limits and without, compared with as many connections that insert and commit single rows
 * in the same database. The rounds of all kinds alternate, because the machine may become slower.
 */
export async function benchWrites(): Promise<Figure[]> {
  if (!Bun.which('wrk')) throw new Error('the writes bench needs wrk (Debian: apt-get install wrk)')
  const place = await createPlace(LIMITED)
  const places = [place]
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
    const [client] = clients
    if (!client) throw new Error('no connection')
    const organizationId = service.credentials.organization_id
    await fillLibrary(client, organizationId, { collections: COLLECTIONS, tracks: TRACKS, files: 1 })
    const keys = await createKeys(client, organizationId)
    const unlimited = await startUnlimited(place, postgres.url)
    places.unshift(unlimited.place)
    await client.query('CREATE TABLE bare_row (id uuid PRIMARY KEY, data jsonb NOT NULL)')
    await client.query('VACUUM ANALYZE')
    const { rows } = await client.query<{ id: string }>('SELECT id FROM collection LIMIT $1', [COLLECTIONS])
    const collectionIds = rows.map(({ id }) => id)
    const script = join(folder, 'post.lua')
    const figures: Figure[] = []
    for (const count of CLIENTS)
      figures.push(
        ...(await compare([service.url, unlimited.url], keys, collectionIds, script, clients.slice(0, count))),
      )
    return figures
  } finally {
    for (const client of clients) await client.end()
    await cleanUp(...places)
    await rm(folder, { recursive: true, force: true })
  }
}

const kinds: Kind[] = [
  {
    name: 'track',
    path: 'track',
    body: `'{"collection_id":"' .. collections[n % ${COLLECTIONS} + 1] .. '","file_name":"song.mp3"}'`,
    goals: { 1: 0.14, 16: 0.06 },
  },
  {
    name: 'track in one collection',
    path: 'track',
    body: `'{"collection_id":"' .. collections[1] .. '","file_name":"song.mp3"}'`,
    goals: { 16: 0.05 },
  },
  { name: 'collection', path: 'collection', body: `'{"title":"Album ' .. n .. '"}'`, goals: { 1: 0.16, 16: 0.1 } },
  {
    name: 'creator',
    path: 'creator',
    body: `'{"organization_index":"' .. run .. n .. '"}'`,
    goals: { 1: 0.24, 16: 0.12 },
  },
]

async function compare(
  urls: string[],
  keys: string[],
  collectionIds: string[],
  script: string,
  clients: Client[],
): Promise<Figure[]> {
  const measured = kinds.filter(({ goals }) => clients.length in goals)
  const bare: number[] = []
  const rates = new Map(measured.map((kind) => [kind, urls.map((): number[] => [])]))
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await insertRows(clients))
    for (const [kind, kindRates] of rates) {
      for (const [at, url] of urls.entries())
        kindRates[at]?.push(await post(url, kind, keys, collectionIds, script, clients.length))
    }
  }
  console.log(`writes, ${clients.length} clients: ${median(bare).toFixed(0)} bare inserts/s`)
  return [...rates].map(([{ name, goals }, kindRates]) => {
    const [limited = 0, free = 0] = kindRates.map(median)
    const [ratio, goal] = [limited / median(bare), goals[clients.length] ?? 0]
    return {
      what: `POST of a ${name}, ${clients.length} clients: requests/s / bare inserts/s`,
      measured: `${ratio.toFixed(2)} (${limited.toFixed(0)}/s; ${free.toFixed(0)}/s without limits)`,
      goal: `>= ${goal}`,
      isMet: ratio >= goal,
      ...(clients.length > 1 && name === 'track' && { summary: '`POST /v1/track` by 16 clients / bare inserts' }),
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

/** @returns requests per second. @throws unless every answer is a success */
async function post(
  url: string,
  kind: Kind,
  keys: string[],
  collectionIds: string[],
  script: string,
  connections: number,
): Promise<number> {
  await writeFile(
    script,
    `local n = 0
     local run = '${Bun.randomUUIDv7()}'
     local collections = { ${collectionIds.map((id) => `'${id}'`).join(', ')} }
     local keys = { ${keys.map((key) => `'Bearer ${key}'`).join(', ')} }
     local headers = { ['content-type'] = 'application/json' }
     request = function()
       n = n + 1
       headers['authorization'] = keys[n % #keys + 1]
       return wrk.format('POST', '/v1/${kind.path}', headers, ${kind.body})
     end`,
  )
  const command = ['wrk', '-t1', `-c${connections}`, `-d${SECONDS}s`, '-s', script, url]
  const output = await new Response(Bun.spawn(command, { stdout: 'pipe' }).stdout).text()
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`POST of a ${kind.name}: ${output}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1] ?? 0)
}
