// `Idempotency-Key` on every authenticated POST (contract, section 1).
import { describe, expect, test } from 'bun:test'
import { restRoutes } from '../../src/roles/gateway/routes.ts'
import { readEntries } from '../support/queue.ts'
import { type Answer, useTestService } from '../support/service.ts'
import { untilBlocked } from '../support/until.ts'
import {
  createCollection,
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

/** No job runs, so nothing is sent to the address. */
const service = useTestService({ TRANSCRIBE_URL: 'http://speech.example' })

const DAY_MS = 86_400_000
const post = (path: string, body: object, idempotencyKey: string, key?: string | null) =>
  service.v1('POST', path, { body, key, headers: { 'idempotency-key': idempotencyKey } })
const collections = (title: string) => service.services.db.collection.count({ where: { title } })

/** The same answer, byte for byte and with the same request id, marked as a replay. */
function expectReplay(first: Answer, again: Answer) {
  ok(first)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.status).toBe(first.status)
  expect(again.text).toBe(first.text)
  const requestId = again.headers.get('x-request-id')
  expect(requestId).toBe(first.headers.get('x-request-id'))
  if ('api_request_id' in again.json) expect(again.json.api_request_id).toBe(requestId)
}

/** @returns path of a former recording of a track */
const formerRecording = async () => {
  const [replacesId, id] = [await readyTrack(), await readyTrack()]
  const now = new Date()
  await service.services.db.track.update({ where: { id }, data: { replacesId, replacedAt: now, deletedAt: now } })
  return `/track/${replacesId}/recording/${id}`
}

type Request = [path: string, body: object]
const readyTrack = async () => {
  const { id } = await createTrack(service)
  await makeReady(service, id)
  await service.services.db.track.update({ where: { id }, data: { durationSeconds: 1 } })
  return id
}

/** A request for each authenticated POST of /v1 that succeeds. Two requests for the same route differ in payload. */
const requests: [route: string, request: () => Request | Promise<Request>][] = [
  ['/api_key', () => ['/api_key', { title: unique(), api_key_type_id: 'uploader' }]],
  [
    '/organization/:organizationId/cover',
    () => [`/organization/${service.demo.organization_id}/cover`, { note: unique() }],
  ],
  ['/creator', () => ['/creator', { organization_index: unique() }]],
  ['/collection', () => ['/collection', { title: unique() }]],
  ['/collection/:collectionId/cover', async () => [`/collection/${(await createCollection(service)).id}/cover`, {}]],
  ['/track/:trackId/cover', async () => [`/track/${(await createTrack(service)).id}/cover`, {}]],
  [
    '/play_session/:scope',
    async () => ['/play_session/collection', { collection_id: (await createCollection(service)).id }],
  ],
  [
    '/upload_session',
    () => ['/upload_session', { collection_id: service.demo.collection_id, track: { file_name: unique() } }],
  ],
  ['/track', () => ['/track', { collection_id: service.demo.collection_id, file_name: unique() }]],
  [
    '/track/:trackId/variant',
    async () => [`/track/${await readyTrack()}/variant`, { variant_type_id: 'transcode', index: unique() }],
  ],
  ['/track/:trackId/recording', async () => [`/track/${await readyTrack()}/recording`, { file_name: unique() }]],
  ['/track/:trackId/recording/:recordingId/restore', async () => [`${await formerRecording()}/restore`, {}]],
  ['/track/:trackId/rebuild', async () => [`/track/${await readyTrack()}/rebuild`, {}]],
  ['/track/:trackId/transcribe', async () => [`/track/${await readyTrack()}/transcribe`, {}]],
]

test('the table below covers every authenticated POST', () => {
  const served = restRoutes.filter(({ method, auth }) => method === 'POST' && auth === 'key')
  expect(requests.map(([route]) => `/v1${route}`).sort()).toEqual(served.map(({ path }) => path).sort())
})

describe.each(requests)('POST %s', (_route, request) => {
  test('replays the stored answer, also where the clock has moved on', async () => {
    const [[path, body], key] = [await request(), unique()]
    service.clock.now = new Date()
    const first = await post(path, body, key)
    service.clock.now = new Date(service.clock.now.getTime() + 3_600_000)
    const again = await post(path, body, key)
    service.clock.now = null
    expectReplay(first, again)
  })

  test('executes another key', async () => {
    const [path, body] = await request()
    const first = ok(await post(path, body, unique()))
    const [otherPath, other] = await request()
    expect(ok(await post(otherPath, other, unique()))).not.toEqual(first)
  })

  test('changes nothing when its answer cannot be stored, and runs once when repeated', async () => {
    const [[path, body], key] = [await request(), unique()]
    const before = await rowCounts()
    await failingAnswers(async () => refused(await post(path, body, key), 500, 'internal'))
    expect(await rowCounts()).toEqual(before)
    const first = await post(path, body, key)
    const after = await rowCounts()
    expectReplay(first, await post(path, body, key))
    expect(await rowCounts()).toEqual(after)
  })

  test('needs one connection to the database, so that many at once cannot wait for each other', async () => {
    const [path, body] = await request()
    const { pool } = service.services
    const others = await Promise.all(Array.from({ length: (pool.options.max ?? 0) - 1 }, () => pool.connect()))
    try {
      ok(await post(path, body, unique()))
    } finally {
      for (const client of others) client.release()
    }
    expect(others.length).toBeGreaterThan(0)
  })
})

/** Number of rows of each table that an operation can write to, and of entries of the queue. */
async function rowCounts(): Promise<Record<string, number>> {
  const { pool } = service.services
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables
     WHERE schemaname = 'public' AND relname <> 'rate_limit' ORDER BY 1`,
  )
  const counts = rows.map(({ name }) => `SELECT '${name}' AS name, count(*)::int AS count FROM ${name}`)
  const counted = await pool.query<{ name: string; count: number }>(counts.join(' UNION ALL '))
  const entries = (await readEntries(pool)).length
  return { entries, ...Object.fromEntries(counted.rows.map(({ name, count }) => [name, count])) }
}

/** Makes PostgreSQL refuse every write of an answer while `use` runs. */
async function failingAnswers<T>(use: () => Promise<T>): Promise<T> {
  const { pool } = service.services
  await pool.query(`CREATE FUNCTION refuse_answer() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no answer is stored'; END $$`)
  await pool.query(`CREATE TRIGGER refuse_answer BEFORE INSERT OR UPDATE ON idempotency_key
    FOR EACH ROW WHEN (NEW.body IS NOT NULL) EXECUTE FUNCTION refuse_answer()`)
  try {
    return await use()
  } finally {
    await pool.query('DROP FUNCTION refuse_answer() CASCADE')
  }
}

describe('a stored answer', () => {
  test('belongs to one record', async () => {
    const [title, key] = [unique('once'), unique()]
    for (let at = 0; at < 3; at++) ok(await post('/collection', { title }, key))
    expect(await collections(title)).toBe(1)
  })

  test('is kept for 24 h, not longer', async () => {
    const [title, key] = [unique('day'), unique()]
    const now = new Date()
    service.clock.now = now
    const first = await post('/collection', { title }, key)
    service.clock.now = new Date(now.getTime() + DAY_MS)
    const within = await post('/collection', { title }, key)
    service.clock.now = new Date(now.getTime() + DAY_MS + 1)
    const after = await post('/collection', { title }, key)
    const again = await post('/collection', { title }, key)
    service.clock.now = null
    expectReplay(first, within)
    expect(ok(after).collection_id).not.toBe(ok(first).collection_id)
    expectReplay(after, again)
    expect(await collections(title)).toBe(2)
  })

  test('can be replayed to 20 clients at once', async () => {
    const [title, key] = [unique('replays'), unique()]
    const first = await post('/collection', { title }, key)
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/collection', { title }, key)))
    for (const answer of answers) expectReplay(first, answer)
  })

  test('with an API key in it is not readable in the database', async () => {
    const { json } = await post('/api_key', { title: 'T', api_key_type_id: 'uploader' }, unique())
    const rows = await service.services.db.idempotencyKey.findMany({ select: { body: true } })
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(({ body }) => body.includes(json.api_key))).toEqual([])
  })
})

describe('another payload is 422', () => {
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

/** Locks a collection against new tracks until `release`. */
async function blockedCollection() {
  const { pool } = service.services
  const { id } = await createCollection(service)
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM collection WHERE id = $1 FOR UPDATE', [id])
  return {
    id,
    tracks: () => service.services.db.track.count({ where: { collectionId: id } }),
    /** Waits for a request that waits for the collection; returns the process of its connection. */
    waiting: async () => (await untilBlocked(pool))[0] ?? 0,
    release: async () => {
      await client.query('ROLLBACK')
      client.release()
    },
  }
}

describe('while the first request runs', () => {
  test('a repeat is 409, however long it takes, and another payload is 422', async () => {
    const collection = await blockedCollection()
    const [key, body] = [unique(), { collection_id: collection.id, file_name: 'a.wav' }]
    const first = post('/track', body, key)
    await collection.waiting()
    const second = await post('/track', body, key)
    const other = await post('/track', { ...body, file_name: 'b.wav' }, key)
    service.clock.now = new Date(Date.now() + 61_000)
    const late = await post('/track', body, key)
    service.clock.now = null
    await collection.release()
    refused(second, 409, 'idempotency_conflict')
    refused(other, 422, 'idempotency_mismatch')
    refused(late, 409, 'idempotency_conflict')
    expect(second.headers.get('retry-after')).toBe('1')
    expectReplay(await first, await post('/track', body, key))
    expect(await collection.tracks()).toBe(1)
  })

  test('and 20 arrive at once, one of them is executed', async () => {
    const [title, key] = [unique('race'), unique()]
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/collection', { title }, key)))
    const successes = answers.filter(({ status }) => status === 200)
    expect(successes.length).toBeGreaterThanOrEqual(1)
    expect(new Set(successes.map(({ text }) => text)).size).toBe(1)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 409, 'idempotency_conflict')
    expect(await collections(title)).toBe(1)
  })

  test('its connection may be lost: nothing is changed, and a repeat is executed at once', async () => {
    const collection = await blockedCollection()
    const [key, body] = [unique(), { collection_id: collection.id, file_name: 'a.wav' }]
    const first = post('/track', body, key)
    await service.services.pool.query('SELECT pg_terminate_backend($1, 5000)', [await collection.waiting()])
    expect((await first).status).toBeGreaterThanOrEqual(500)
    await collection.release()
    const second = await post('/track', body, key)
    expectReplay(second, await post('/track', body, key))
    expect(await collection.tracks()).toBe(1)
  })

  test('and is refused, the next of several repeats is executed once', async () => {
    const organization_index = unique('contested')
    const holderId = ok(await service.v1('POST', '/creator', { body: { organization_index } })).creator_id
    const key = unique()
    const attempt = () => post('/creator', { organization_index }, key)
    const repeats = [...Array.from({ length: 5 }, attempt), service.v1('DELETE', `/creator/${holderId}`)]
    const answers = await Promise.all([...repeats, ...Array.from({ length: 5 }, attempt)])
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([])
    const last = ok(await attempt())
    expect(await service.services.db.creator.count({ where: { organizationIndex: organization_index } })).toBe(2)
    expect(last.creator_id).not.toBe(holderId)
  })
})

describe('a key', () => {
  test('belongs to its sender: other API keys and other organizations have their own', async () => {
    const [title, key] = [unique('mine'), unique()]
    const foreign = await createForeign(service)
    const first = ok(await post('/collection', { title }, key))
    const second = ok(await post('/collection', { title }, key, await makeKey(service, 'api')))
    const third = ok(await post('/collection', { title: 'T' }, key, foreign.key))
    expect(new Set([first, second, third].map(({ collection_id }) => collection_id)).size).toBe(3)
  })

  test('can be used again after a refusal', async () => {
    const key = unique()
    const organization_index = unique()
    const holderId = ok(await service.v1('POST', '/creator', { body: { organization_index } })).creator_id
    refused(await post('/creator', { organization_index }, key), 409, 'organization_index_taken')
    ok(await service.v1('DELETE', `/creator/${holderId}`))
    ok(await post('/creator', { organization_index }, key))
    const wrong = unique()
    refused(await post('/collection', { title: 'T', creator_id: UNKNOWN_ID }, wrong), 404, 'not_found')
    refused(await post('/collection', { title: 'T', creator_id: UNKNOWN_ID }, wrong), 404, 'not_found')
  })

  test('replays for a valid API key only', async () => {
    const [body, key] = [{ title: unique() }, unique()]
    ok(await post('/collection', body, key))
    refused(await post('/collection', body, key, null), 401, 'unauthenticated')
  })

  test.each([
    [0, 400],
    [1, 200],
    [255, 200],
    [256, 400],
  ])('of %d characters is answered with %d', async (length, status) => {
    const answer = await post('/collection', { title: unique() }, 'x'.repeat(length))
    if (status === 200) ok(answer)
    else refused(answer, 400, 'invalid_input', 'Idempotency-Key')
  })

  test('has no meaning for session calls and PUT: each is executed', async () => {
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
