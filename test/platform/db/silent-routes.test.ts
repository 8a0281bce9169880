// Requests whose database connections are lost without a word: a host that is gone, a firewall that drops a flow, a
// server that stands still (contract, section 1: 503 and Retry-After). Time limits are shorter than in production.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { trySignIn } from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Answer, startServiceOn, type TestService, toAnswer, useTestService } from '../../support/service.ts'
import { type SilentProxy, startSilentProxy } from '../../support/silent-proxy.ts'
import { until } from '../../support/until.ts'

const LIMITS = { statementTimeoutMs: 400, answerMs: 100, connectTimeoutMs: 500 }
/** Known files are delivered for 50 ms without the database (decision 0015). */
const LEASE_MS = 60

/** Its connections to the database are never silent. */
const observer = useTestService()
let service: TestService
let proxy: SilentProxy
const links = { stream: '', file: '', upload: '', session: '' }

beforeAll(async () => {
  proxy = await startSilentProxy(observer.services.pool.options.connectionString ?? '')
  service = await startServiceOn(proxy.url, observer, LIMITS)
  const { db, storage } = service.services
  const trackId = await playableTrack(service, { indexes: ['hq'] })
  const [file] = (await service.v1('GET', `/track/${trackId}`)).json.files
  const local = join(service.dataDir, 'one-byte')
  await Bun.write(local, 'x')
  await storage.put(file.path, local, 'audio/mp4')
  links.file = file.url
  const { id: variantId } = await db.variant.findFirstOrThrow({ where: { index: 'hq' } })
  const { key } = await issueKey(service.services, service.demo.organization_id, 'share', {
    title: 'of a test',
    variantId,
  })
  links.stream = `/v1/stream/${trackId}/${key}`
  links.upload = (await newTrack()).json.track_upload.upload_url
  links.session = (await newSession()).json.upload_session_id
  await service.request('GET', links.stream, { key: null })
  // Written in the background after the first play.
  const used = () => rows(`SELECT FROM api_key WHERE kind = 'share' AND last_used_at IS NOT NULL`)
  await until('the use of the share key', 5_000, async () => (await used()).length > 0)
})
afterEach(() => proxy.resume())
afterAll(async () => {
  await service?.stop()
  proxy?.stop()
})

const name = () => crypto.randomUUID()
const graphql = (query: string) => service.request('POST', '/graphql', { body: { query } })
const newTrack = (headers: Record<string, string> = {}) =>
  service.v1('POST', '/track', {
    body: { collection_id: service.demo.collection_id, file_name: 'song.wav', file_size: 10 },
    headers,
  })
const newSession = () => service.v1('POST', '/upload_session', { body: { collection_id: service.demo.collection_id } })
const edge = async (address: string, init?: RequestInit) => toAnswer(await service.fetchEdge(address, init))
const tus = { 'tus-resumable': '1.0.0' }
const piece = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }

/** Addresses of tracks without a recording. */
const uploads: string[] = []
const wrongPassword = () => trySignIn(service, { email: `${name()}@example.com`, password: 'a wrong password' })
const operation = (id: string) => `query ${id} { tracks(first: 5) { nodes { id } } }`
const creation = () => `mutation { createCreator(input: { organizationIndex: "${name()}" }) { creator { id } } }`
const csv = { headers: { accept: 'text/csv' } }

const kinds: [kind: string, success: number, ask: () => Promise<Answer>][] = [
  ['a list', 200, () => service.v1('GET', '/collection')],
  ['a record', 200, () => service.v1('GET', `/collection/${service.demo.collection_id}`)],
  ['a write', 200, () => newTrack()],
  ['a write with an Idempotency-Key', 200, () => newTrack({ 'idempotency-key': name() })],
  ['an upload session', 200, newSession],
  ['an existing upload session', 200, () => service.v1('GET', `/upload_session/${links.session}`)],
  ['an export', 200, () => service.v1('GET', '/usage?from=2026-11-01&to=2026-11-02', csv)],
  ['a new GraphQL operation', 200, () => graphql(operation(`q${name().replaceAll('-', '')}`))],
  ['a repeated GraphQL operation', 200, () => graphql(operation('repeated'))],
  ['a mutation', 200, () => graphql(creation())],
  ['a sign-in', 200, wrongPassword],
  ['a stream link', 302, () => service.request('GET', links.stream, { key: null })],
  ['a file of the edge', 200, () => edge(links.file)],
  ['a PUT of a recording', 200, () => edge(uploads.pop() ?? '', { method: 'PUT', body: 'ten bytes!' })],
  ['a tus upload', 200, () => edge(links.upload, { method: 'HEAD', headers: tus })],
]

/** The status and code of an answer, with the seconds to wait. */
const failureOf = ({ status, headers, json }: Answer) => {
  const [error] = json?.errors ?? []
  const retryAfter = headers.get('retry-after') ?? error?.extensions.retryAfterSeconds
  return { isUnavailable: status === 503 || error?.extensions.code === 'unavailable', retryAfter: Number(retryAfter) }
}
const UNAVAILABLE = { isUnavailable: true, retryAfter: 5 }

/** Waits until no request uses a connection, nor what it left in the background. */
const untilIdle = () => {
  const { pool } = service.services
  return until('idle connections', 10_000, () => pool.totalCount > 0 && pool.idleCount === pool.totalCount)
}

describe('all warm connections are silent', () => {
  test.each(kinds)(
    '%s: unavailable with the seconds to wait, then the answer by a new connection',
    async (kind, success, ask) => {
      if (kind.includes('PUT')) {
        for (let count = 0; count < 6; count++) uploads.push((await newTrack()).json.track_upload.upload_url)
      }
      const warm = await Promise.all(Array.from({ length: 4 }, ask))
      expect(warm.map(({ status, text }) => (status === success ? status : text))).toEqual(warm.map(() => success))
      await untilIdle()
      const endOfLease = performance.now() + LEASE_MS
      await until('the end of the lease of known files', 5_000, () => performance.now() > endOfLease)
      proxy.silence()
      const answer = await ask()
      expect(failureOf(answer), answer.text).toEqual(UNAVAILABLE)
      const next = await ask()
      expect(next.status, next.text).toBe(success)
      expect(failureOf(next).isUnavailable).toBe(false)
    },
  )
})

test('no connection can be opened either: unavailable with the seconds to wait', async () => {
  proxy.silence({ isForNew: true })
  for (const [kind, , ask] of kinds.slice(0, 3)) expect(failureOf(await ask()), kind).toEqual(UNAVAILABLE)
  await proxy.resume()
  expect((await service.v1('GET', '/collection')).status).toBe(200)
})

const rows = async (text: string) => (await observer.services.pool.query(text)).rows
const tracks = () => rows('SELECT count(*) FROM track')

describe('a statement that is on its way when its connection falls silent has no effect later', () => {
  test.each<[string, RegExp, () => Promise<Answer>, () => Promise<object[]>]>([
    ['a track', /INSERT INTO track/, () => newTrack(), tracks],
    ['with an Idempotency-Key', /INSERT INTO track/, () => newTrack({ 'idempotency-key': name() }), tracks],
    ['a mutation', /INSERT INTO creator/, () => graphql(creation()), () => rows('SELECT count(*) FROM creator')],
    [
      'an upload session',
      /INSERT INTO "public"."upload_session"/,
      newSession,
      () => rows('SELECT count(*) FROM upload_session'),
    ],
    [
      'a change in a single statement of Prisma',
      /UPDATE "public"."organization"/,
      () => service.v1('PUT', `/organization/${service.demo.organization_id}`, { body: { name: name() } }),
      () => rows('SELECT name FROM organization'),
    ],
    [
      'the lease of a tus upload',
      /INSERT INTO resumable_upload/,
      () => edge(links.upload, { method: 'PATCH', headers: piece, body: 'five!' }),
      () => rows('SELECT track_id, lease_id FROM resumable_upload ORDER BY 1'),
    ],
    [
      'a play',
      /record_plays/,
      () => service.request('GET', links.stream, { key: null }),
      () => rows('SELECT count(*) FROM play_event'),
    ],
  ])('%s', async (_, statement, ask, read) => {
    // The next connections prepare their statements again, so that the proxy sees the text.
    proxy.cut()
    await until('the end of the connections', 5_000, () => service.services.pool.totalCount === 0)
    const before = await read()
    proxy.silenceAt(statement)
    const answer = await ask()
    expect(proxy.silentCount()).toBe(1)
    expect(failureOf(answer), answer.text).toEqual(UNAVAILABLE)
    await proxy.resume()
    expect(await read()).toEqual(before)
  })
})

test('one silent connection in the look-up of keys does not stop other requests', async () => {
  const patient = await startServiceOn(proxy.url, observer, { statementTimeoutMs: 3_000, answerMs: 0 })
  try {
    const list = () => patient.v1('GET', '/collection')
    await list()
    proxy.cut()
    await until('the end of the connections', 5_000, () => patient.services.pool.totalCount === 0)
    proxy.silenceAt(/"?api_key"?/)
    const order: string[] = []
    const first = list().then((answer) => {
      order.push('first')
      return answer
    })
    await until('the look-up', 5_000, () => proxy.silentCount() === 1)
    const others = await Promise.all([list(), list()])
    order.push('others')
    expect(others.map(({ status }) => status)).toEqual([200, 200])
    expect(failureOf(await first)).toEqual(UNAVAILABLE)
    expect(order).toEqual(['others', 'first'])
  } finally {
    await patient.stop()
  }
})
