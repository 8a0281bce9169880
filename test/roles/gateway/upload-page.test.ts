import { beforeAll, describe, expect, test } from 'bun:test'
import { createGateway } from '../../../src/roles/gateway/app.ts'
import { tone } from '../../support/audio.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'

const service = useTestService()
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const get = (path: string, headers: Record<string, string> = browser) =>
  service.request('GET', path, { key: null, headers })
const newSession = async (fields: object = {}): Promise<Json> => {
  const body = { collection_id: service.demo.collection_id, ...fields }
  return (await service.v1('POST', '/upload_session', { body })).json
}
/** The data of the page of a session. */
const dataOf = async (session: Json): Promise<Json> => {
  const { text } = await get(`/u/${session.upload_session_id}`)
  return JSON.parse(/id="data">(.*?)<\/script>/.exec(text)?.[1] ?? '')
}

describe('the page of an upload session', () => {
  beforeAll(async () => {
    const body = { title: 'An <b>album</b> & more {nonce}', player_color: '#ffff00' }
    expect((await service.v1('PUT', `/collection/${service.demo.collection_id}`, { body })).status).toBe(200)
  })

  test('has the title and the colors of the collection, and what the session allows', async () => {
    const session = await newSession()
    const { status, headers, text } = await get(`/u/${session.upload_session_id}`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<h1>An &lt;b&gt;album&lt;/b&gt; &amp; more {nonce}</h1>')
    expect(text).toContain('--light-music: #8f8f00;')
    expect(text).toContain('--dark-music: #ffff00;')
    expect(await dataOf(session)).toEqual({
      sessionId: session.upload_session_id,
      expiresAt: session.expires_at,
      maxBytes: service.services.config.maxUploadBytes,
      prepared: null,
    })
  })

  test('sends requests only to the service and to the origin of uploads, and is not shown in frames', async () => {
    const { upload_session_id: id } = await newSession()
    const policy = (await get(`/u/${id}`)).headers.get('content-security-policy') ?? ''
    const origin = new URL(service.services.config.edgeUrl).origin
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain(`connect-src 'self' ${origin}`)
    expect(policy).toContain("frame-ancestors 'none'")
  })

  test('sends recordings to a bucket too, where they are uploaded to one', async () => {
    const { upload_session_id: id } = await newSession()
    const storage = {
      kind: 's3',
      endpoint: 'http://s3.internal:8333',
      publicEndpoint: 'https://s3.example.com/path',
    } as const
    const config = {
      ...service.services.config,
      storage: { ...storage, bucket: 'b', region: 'r', accessKeyId: '', secretAccessKey: '' },
    }
    const gateway = createGateway({ ...service.services, config })
    const { headers } = await gateway(new Request(`${service.demo.base_url}/u/${id}`, { headers: browser }))
    const policy = headers.get('content-security-policy')
    expect(policy).toContain(`${new URL(config.edgeUrl).origin} https://s3.example.com;`)
  })

  test('is in the language of the browser', async () => {
    const { upload_session_id: id } = await newSession()
    expect((await get(`/u/${id}`, { ...browser, 'accept-language': 'de' })).text).toContain('<html lang="de">')
  })
})

describe('a track that was created with the session', () => {
  test('can be uploaded by the page', async () => {
    const session = await newSession({ track: { file_name: 'episode.wav', file_size: 5, player_title: 'Episode' } })
    const { prepared } = await dataOf(session)
    expect(prepared).toMatchObject({ trackId: session.track_id, title: 'Episode', bytes: 5 })
    const { method, upload_url } = prepared.upload
    expect((await service.fetchEdge(upload_url, { method, body: 'sound' })).status).toBe(200)
    expect((await dataOf(session)).prepared).toBeNull()
  })

  test('is not shown after its upload began, or with further tracks', async () => {
    const begun = await newSession({ track: { file_name: 'begun.wav', file_size: 5 } })
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    }
    await service.fetchEdge(begun.track_upload.upload_url, { method: 'PATCH', headers, body: 'so' })
    expect((await dataOf(begun)).prepared).toBeNull()
    const further = await newSession({ track: { file_name: 'first.wav' } })
    await service.v1('POST', `/upload/${further.upload_session_id}/track`, { key: null, body: { file_name: 'b.wav' } })
    expect((await dataOf(further)).prepared).toBeNull()
  })

  test('is not a track that another person has created later', async () => {
    const session = await newSession()
    const path = `/upload/${session.upload_session_id}/track`
    const { track_id: id } = (await service.v1('POST', path, { key: null, body: { file_name: 'later.wav' } })).json
    const createdAt = new Date(Date.now() + 10_000)
    await service.services.db.track.update({ where: { id }, data: { createdAt } })
    expect((await dataOf(session)).prepared).toBeNull()
  })
})

describe('a session that takes no files has no page', () => {
  const refused: [cause: string, link: () => Promise<string>, status: number, title: string][] = [
    ['an unknown session', async () => crypto.randomUUID(), 404, 'This link does not work'],
    ['an address that is not an ID', async () => 'x', 404, 'This link does not work'],
    [
      'an expired session',
      async () => {
        const { upload_session_id: id } = await newSession()
        await service.services.db.uploadSession.update({ where: { id }, data: { expiresAt: new Date() } })
        return id
      },
      410,
      'This link has expired',
    ],
    [
      'a session of a deleted collection',
      async () => {
        const { collection_id: id } = (await service.v1('POST', '/collection', { body: { title: 'Deleted' } })).json
        const session = await newSession({ collection_id: id })
        await service.v1('DELETE', `/collection/${id}`)
        return session.upload_session_id
      },
      404,
      'This link does not work',
    ],
  ]
  test.each(refused)('%s', async (_, link, status, title) => {
    const path = `/u/${await link()}`
    const page = await get(path)
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    expect(page.text).toContain(title)
    const { json } = await get(path, { accept: '*/*' })
    expect(json).toMatchObject({ ok: false, code: status === 410 ? 'expired' : 'not_found' })
  })

  test('another method is refused', async () => {
    const { upload_session_id: id } = await newSession()
    const { status, json } = await service.request('POST', `/u/${id}`, { key: null })
    expect([status, json.code]).toEqual([405, 'method_not_allowed'])
  })
})

describe('states', () => {
  const newTrack = async (session: Json): Promise<Json> => {
    const path = `/upload/${session.upload_session_id}/track`
    return (await service.v1('POST', path, { key: null, body: { file_name: 'a.wav' } })).json
  }
  const statesOf = async (session: Json, ids: string[]) =>
    (await get(`/u/${session.upload_session_id}/states?track=${ids.join(',')}`, {})).json

  test('are those of the tracks of the session, without others', async () => {
    const [session, other] = [await newSession(), await newSession()]
    const { track_id: waiting } = await newTrack(session)
    const { track_id: foreign } = await newTrack(other)
    const { track_id: failed } = await newTrack(session)
    const data = { status: 'error', statusCode: 'not_audio', statusText: 'The file contains no audio.' } as const
    await service.services.db.track.update({ where: { id: failed }, data })
    const outside = await uploadTrack(service, await tone(1), 'outside.wav')
    const { tracks } = await statesOf(session, [waiting, foreign, failed, outside, crypto.randomUUID(), 'x'])
    const byId = Object.fromEntries(tracks.map((track: Json) => [track.id, track]))
    expect(byId).toEqual({
      [waiting]: { id: waiting, status: 'initialized', progressPercent: 0, statusCode: null, statusText: null },
      [failed]: { id: failed, progressPercent: 0, ...data },
    })
  })

  test('end with the session', async () => {
    const session = await newSession()
    const { track_id } = await newTrack(session)
    const where = { id: session.upload_session_id }
    await service.services.db.uploadSession.update({ where, data: { expiresAt: new Date() } })
    expect(await statesOf(session, [track_id])).toMatchObject({ ok: false, code: 'expired' })
  })
})
