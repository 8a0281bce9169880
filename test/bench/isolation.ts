import { join } from 'node:path'
import { Client } from 'pg'
import { createKeyString } from '../../src/domain/access/key/key.ts'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, type Place, runMain, type ServiceProcess, startProcess } from '../faults/process.ts'
import { fillLibrary } from '../support/library.ts'
import type { Figure } from './main.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
/** Of each tenant that runs operations. */
const LIBRARY = { collections: 20, tracks: 200 }
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
  ['20 numbers of tracks with a word', `{ ${aliases('tracks(filter: { transcript: "la" }) { totalCount }', 20)} }`],
  [
    'passages of transcripts',
    '{ tracks(first: 80, orderBy: { field: ORDER, direction: ASC }) { nodes { transcriptHits(search: "1869f la") { startSeconds } } } }',
  ],
  ['below 2,000 points', nested(8, `id ${aliases('id', 3)}`)],
]
const queries = OPERATIONS.map(([, query]) => query)

/** Of the other tenant, whose players report what is heard. */
const REPORTED_TRACKS = 20
const REPORTS_AT_ONCE = 64

interface Round {
  name: string
  /** Sent in turn. */
  operations: string[]
  tenants: number
  atOnce: number
}

/** Operations of rounds, and the number of tenants that run them. */
const ROUNDS: [name: string, operations: string[], tenants: number][] = [
  ...OPERATIONS.map(([name, query]): (typeof ROUNDS)[number] => [name, [query], 1]),
  ['all', queries, 1],
  ['all, each one new', queries.map((query) => `${query} # $SENT`), 1],
  ['small, each one new', [`{ tracks(first: 3) { nodes { ${SCALARS} ${aliases('id', 25)} } } } # $SENT`], 1],
  ['/v1: a page with long metadata', ['/v1/collection/$COLLECTION/track?limit=200'], 1],
  ['all, of two tenants', queries, 2],
]

/**
 * Delays of another tenant's stream link while one or two tenants run the most expensive operations, and while the players of one report,
 * each with an address of its own. With RATE_LIMITS=on.
 */
export async function benchIsolation(): Promise<Figure[]> {
  const place = await createPlace({ RATE_LIMITS: 'on', LISTENING_SAMPLE: '1', TRUSTED_PROXIES: '1' })
  const service = await startProcess(place)
  const { url } = await joinEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))
  const client = new Client({ connectionString: url })
  try {
    await client.connect()
    const { organization_id, share_key } = service.credentials
    const links = await prepare(client, organization_id)
    const stream = links.map((id) => `${service.url}/v1/stream/${id}/${share_key}`)
    await measure(stream, 1)
    const idle = await measure(stream, SECONDS)
    print('idle', idle)
    let worst = { p99: 0, max: 0 }
    const rounds: Round[] = [
      ...ROUNDS.map(([name, operations, tenants]) => ({ name, operations, tenants, atOnce: AT_ONCE })),
      ...(await listReportRounds(service, client, await createTenant(place, client))),
    ]
    for (const { name, operations: templates, tenants: count, atOnce } of rounds) {
      // Others each time: a tenant that has used its points of a minute is refused.
      const tenants: Tenant[] = []
      while (tenants.length < count) tenants.push(await createTenant(place, client))
      const keys = tenants.flatMap((tenant) => tenant.keys)
      const operations = templates.map((operation) =>
        operation.replace('$COLLECTION', tenants[0]?.longCollectionId ?? ''),
      )
      const load = { url: service.url, keys, operations, atOnce }
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
    await client.end()
    await cleanUp(place)
  }
}

type Tenant = Awaited<ReturnType<typeof createTenant>>

/** Reports of players of one track, and of several. */
async function listReportRounds({ url }: ServiceProcess, client: Client, { keys, longCollectionId }: Tenant) {
  const { rows } = await client.query<{ id: string }>(
    'UPDATE track SET duration_seconds = 200 WHERE collection_id = $1 RETURNING id',
    [longCollectionId],
  )
  const opened = await fetch(`${url}/v1/play_session/collection`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keys[0]}` },
    body: JSON.stringify({ collection_id: longCollectionId }),
  })
  const { play_session_id: session } = (await opened.json()) as { play_session_id: string }
  const operations = await Promise.all(
    rows.slice(0, REPORTED_TRACKS).map(async ({ id }) => {
      const playback = await fetch(`${url}/v1/play/${session}/${id}`)
      const { listening_url: address } = (await playback.json()) as { listening_url: string }
      return `POST ${new URL(address).pathname}?ranges=0-$SECONDS`
    }),
  )
  const common = { tenants: 0, atOnce: REPORTS_AT_ONCE }
  return [
    { ...common, name: 'reports of one track', operations: operations.slice(0, 1) },
    { ...common, name: `reports of ${operations.length} tracks`, operations },
  ]
}

/** Creates an organization with a library, whose tracks have long texts and metadata, and one collection with longer ones. */
async function createTenant(place: Place, client: Client) {
  const created = await runMain(place, ['admin', 'create-organization', '--name', 'Busy'])
  const { organization_id: id, api_key } = JSON.parse(created.stdout)
  const keys: string[] = [api_key]
  // By SQL, because each command of `admin` takes a second.
  while (keys.length < KEYS) {
    const { key, hash } = createKeyString(id, 'api')
    await client.query(
      `INSERT INTO api_key (id, organization_id, kind, title, hash) VALUES (gen_random_uuid(), $1, 'api', 'busy', $2)`,
      [id, hash],
    )
    keys.push(key)
  }
  await fillLibrary(client, id, LIBRARY)
  await client.query(
    `UPDATE track SET transcription = (SELECT string_agg(to_hex(n), ' ') FROM generate_series(99999, 110000) n),
       metadata = jsonb_build_object('text', repeat('x', 20000)) WHERE organization_id = $1 AND "order" < 5`,
    [id],
  )
  await client.query(`UPDATE track SET transcription = 'La ' || "order" WHERE organization_id = $1 AND "order" >= 5`, [
    id,
  ])
  const { rows } = await client.query<{ id: string }>(
    `UPDATE track SET metadata = jsonb_build_object('text', repeat('x', 60000))
     WHERE collection_id = (SELECT id FROM collection WHERE organization_id = $1 ORDER BY id LIMIT 1)
     RETURNING collection_id AS id`,
    [id],
  )
  return { keys, longCollectionId: rows[0]?.id ?? '' }
}

/** Fills the organization of the listener. @returns its tracks */
async function prepare(client: Client, organizationId: string): Promise<string[]> {
  await fillLibrary(client, organizationId, { collections: 1, tracks: 200 })
  const { rows } = await client.query<{ id: string }>('SELECT id FROM track WHERE organization_id = $1', [
    organizationId,
  ])
  return rows.map(({ id }) => id)
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
