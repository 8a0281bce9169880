import { describe, expect, test } from 'bun:test'
import { test as folderTest } from '../support/folder-only.ts'
import { type Json, useTestService } from '../support/service.ts'
import {
  createCollection,
  createCreator,
  createForeign,
  createSession,
  makeKey,
  ok,
  refused,
  TIMESTAMP,
  UNKNOWN_ID,
  UUID,
  UUID_V4,
} from './support.ts'

const service = useTestService()

const post = (body: object, key?: string) => service.v1('POST', '/upload_session', { body, key })
const read = async (id: string): Promise<Json> => ok(await service.v1('GET', `/upload_session/${id}`, { key: null }))
const withTrack = (track: object = {}) => createSession(service, { track: { file_name: 'a.wav', ...track } })
const sessionFields = [
  'expires_at',
  'ok',
  'player_color',
  'player_color_dark',
  'player_color_light',
  'upload_session',
  'upload_session_id',
]

describe('2 Upload session', () => {
  test('2 Upload session | id | uuid |', async () => {
    const { upload_session, upload_session_id } = await createSession(service)
    // The id is a credential, hence random (contract, section 1).
    expect(upload_session.id).toMatch(UUID_V4)
    expect(upload_session_id).toBe(upload_session.id)
  })

  test('2 Upload session | creator_id | uuid or null |', async () => {
    const creator = await createCreator(service)
    expect((await createSession(service, { creator_id: creator.id })).upload_session.creator_id).toBe(creator.id)
    expect((await createSession(service)).upload_session.creator_id).toBeNull()
  })

  test('2 Upload session | collection_id | uuid |', async () => {
    const { upload_session } = await createSession(service)
    expect(upload_session.collection_id).toBe(service.demo.collection_id)
  })

  test('2 Upload session | organization_index | string or null | Session-level index', async () => {
    const { upload_session } = await createSession(service, { organization_index: 'theirs' })
    expect(upload_session.organization_index).toBe('theirs')
    expect((await createSession(service)).upload_session.organization_index).toBeNull()
  })

  test('2 Upload session | metadata | object | Session-level metadata', async () => {
    const metadata = { some_key: { inner_key: [1] } }
    const session = await createSession(service, { metadata })
    expect((await read(session.upload_session_id)).upload_session.metadata).toEqual(metadata)
    expect((await createSession(service)).upload_session.metadata).toEqual({})
  })

  test('2 Upload session | expires_at | string |', async () => {
    const { upload_session } = await createSession(service)
    expect(upload_session.expires_at).toMatch(TIMESTAMP)
    const fields = ['collection_id', 'creator_id', 'expires_at', 'id', 'metadata', 'organization_index']
    expect(Object.keys(upload_session).sort()).toEqual(fields)
  })

  test('2 The session responses also carry top-level `expires_at`, `player_color`, `player_color_light`, `player_color_dark`', async () => {
    const collection = await createCollection(service, { player_color: '#ffff00' })
    const session = await createSession(service, { collection_id: collection.id })
    const colors = { player_color: '#ffff00', player_color_light: '#8f8f00', player_color_dark: '#ffff00' }
    for (const [what, answer] of Object.entries({ created: session, read: await read(session.upload_session_id) })) {
      expect(answer, what).toMatchObject({ ...colors, expires_at: answer.upload_session.expires_at })
    }
  })
})

describe('2 Track upload handle (`track` in upload responses)', () => {
  test('2 Track upload handle | id | uuid', async () => {
    const { track, track_id } = await withTrack()
    expect(track.id).toMatch(UUID)
    expect(track_id).toBe(track.id)
    ok(await service.v1('GET', `/track/${track_id}`))
  })

  test('2 Track upload handle | index | string', async () => {
    const { track } = await withTrack()
    expect(track.index).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(ok(await service.v1('GET', `/track/${track.id}`)).track.index).toBe(track.index)
  })

  test('2 Track upload handle | path | string', async () => {
    const { track } = await withTrack()
    expect(track.path).toContain(track.index)
  })

  test('2 Track upload handle | upload_url | string', async () => {
    const { track, track_upload } = await withTrack()
    expect(track.upload_url).toBe(track_upload.upload_url)
    expect(Object.keys(track).sort()).toEqual(['id', 'index', 'path', 'upload_url'])
  })
})

describe('2 Upload target objects', () => {
  const targets = [
    ['track_upload', 'PUT'],
    ['track_cover_upload', 'POST'],
  ] as const
  for (const [object, method] of targets) {
    // A presigned address of a bucket answers in its own form.
    const answerTest = object === 'track_upload' ? folderTest : test
    test(`2 ${object} | method | string | Always \`${method}\``, async () => {
      expect((await withTrack())[object].method).toBe(method)
    })

    answerTest(`2 ${object} | upload_url | string |`, async () => {
      const { upload_url } = (await withTrack())[object]
      expect(new URL(upload_url).origin).toBe(new URL(service.demo.edge_url).origin)
      // An empty body is refused as such (contract, section 5): the address itself is known.
      const answer = await service.fetchEdge(upload_url, { method, body: '' })
      expect(answer.status).toBe(400)
      expect((await service.fetchEdge(`${upload_url}x`, { method, body: 'x' })).status).toBe(403)
    })

    test(`2 ${object} | ttl | number |`, async () => {
      const { ttl, expires_at } = (await withTrack())[object]
      expect(ttl).toBeGreaterThan(0)
      expect(Math.abs(Date.parse(expires_at) - Date.now() - ttl * 1000)).toBeLessThan(30_000)
    })

    answerTest(`2 ${object} | expires_at | string |`, async () => {
      const { upload_url, expires_at, ...rest } = (await withTrack())[object]
      expect(expires_at).toMatch(TIMESTAMP)
      expect(Object.keys(rest).sort()).toEqual(['method', 'ttl'])
      service.clock.now = new Date(expires_at)
      const answer = await service.fetchEdge(upload_url, { method, body: 'late' })
      service.clock.now = null
      expect(answer.status).toBe(410)
    })
  }
})

describe('4 POST /v1/upload_session', () => {
  test('4 upload_session | collection_id | uuid | Yes | Not required when the API key is scoped to a collection', async () => {
    refused(await post({}), 400, 'invalid_input', 'collection_id')
    refused(await post({ collection_id: 'x' }), 400, 'invalid_input', 'collection_id')
    refused(await post({ collection_id: UNKNOWN_ID }), 404, 'not_found', 'collection_id')
    const foreign = await createForeign(service)
    refused(await post({ collection_id: foreign.collectionId }), 404, 'not_found', 'collection_id')
    const collection = await createCollection(service)
    const key = await makeKey(service, 'api', { collectionId: collection.id })
    expect(ok(await post({}, key)).upload_session.collection_id).toBe(collection.id)
    refused(await post({ collection_id: service.demo.collection_id }, key), 404, 'not_found', 'collection_id')
    ok(await service.v1('DELETE', `/collection/${collection.id}`))
    refused(await post({ collection_id: collection.id }), 404, 'not_found', 'collection_id')
  })

  test('4 upload_session | creator_id | uuid | No |', async () => {
    const { collection_id } = service.demo
    const [foreign, deleted] = [await createForeign(service), await createCreator(service)]
    ok(await service.v1('DELETE', `/creator/${deleted.id}`))
    for (const creator_id of [UNKNOWN_ID, foreign.creatorId, deleted.id]) {
      refused(await post({ collection_id, creator_id }), 404, 'not_found', 'creator_id')
    }
    refused(await post({ collection_id, creator_id: 'x' }), 400, 'invalid_input', 'creator_id')
    const creator = await createCreator(service)
    const session = await createSession(service, { creator_id: creator.id, track: { file_name: 'a' } })
    expect(ok(await service.v1('GET', `/track/${session.track_id}`)).track.creator_id).toBe(creator.id)
  })

  test('4 upload_session | organization_index | string | No | Session-level', async () => {
    const body = { collection_id: service.demo.collection_id, organization_index: 1 }
    refused(await post(body), 400, 'invalid_input', 'organization_index')
    const session = await createSession(service, { organization_index: 'session', track: { file_name: 'a' } })
    expect(session.upload_session.organization_index).toBe('session')
    expect(ok(await service.v1('GET', `/track/${session.track_id}`)).track.organization_index).toBeNull()
    // Not unique for sessions (contract, section 4).
    await createSession(service, { organization_index: 'session' })
  })

  test('4 upload_session | metadata | object | No | Session-level', async () => {
    const body = { collection_id: service.demo.collection_id, metadata: 'x' }
    refused(await post(body), 400, 'invalid_input', 'metadata')
    const session = await createSession(service, { metadata: { a: 1 }, track: { file_name: 'a' } })
    expect(session.upload_session.metadata).toEqual({ a: 1 })
    expect(ok(await service.v1('GET', `/track/${session.track_id}`)).track.metadata).toEqual({})
  })

  const expiresIn = 'expires_in | number | No | Seconds; default 3600, minimum 60, maximum 86400'
  const lengths = [
    [undefined, 3600],
    [null, 3600],
    [60, 60],
    [61, 61],
    [86_399, 86_399],
    [86_400, 86_400],
  ] as const
  test.each(lengths)(`4 upload_session | ${expiresIn} (%p)`, async (expires_in, seconds) => {
    const now = new Date('2030-01-01T00:00:00.000Z')
    service.clock.now = now
    const session = await createSession(service, { expires_in })
    service.clock.now = null
    expect(session.expires_at).toBe(new Date(now.getTime() + seconds * 1000).toISOString())
  })
  const wrong = [59, 86_401, 0, -60, 59.9, '3600', true]
  test.each(wrong)(`4 upload_session | ${expiresIn} (not %p)`, async (expires_in) => {
    const body = { collection_id: service.demo.collection_id, expires_in }
    refused(await post(body), 400, 'invalid_input', 'expires_in')
  })

  test('8 expires_in | Upload session | Default 3600 s, min 60 s, max 86400 s', async () => {
    const session = await createSession(service, { expires_in: 60 })
    const path = `/upload_session/${session.upload_session_id}`
    const end = Date.parse(session.expires_at)
    service.clock.now = new Date(end - 1)
    const before = await service.v1('GET', path, { key: null })
    service.clock.now = new Date(end)
    const after = await service.v1('GET', path, { key: null })
    service.clock.now = null
    ok(before)
    refused(after, 410, 'expired')
  })

  test('4 upload_session | track | object | No | When present, creates that track', async () => {
    const count = () => service.services.db.track.count()
    const before = await count()
    expect(Object.keys(await createSession(service)).sort()).toEqual(sessionFields)
    expect(await count()).toBe(before)
    const whole = [...sessionFields, 'track', 'track_cover_upload', 'track_id', 'track_upload'].sort()
    expect(Object.keys(await withTrack()).sort()).toEqual(whole)
    expect(await count()).toBe(before + 1)
    const body = { collection_id: service.demo.collection_id, track: 'a.wav' }
    refused(await post(body), 400, 'invalid_input', 'track')
    refused(await post({ ...body, track: {} }), 400, 'invalid_input', 'track.file_name')
    expect(await count()).toBe(before + 1)
  })

  test('4 upload_session | track.file_name | string | Yes if `track` present | Original filename', async () => {
    const { track_id } = await withTrack({ file_name: 'Ma chanson (1).WAV' })
    expect(ok(await service.v1('GET', `/track/${track_id}`)).track.file_name_original).toBe('Ma chanson (1).WAV')
    for (const file_name of [undefined, null, '', 5]) {
      const body = { collection_id: service.demo.collection_id, track: { file_name, metadata: {} } }
      refused(await post(body), 400, 'invalid_input', 'track.file_name')
    }
  })

  test('4 upload_session | track.organization_index | string | No | Track-level, separate from the session field', async () => {
    const session = await withTrack({ organization_index: 'track-level' })
    expect(session.upload_session.organization_index).toBeNull()
    const { track } = ok(await service.v1('GET', `/track/${session.track_id}`))
    expect(track.organization_index).toBe('track-level')
  })

  test('4 upload_session | track.metadata | object | No | Track-level, separate from the session field', async () => {
    const session = await withTrack({ metadata: { level_of: 'track' } })
    expect(session.upload_session.metadata).toEqual({})
    const { track } = ok(await service.v1('GET', `/track/${session.track_id}`))
    expect(track.metadata).toEqual({ level_of: 'track' })
  })
})
