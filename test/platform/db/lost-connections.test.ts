// Requests whose database connection is cut in the middle of a statement (contract, section 1: 503 and Retry-After).
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Client } from 'pg'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Answer, toAnswer, useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

afterAll(() => killer.end())
const service = useTestService()
/** Outside of the service's pool. */
let killer: Client
const links = { stream: '', file: '' }
beforeAll(async () => {
  const { pool, db, storage } = service.services
  killer = new Client({ connectionString: pool.options.connectionString })
  await killer.connect()
  const trackId = await playableTrack(service, { indexes: ['hq'] })
  const [file] = (await service.v1('GET', `/track/${trackId}`)).json.files
  const local = join(service.dataDir, 'one-byte')
  await Bun.write(local, 'x')
  await storage.put(file.path, local, 'audio/mp4')
  links.file = file.url
  const { id: variantId } = await db.variant.findFirstOrThrow({ where: { index: 'hq' } })
  const share = { title: 'of a test', variantId }
  const { key } = await issueKey(service.services, service.demo.organization_id, 'share', share)
  links.stream = `/v1/stream/${trackId}/${key}`
})

const name = () => crypto.randomUUID()
const graphql = (query: string) => service.request('POST', '/graphql', { body: { query } })
const kinds: [kind: string, success: number, ask: () => Promise<Answer>][] = [
  ['a list', 200, () => service.v1('GET', '/collection')],
  ['a list of tracks', 200, () => service.v1('GET', `/collection/${service.demo.collection_id}/track`)],
  ['a write', 200, () => service.v1('POST', '/creator', { body: { organization_index: name() } })],
  [
    'a write with an Idempotency-Key',
    200,
    () => service.v1('POST', '/collection', { body: { title: 'x' }, headers: { 'idempotency-key': name() } }),
  ],
  [
    'an upload session',
    200,
    () => service.v1('POST', '/upload_session', { body: { collection_id: service.demo.collection_id } }),
  ],
  ['a query', 200, () => graphql('{ tracks(first: 10) { nodes { id files { url } } } }')],
  [
    'a mutation',
    200,
    () => graphql(`mutation { createCreator(input: { organizationIndex: "${name()}" }) { creator { id } } }`),
  ],
  ['a stream', 302, () => service.request('GET', links.stream, { key: null })],
  ['a file of the edge', 200, async () => toAnswer(await service.fetchEdge(links.file))],
]

const terminateAll = () =>
  killer.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  )

test('all kinds of requests succeed or answer 503 with Retry-After while connections are cut', async () => {
  const ROUNDS = 60
  const seen = new Map(kinds.map(([kind]) => [kind, { succeeded: 0, unavailable: 0 }]))
  let answers = 0
  let isOver = false
  async function repeat(kind: string, success: number, ask: () => Promise<Answer>): Promise<void> {
    const counts = seen.get(kind)
    while (counts && !isOver) {
      const { status, headers, json, text } = await ask()
      const codes = (json?.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code)
      expect(
        codes.filter((code: string) => code !== 'unavailable'),
        `${kind}: ${text}`,
      ).toEqual([])
      const isUnavailable = status === 503 || codes.length > 0
      if (status === 503) expect(headers.get('retry-after'), kind).toBe('5')
      if (!isUnavailable) expect(status, `${kind}: ${text}`).toBe(success)
      counts[isUnavailable ? 'unavailable' : 'succeeded'] += 1
      answers += 1
    }
  }
  const loops = Promise.all(kinds.flatMap(([kind, success, ask]) => [1, 2].map(() => repeat(kind, success, ask))))
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await terminateAll()
      // Cuts requests at ever other moments, and lets some of them succeed.
      const next = answers + kinds.length * (1 + (round % 5))
      await Promise.race([loops, until('more answers', 20_000, () => answers >= next)])
    }
  } finally {
    isOver = true
  }
  await loops
  for (const [kind, { succeeded }] of seen) expect(succeeded, kind).toBeGreaterThan(0)
  expect([...seen.values()].filter(({ unavailable }) => unavailable > 0).length).toBeGreaterThan(kinds.length / 2)
}, 60_000)
