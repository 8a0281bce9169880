import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { playableTrack } from '../support/playable.ts'
import { useTestService } from '../support/service.ts'
import { deliverySecrets } from '../support/signing-secret.ts'
import { createCollection, createCreator, makeKey, ok, refused, UNKNOWN_ID } from './support.ts'

const service = useTestService()
let creatorId: string
let collectionId: string
/** Tracks of the creator and without a creator, in the same collection. */
let trackId: string
let otherTrackId: string

beforeAll(async () => {
  creatorId = (await createCreator(service)).id
  collectionId = (await createCollection(service, { creator_id: creatorId })).id
  trackId = await playableTrack(service, { collectionId, creatorId, order: 1 })
  otherTrackId = await playableTrack(service, { collectionId, order: 0 })
})
afterEach(() => {
  service.clock.now = null
})

const open = (scope: 'collection' | 'track', body: object, key = service.demo.api_key) =>
  service.v1('POST', `/play_session/${scope}`, { body, key })
const openId = async (body: object = {}, key?: string) =>
  ok(await open('collection', { collection_id: collectionId, ...body }, key)).play_session_id
const listen = (path: string) => service.v1('GET', path, { key: null })

describe('a player key', () => {
  test('creates play sessions and does nothing else', async () => {
    const { api_key: key } = ok(
      await service.v1('POST', '/api_key', { body: { title: 'page', api_key_type_id: 'player' } }),
    )
    ok(await open('collection', { collection_id: collectionId }, key))
    ok(await open('track', { track_id: trackId }, key))
    for (const path of [`/track/${trackId}`, '/collection', '/variant']) {
      refused(await service.v1('GET', path, { key }), 403, 'forbidden')
    }
    const body = { collection_id: collectionId }
    refused(await service.v1('POST', '/upload_session', { body, key }), 403, 'forbidden')
    for (const kind of ['uploader', 'share'] as const) {
      const { id: variantId } = await service.services.db.variant.findFirstOrThrow({ where: { index: 'hq' } })
      const other = await makeKey(service, kind, kind === 'share' ? { variantId } : {})
      refused(await open('collection', body, other), 403, 'forbidden')
    }
  })

  test('of a collection plays that and its tracks, and implies it', async () => {
    const key = await makeKey(service, 'player', { collectionId })
    expect(ok(await open('collection', {}, key)).count).toBe(2)
    ok(await open('track', { track_id: trackId }, key))
    refused(
      await open('collection', { collection_id: service.demo.collection_id }, key),
      404,
      'not_found',
      'collection_id',
    )
    const elsewhere = await playableTrack(service)
    refused(await open('track', { track_id: elsewhere }, key), 404, 'not_found', 'track_id')
  })

  test('of a track plays only that track', async () => {
    const key = await makeKey(service, 'player', { collectionId, trackId })
    expect(ok(await open('track', {}, key)).first_track.track_id).toBe(trackId)
    refused(await open('track', { track_id: otherTrackId }, key), 404, 'not_found', 'track_id')
    refused(await open('collection', { collection_id: collectionId }, key), 403, 'forbidden')
  })

  test('of a creator plays only their tracks of a shared collection', async () => {
    const key = await makeKey(service, 'player', { creatorId })
    const session = ok(await open('collection', { collection_id: collectionId }, key))
    expect([session.count, session.first_track.track_id]).toEqual([1, trackId])
    refused(await listen(`/play/${session.play_session_id}/${otherTrackId}`), 404, 'not_found', 'track_id')
    refused(await open('track', { track_id: otherTrackId }, key), 404, 'not_found', 'track_id')
    refused(await open('collection', { collection_id: service.demo.collection_id }, key), 404, 'not_found')
  })

  test('with variants plays no other variant', async () => {
    const key = await makeKey(service, 'player', { variants: ['preview', 'lq'] })
    const body = { collection_id: collectionId }
    const session = ok(await open('collection', body, key))
    expect(session.play_session.variants).toEqual(['preview', 'lq'])
    expect(session.first_track.variants).toHaveLength(1)
    expect(ok(await open('collection', { ...body, variants: ['lq'] }, key)).play_session.variants).toEqual(['lq'])
    refused(await open('collection', { ...body, variants: ['lq', 'hq'] }, key), 404, 'not_found', 'variants')
  })
})

describe('a session is downloadable only if key and request allow it (contract, section 2)', () => {
  const makePlayer = async (extra: object): Promise<string> => {
    const body = { title: 'page', api_key_type_id: 'player', ...extra }
    return ok(await service.v1('POST', '/api_key', { body })).api_key
  }
  const rows: [key: object, request: object, isDownloadable: boolean][] = [
    [{}, {}, false],
    [{}, { is_downloadable: true }, false],
    [{ is_downloadable: null }, { is_downloadable: true }, false],
    [{ is_downloadable: false }, { is_downloadable: true }, false],
    [{ is_downloadable: true }, { is_downloadable: true }, true],
    [{ is_downloadable: true }, { is_downloadable: false }, false],
    [{ is_downloadable: true }, {}, false],
  ]
  test.each(rows)('a player key with %j, a request with %j: %p', async (extra, request, isDownloadable) => {
    const key = await makePlayer(extra)
    const session = ok(await open('collection', { collection_id: collectionId, ...request }, key))
    expect(session.play_session.is_downloadable).toBe(isDownloadable)
    const answer = await listen(`/play/${session.play_session_id}/${trackId}/hq/download`)
    if (isDownloadable) ok(answer)
    else refused(answer, 403, 'forbidden')
  })

  test('an api key needs only the request', async () => {
    const session = ok(await open('collection', { collection_id: collectionId, is_downloadable: true }))
    expect(session.play_session.is_downloadable).toBe(true)
    expect(ok(await open('collection', { collection_id: collectionId })).play_session.is_downloadable).toBe(false)
  })

  test('/v1 makes only player keys downloadable, and PostgreSQL refuses it of an uploader key', async () => {
    for (const extra of [{ api_key_type_id: 'share', variants: ['hq'] }, { api_key_type_id: 'uploader' }]) {
      const body = { title: 'T', ...extra }
      refused(
        await service.v1('POST', '/api_key', { body: { ...body, is_downloadable: true } }),
        400,
        'invalid_input',
        'is_downloadable',
      )
      ok(await service.v1('POST', '/api_key', { body: { ...body, is_downloadable: false } }))
    }
    const wrong = await makePlayer({ is_downloadable: 'yes' }).catch((error) => error)
    expect(wrong).toBeInstanceOf(Error)
    const { data } = await service.graphql(
      `mutation { yes: createPlayerKey(input: { title: "T", isDownloadable: true }) { record { isDownloadable } }
         no: createPlayerKey(input: { title: "T" }) { record { isDownloadable } } }`,
    )
    expect([data.yes.record.isDownloadable, data.no.record.isDownloadable]).toEqual([true, false])
    const write = makeKey(service, 'uploader', { isDownloadable: true })
    await expect(write).rejects.toThrow('api_key_is_downloadable')
  })
})

describe('a session ends', () => {
  test('at its expiry, with 410 so that a client can create a new one', async () => {
    const id = await openId({ expires_in: 60, is_downloadable: true })
    const { expiresAt } = await service.services.db.playSession.findUniqueOrThrow({ where: { id } })
    const paths = [`/play_session/${id}`, `/play/${id}/${trackId}`, `/play/${id}/${trackId}/hq/download`]
    service.clock.now = new Date(expiresAt.getTime() - 1)
    for (const path of paths) ok(await listen(path))
    service.clock.now = expiresAt
    for (const path of paths) refused(await listen(path), 410, 'expired')
  })

  test('when its key is revoked, not when another key is', async () => {
    const pageKey = ok(await service.v1('POST', '/api_key', { body: { title: 'page', api_key_type_id: 'player' } }))
    const [id, other] = [await openId({}, pageKey.api_key), await openId()]
    await service.graphql(`mutation { revokeKey(id: "${pageKey.api_key_id}") { key { isActive } } }`)
    refused(await listen(`/play_session/${id}`), 410, 'expired')
    refused(await listen(`/play/${id}/${trackId}`), 410, 'expired')
    refused(await open('collection', { collection_id: collectionId }, pageKey.api_key), 401, 'unauthenticated')
    ok(await listen(`/play_session/${other}`))
  })

  test('and is deleted a day later', async () => {
    const [old, fresh] = [await openId({ expires_in: 60 }), await openId({ expires_in: 120 })]
    const { expiresAt } = await service.services.db.playSession.findUniqueOrThrow({ where: { id: old } })
    service.clock.now = new Date(expiresAt.getTime() + 86_400_001)
    const { forgetPlaySessionsTask } = await import('../../src/domain/playback/session/housekeeping.task.ts')
    const run = { signal: new AbortController().signal, attempt: 1 }
    await forgetPlaySessionsTask.run(service.services, {}, run)
    refused(await listen(`/play_session/${old}`), 404, 'not_found', 'play_session_id')
    refused(await listen(`/play_session/${fresh}`), 410, 'expired')
  })
})

describe('the session ID', () => {
  test('is the only credential', async () => {
    const id = await openId()
    ok(await service.v1('GET', `/play_session/${id}`, { key: 'no key at all' }))
    refused(await listen('/play_session/x'), 400, 'invalid_input', 'play_session_id')
    refused(await listen(`/play_session/${UNKNOWN_ID}`), 404, 'not_found', 'play_session_id')
    refused(await listen(`/play/${id}/x`), 400, 'invalid_input', 'track_id')
    refused(await listen(`/play/${id}/${UNKNOWN_ID}`), 404, 'not_found', 'track_id')
    const elsewhere = await playableTrack(service)
    refused(await listen(`/play/${id}/${elsewhere}`), 404, 'not_found', 'track_id')
    refused(await service.v1('POST', '/play_session/collection', { key: null }), 401, 'unauthenticated')
  })

  test('shares its path with scopes, each with its own methods', async () => {
    for (const method of ['PUT', 'DELETE']) {
      const answer = await service.v1(method, '/play_session/collection')
      refused(answer, 405, 'method_not_allowed')
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'POST'])
    }
    const preflight = await service.v1('OPTIONS', '/play_session/collection', { key: null })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
  })
})

describe('a download', () => {
  test('is 403 unless the session is downloadable', async () => {
    const id = await openId()
    refused(await listen(`/play/${id}/${trackId}/hq/download`), 403, 'forbidden')
  })

  test('is a signed URL of one of its variants', async () => {
    const id = await openId({ is_downloadable: true, variants: ['hq'] })
    service.clock.now = new Date(Math.floor(Date.now() / 1000) * 1000)
    const { download, ...rest } = ok(await listen(`/play/${id}/${trackId}/hq/download`))
    expect(rest).toEqual({ ok: true, api_request_id: expect.any(String), play_session_id: id, track_id: trackId })
    const { variants } = ok(await listen(`/play/${id}/${trackId}`))
    expect(download.variant).toEqual(variants[0].variant)
    expect(Date.parse(download.expires_at)).toBe(service.clock.now.getTime() + 3_600_000)
    const [secret = ''] = await deliverySecrets(service)
    const { pathname, search } = new URL(download.url)
    const issued = service.clock.now.getTime() / 1000
    const mac = createHmac('sha256', secret).update(`${pathname}?download=1${issued}`).digest('base64url')
    expect(search).toBe(`?download=1&verify=${issued}-${mac}`)
    for (const index of ['preview', 'lq', 'waveform', 'nothing']) {
      refused(await listen(`/play/${id}/${trackId}/${index}/download`), 404, 'not_found', 'variant_index')
    }
  })
})
