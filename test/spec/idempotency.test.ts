// `Idempotency-Key` on every authenticated POST (contract, section 1).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Answer, startTestService, type TestService } from '../support/service.ts'
import {
  createForeign,
  createSession,
  createTrack,
  makeKey,
  makeReady,
  ok,
  refused,
  UNKNOWN_ID,
  unique,
} from './support.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const DAY_MS = 86_400_000
const post = (path: string, body: object, idempotencyKey: string, key?: string | null) =>
  service.v1('POST', path, { body, key, headers: { 'idempotency-key': idempotencyKey } })
const collections = (title: string) => service.services.db.collection.count({ where: { title } })

/** The same answer, byte for byte, marked as a replay. */
function expectReplay(first: Answer, again: Answer) {
  ok(first)
  expect(again.status).toBe(first.status)
  expect(again.text).toBe(first.text)
}

describe('same key and payload within 24 h replays the stored answer', () => {
  const posts: [path: string, body: () => object][] = [
    ['/creator', () => ({ organization_index: unique() })],
    ['/collection', () => ({ title: unique() })],
    ['/track', () => ({ collection_id: service.demo.collection_id, file_name: 'a.wav' })],
    ['/upload_session', () => ({ collection_id: service.demo.collection_id, track: { file_name: 'a.wav' } })],
    ['/api_key', () => ({ title: 'T', api_key_type_id: 'uploader' })],
  ]
  test.each(posts)('POST %s', async (path, given) => {
    const [body, key] = [given(), unique()]
    expectReplay(await post(path, body, key), await post(path, body, key))
    const other = ok(await post(path, given(), unique()))
    expect(other).not.toEqual((await post(path, body, key)).json)
  })

  test.each(['collection', 'track'])('POST /%s/:id/cover', async (name) => {
    const id = name === 'track' ? (await createTrack(service)).id : service.demo.collection_id
    const key = unique()
    service.clock.now = new Date('2030-01-01T00:00:00Z')
    const first = await post(`/${name}/${id}/cover`, {}, key)
    service.clock.now = new Date('2030-01-01T01:00:00Z')
    const again = await post(`/${name}/${id}/cover`, {}, key)
    service.clock.now = null
    expectReplay(first, again)
  })

  test('POST /track/:track_id/variant: one variant, though the track is processing by then', async () => {
    const { id: trackId } = await createTrack(service)
    await makeReady(service, trackId)
    const [body, key] = [{ variant_type_id: 'transcode', index: 'idem' }, unique()]
    const path = `/track/${trackId}/variant`
    expectReplay(await post(path, body, key), await post(path, body, key))
    expect(await service.services.db.variant.count({ where: { trackId } })).toBe(1)
    refused(await post(path, body, unique()), 409, 'track_processing')
  })

  test('the record is made once', async () => {
    const [title, key] = [unique('once'), unique()]
    for (let at = 0; at < 3; at++) ok(await post('/collection', { title }, key))
    expect(await collections(title)).toBe(1)
  })

  test('up to 24 h, not longer', async () => {
    const [title, key] = [unique('day'), unique()]
    const now = new Date()
    service.clock.now = now
    const first = await post('/collection', { title }, key)
    service.clock.now = new Date(now.getTime() + DAY_MS - 1)
    const within = await post('/collection', { title }, key)
    service.clock.now = new Date(now.getTime() + DAY_MS + 1)
    const after = await post('/collection', { title }, key)
    service.clock.now = null
    expectReplay(first, within)
    expect(ok(after).collection_id).not.toBe(ok(first).collection_id)
    expect(await collections(title)).toBe(2)
  })
})

describe('another payload 422', () => {
  test('another body', async () => {
    const key = unique()
    ok(await post('/collection', { title: 'one' }, key))
    refused(await post('/collection', { title: 'two' }, key), 422, 'idempotency_mismatch')
    expect(await collections('two')).toBe(0)
  })

  test('another path', async () => {
    const key = unique()
    const body = { title: unique(), organization_index: unique() }
    ok(await post('/collection', body, key))
    refused(await post('/creator', body, key), 422, 'idempotency_mismatch')
  })
})

describe('one still running 409', () => {
  test('while the first waits for the database', async () => {
    const [key, { pool, db }] = [unique(), service.services]
    const { id } = ok(await service.v1('POST', '/collection', { body: { title: unique() } })).collection
    const body = { collection_id: id, file_name: 'a.wav' }
    const blocker = await pool.connect()
    await blocker.query('BEGIN')
    await blocker.query('SELECT 1 FROM collection WHERE id = $1 FOR UPDATE', [id])
    const first = post('/track', body, key)
    // The first has begun as soon as it has written down its key.
    while ((await db.idempotencyKey.count({ where: { key } })) === 0);
    const second = await post('/track', body, key)
    const other = await post('/track', { ...body, file_name: 'b.wav' }, key)
    await blocker.query('ROLLBACK')
    blocker.release()
    refused(second, 409, 'idempotency_conflict')
    refused(other, 422, 'idempotency_mismatch')
    expectReplay(await first, await post('/track', body, key))
    expect(await db.track.count({ where: { collectionId: id } })).toBe(1)
  })

  test('of 20 at once one is carried out', async () => {
    const [title, key] = [unique('race'), unique()]
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/collection', { title }, key)))
    const successes = answers.filter(({ status }) => status === 200)
    expect(successes.length).toBeGreaterThanOrEqual(1)
    expect(new Set(successes.map(({ text }) => text)).size).toBe(1)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 409, 'idempotency_conflict')
    expect(await collections(title)).toBe(1)
  })
})

describe('what a key belongs to', () => {
  test('to whoever sent it: other keys of the API and other organizations have their own', async () => {
    const [title, key] = [unique('mine'), unique()]
    const foreign = await createForeign(service)
    const first = ok(await post('/collection', { title }, key))
    const second = ok(await post('/collection', { title }, key, await makeKey(service, 'api')))
    const third = ok(await post('/collection', { title: 'T' }, key, foreign.key))
    expect(new Set([first, second, third].map(({ collection_id }) => collection_id)).size).toBe(3)
  })

  test('a failure is not kept: the request may be sent again', async () => {
    const key = unique()
    const organization_index = unique()
    const taken = ok(await service.v1('POST', '/creator', { body: { organization_index } })).creator_id
    refused(await post('/creator', { organization_index }, key), 409, 'organization_index_taken')
    ok(await service.v1('DELETE', `/creator/${taken}`))
    ok(await post('/creator', { organization_index }, key))
    const wrong = unique()
    refused(await post('/collection', { title: 'T', creator_id: UNKNOWN_ID }, wrong), 404, 'not_found')
    refused(await post('/collection', { title: 'T', creator_id: UNKNOWN_ID }, wrong), 404, 'not_found')
  })

  test('a replay needs a valid key like any request', async () => {
    const [body, key] = [{ title: unique() }, unique()]
    ok(await post('/collection', body, key))
    refused(await post('/collection', body, key, null), 401, 'unauthenticated')
  })

  test.each([0, 256])('1 to 255 characters: %d is 400', async (length) => {
    const answer = await post('/collection', { title: 'T' }, 'x'.repeat(length))
    refused(answer, 400, 'invalid_input', 'Idempotency-Key')
  })

  test('only of authenticated POSTs: a session call and a PUT are carried out each time', async () => {
    const { upload_session_id } = await createSession(service)
    const [path, key] = [`/upload/${upload_session_id}/track`, unique()]
    const tracks = [await post(path, { file_name: 'a' }, key, null), await post(path, { file_name: 'a' }, key, null)]
    expect(new Set(tracks.map((answer) => ok(answer).track_id)).size).toBe(2)
    const put = (title: string) =>
      service.v1('PUT', `/collection/${service.demo.collection_id}`, {
        body: { title },
        headers: { 'idempotency-key': key },
      })
    expect(ok(await put('first')).collection.title).toBe('first')
    expect(ok(await put('second')).collection.title).toBe('second')
  })
})

test('an answer that holds a key is not kept where it can be read', async () => {
  const { json } = await post('/api_key', { title: 'T', api_key_type_id: 'uploader' }, unique())
  const rows = await service.services.db.idempotencyKey.findMany({ select: { body: true } })
  expect(rows.some(({ body }) => body)).toBe(true)
  expect(rows.filter(({ body }) => body?.includes(json.api_key))).toEqual([])
})
