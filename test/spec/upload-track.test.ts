// The two routes of an upload session that require no key.
import { describe, expect, test } from 'bun:test'
import { useTestService } from '../support/service.ts'
import { isOnBucket } from '../support/storage.ts'
import { createCollection, createCreator, createSession, ok, refused, UNKNOWN_ID, UUID } from './support.ts'

const service = useTestService()

const add = (session: string, body: object) => service.v1('POST', `/upload/${session}/track`, { key: null, body })

describe('4 GET /v1/upload_session/:upload_session_id', () => {
  test('4 no authentication; the session ID is the credential', async () => {
    const created = await createSession(service, { metadata: { a: 1 } })
    // Contract, section 3: also the state of its tracks.
    const session = { ...created, tracks: [] }
    const path = `/upload_session/${created.upload_session_id}`
    expect(ok(await service.v1('GET', path, { key: null }))).toEqual(session)
    // An Authorization header is ignored.
    expect(ok(await service.v1('GET', path, { key: 'nonsense' }))).toEqual(session)
  })

  test('4 path `upload_session_id` uuid, required', async () => {
    refused(await service.v1('GET', '/upload_session/x', { key: null }), 400, 'invalid_input', 'upload_session_id')
    const unknown = await service.v1('GET', `/upload_session/${UNKNOWN_ID}`, { key: null })
    refused(unknown, 404, 'not_found', 'upload_session_id')
  })

  test('2 api_request_id | uuid | Present on all JSON responses except the responses of `POST /v1/upload_session` and `GET /v1/upload_session/:upload_session_id`', async () => {
    const { collection_id } = service.demo
    const posted = await service.v1('POST', '/upload_session', { body: { collection_id } })
    const withTrack = { collection_id, track: { file_name: 'a.wav' } }
    const nested = await service.v1('POST', '/upload_session', { body: withTrack })
    const read = await service.v1('GET', `/upload_session/${ok(posted).upload_session_id}`, { key: null })
    for (const answer of [posted, nested, read]) {
      expect(ok(answer)).not.toHaveProperty('api_request_id')
      expect(answer.headers.get('x-request-id')).toMatch(UUID)
    }
    const added = await add(posted.json.upload_session_id, { file_name: 'a.wav' })
    expect(ok(added).api_request_id).toMatch(UUID)
    // Errors keep it, the exempt paths included (contract, section 1).
    const errors = [
      await service.v1('POST', '/upload_session', { body: {} }),
      await service.v1('GET', '/upload_session/x'),
    ]
    for (const error of errors) refused(error, 400, 'invalid_input')
  })
})

describe('4 POST /v1/upload/:upload_session_id/track', () => {
  test('4 upload track | upload_session_id | uuid | Yes (path)', async () => {
    const body = { file_name: 'a.wav' }
    refused(await add('x', body), 400, 'invalid_input', 'upload_session_id')
    refused(await add(UNKNOWN_ID, body), 404, 'not_found', 'upload_session_id')
    const session = await createSession(service)
    expect(ok(await add(session.upload_session_id, body)).upload_session_id).toBe(session.upload_session_id)
  })

  test('4 upload track | file_name | string | Yes (original filename)', async () => {
    const { upload_session_id } = await createSession(service)
    for (const file_name of [undefined, null, '', 1, ['a']]) {
      refused(await add(upload_session_id, { file_name }), 400, 'invalid_input', 'file_name')
    }
    const { track_id } = ok(await add(upload_session_id, { file_name: 'Été/1.wav' }))
    expect(ok(await service.v1('GET', `/track/${track_id}`)).track.file_name_original).toBe('Été/1.wav')
  })

  test('4 upload track | organization_index | string | No', async () => {
    const { upload_session_id } = await createSession(service, { organization_index: 'of-session' })
    const payload = ok(await add(upload_session_id, { file_name: 'a', organization_index: 'mine' }))
    expect(ok(await service.v1('GET', `/track/${payload.track_id}`)).track.organization_index).toBe('mine')
    const absent = ok(await add(upload_session_id, { file_name: 'a' }))
    expect(ok(await service.v1('GET', `/track/${absent.track_id}`)).track.organization_index).toBeNull()
    const wrong = await add(upload_session_id, { file_name: 'a', organization_index: 1 })
    refused(wrong, 400, 'invalid_input', 'organization_index')
  })

  test('4 upload track | metadata | object | No', async () => {
    const { upload_session_id } = await createSession(service)
    const metadata = { snake_key: { camelKey: [null] } }
    const { track_id } = ok(await add(upload_session_id, { file_name: 'a', metadata }))
    expect(ok(await service.v1('GET', `/track/${track_id}`)).track.metadata).toEqual(metadata)
    refused(await add(upload_session_id, { file_name: 'a', metadata: [] }), 400, 'invalid_input', 'metadata')
  })

  test('4 Response: `ok`, `api_request_id`, `upload_session_id`, `track_id`, `track` (upload handle), `upload_session`, `track_upload`, `track_cover_upload`', async () => {
    const session = await createSession(service, { organization_index: 's', metadata: { a: 1 } })
    const answer = ok(await add(session.upload_session_id, { file_name: 'a.wav' }))
    const fields = 'api_request_id ok track track_cover_upload track_id track_upload upload_session upload_session_id'
    expect(Object.keys(answer).sort()).toEqual(fields.split(' '))
    expect(answer.upload_session).toEqual(session.upload_session)
    expect(Object.keys(answer.track).sort()).toEqual(['id', 'index', 'path', 'upload_url'])
    const { parts_url: _, ...target } = answer.track_upload
    expect(Object.keys(target).sort()).toEqual(['expires_at', 'method', 'ttl', 'upload_url'])
    expect('parts_url' in answer.track_upload).toBe(isOnBucket)
    expect(Object.keys(answer.track_cover_upload).sort()).toEqual(['expires_at', 'method', 'ttl', 'upload_url'])
    expect([answer.track_upload.method, answer.track_cover_upload.method]).toEqual(['PUT', 'POST'])
    expect(answer.track_id).toBe(answer.track.id)
  })

  test('4 Called once per file, including additional files after a nested track', async () => {
    const creator = await createCreator(service)
    const { id: collection_id } = await createCollection(service)
    const track = { file_name: '1.wav' }
    const session = await createSession(service, { collection_id, creator_id: creator.id, track })
    await add(session.upload_session_id, { file_name: '2.wav' })
    await add(session.upload_session_id, { file_name: '3.wav' })
    const { tracks, count } = ok(await service.v1('GET', `/collection/${collection_id}/track`))
    expect(count).toBe(3)
    const names = tracks.map((item: { file_name_original: string }) => item.file_name_original)
    expect(names).toEqual(['3.wav', '2.wav', '1.wav'])
    for (const item of tracks) expect(item).toMatchObject({ creator_id: creator.id, track_status_id: 'initialized' })
  })

  test('contract 1: 410 `expired` after the end of the session', async () => {
    const session = await createSession(service, { expires_in: 60 })
    service.clock.now = new Date(session.expires_at)
    const late = await add(session.upload_session_id, { file_name: 'a.wav' })
    service.clock.now = null
    refused(late, 410, 'expired')
  })

  test('contract 3: a session of a deleted collection accepts no tracks', async () => {
    const { id: collection_id } = await createCollection(service)
    const session = await createSession(service, { collection_id })
    ok(await service.v1('DELETE', `/collection/${collection_id}`))
    refused(await add(session.upload_session_id, { file_name: 'a.wav' }), 404, 'not_found')
  })
})
