import { join } from 'node:path'
import { Client } from 'pg'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, type Place, runMain, startProcess } from '../faults/process.ts'
import { fillLibrary } from '../support/library.ts'
import type { Figure } from './main.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
/** Of the tenant that runs operations. */
const LIBRARY = { collections: 100, tracks: 200 }
const KEYS = 8
const AT_ONCE = 8
const MAX_DELAY_MS = 100
const PAUSE_MS = 5

const aliases = (field: string, count: number) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')
const SCALARS =
  'id organizationId collectionId creatorId index order statusCode statusText fileName fileNameOriginal organizationIndex ' +
  'playerTitle playerSubtitle playerColor transcriptionLanguage basePath filesCompletedAt createdAt updatedAt uploadSessionId'
const nested = (outer: number, inner: string) =>
  `{ tracks(first: ${outer}) { nodes { collection { tracks(first: 200) { nodes { ${inner} } } } } } }`

/** Operations just below 25,000 points, and those that end at the limits of an answer. The last one is just small enough to wait for no turn. */
const OPERATIONS: [name: string, query: string][] = [
  ['records', nested(110, 'id')],
  ['values', nested(60, SCALARS)],
  ['values under many names', nested(28, `${SCALARS} ${aliases('id', 28)}`)],
  ['signed addresses', `{ tracks(first: 200) { nodes { files { ${aliases('url', 20)} } } } }`],
  ['long texts', '{ tracks(first: 200) { nodes { transcription } } }'],
  ['long texts under many names', `{ tracks(first: 2) { nodes { ${aliases('transcription', 30)} } } }`],
  ['metadata', nested(12, 'metadata')],
  ['30 pages', `{ ${aliases(`tracks(first: 200) { nodes { ${SCALARS} } }`, 30)} }`],
  ['20 numbers of found tracks', `{ ${aliases('tracks(filter: { search: "be" }) { totalCount }', 20)} }`],
  ['below 2,000 points', nested(8, `id ${aliases('id', 3)}`)],
]

/** Delays of another tenant's stream link while one or two tenants run the most expensive operations, with RATE_LIMITS=on. */
export async function benchIsolation(): Promise<Figure[]> {
  const place = await createPlace({ RATE_LIMITS: 'on' })
  try {
    const service = await startProcess(place)
    const { organization_id, share_key } = service.credentials
    const busy = [await createTenant(place, 'Busy'), await createTenant(place, 'Busy too')]
    const { links, longCollection } = await prepare(
      place,
      organization_id,
      busy.map(({ id }) => id),
    )
    const stream = links.map((id) => `${service.url}/v1/stream/${id}/${share_key}`)
    await measure(stream, 1)
    const idle = await measure(stream, SECONDS)
    print('idle', idle)
    let worst = { p99: 0, max: 0 }
    const [first = [], second = []] = busy.map(({ keys }) => keys)
    const rounds: [name: string, operations: string[], keys: string[]][] = [
      ...OPERATIONS.map(([name, query]): (typeof rounds)[number] => [name, [query], first]),
      ['all', OPERATIONS.map(([, query]) => query), first],
      ['/v1: a page with long metadata', [`/v1/collection/${longCollection}/track?limit=200`], first],
      ['all, of two tenants', OPERATIONS.map(([, query]) => query), [...first, ...second]],
    ]
    for (const [name, operations, keys] of rounds) {
      const load = { url: service.url, keys, operations, atOnce: AT_ONCE }
      const child = Bun.spawn([process.execPath, join(import.meta.dir, 'isolation-load.ts')], {
        env: { ...process.env, ISOLATION: JSON.stringify(load) },
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const delays = await measure(stream, SECONDS)
      child.kill('SIGTERM')
      print(name, delays, await new Response(child.stdout).text())
      await child.exited
      worst = { p99: Math.max(worst.p99, delays.p99), max: Math.max(worst.max, delays.max) }
    }
    const figure = (what: string, ms: number, before: number, isMet: boolean, goal: string): Figure => ({
      what: `isolation, stream link while another tenant runs the most expensive operations: ${what}`,
      measured: `${ms.toFixed(0)} ms, idle ${before.toFixed(0)} ms, ratio ${(ms / before).toFixed(1)}`,
      goal,
      isMet,
      summary: `stream link while another tenant runs the most expensive GraphQL operations: ${what}`,
    })
    return [
      figure('slowest of 100', worst.p99, idle.p99, worst.p99 < MAX_DELAY_MS, `< ${MAX_DELAY_MS} ms`),
      figure('slowest', worst.max, idle.max, worst.max - idle.max < MAX_DELAY_MS, `< ${MAX_DELAY_MS} ms above idle`),
    ]
  } finally {
    await cleanUp(place)
  }
}

async function createTenant(place: Place, name: string): Promise<{ id: string; keys: string[] }> {
  const created = await runMain(place, ['admin', 'create-organization', '--name', name])
  const { organization_id: id, api_key } = JSON.parse(created.stdout)
  const keys = [api_key as string]
  while (keys.length < KEYS) {
    const title = `busy ${keys.length}`
    const { stdout } = await runMain(place, [
      'admin',
      'create-key',
      '--organization',
      id,
      '--kind',
      'api',
      '--title',
      title,
    ])
    keys.push(JSON.parse(stdout).api_key)
  }
  return { id, keys }
}

/** Fills the organizations. @returns tracks of the listener, and a collection whose tracks have long metadata */
async function prepare(place: Place, listened: string, busy: string[]) {
  const { url } = await joinEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const id of busy) await fillLibrary(client, id, LIBRARY)
    await fillLibrary(client, listened, { collections: 1, tracks: 200 })
    await client.query(
      `UPDATE track SET transcription = repeat('La la la la. ', 5000), metadata = jsonb_build_object('text', repeat('x', 20000))
       WHERE organization_id = ANY($1) AND "order" < 5`,
      [busy],
    )
    const { rows: long } = await client.query<{ id: string }>(
      `UPDATE track SET metadata = jsonb_build_object('text', repeat('x', 60000))
       WHERE collection_id = (SELECT id FROM collection WHERE organization_id = $1 ORDER BY id LIMIT 1)
       RETURNING collection_id AS id`,
      [busy[0]],
    )
    await client.query('ANALYZE')
    const { rows } = await client.query<{ id: string }>('SELECT id FROM track WHERE organization_id = $1', [listened])
    return { links: rows.map(({ id }) => id), longCollection: long[0]?.id }
  } finally {
    await client.end()
  }
}

/** Opens links one after another. @returns times of the answers in milliseconds */
async function measure(links: readonly string[], seconds: number) {
  const times: number[] = []
  const end = performance.now() + 1000 * seconds
  while (performance.now() < end) {
    const began = performance.now()
    const { status } = await fetch(links[times.length % links.length] as string, { redirect: 'manual' })
    if (status !== 302) throw new Error(`a stream link answered ${status}`)
    times.push(performance.now() - began)
    await Bun.sleep(PAUSE_MS)
  }
  times.sort((a, b) => a - b)
  return { p50: at(times, 0.5), p99: at(times, 0.99), max: at(times, 1), count: times.length }
}

const at = (times: readonly number[], share: number) => times[Math.ceil(share * times.length) - 1] ?? 0

function print(name: string, { p50, p99, max, count }: Awaited<ReturnType<typeof measure>>, counts = ''): void {
  const [half, most, all] = [p50, p99, max].map((ms) => ms.toFixed(1))
  console.log(`${name}: p50 ${half} ms, p99 ${most} ms, max ${all} ms of ${count} ${counts.trim()}`)
}
