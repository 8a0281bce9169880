// Keys: their form, kinds and scopes, and POST /v1/api_key (contract, section 2; specification, section 5).
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { useTestService } from '../support/service.ts'
import { bodyFor, endpoints, fill } from './endpoints.ts'
import {
  createCollection,
  createCreator,
  createForeign,
  createTrack,
  makeKey,
  ok,
  refused,
  TIMESTAMP,
  UNKNOWN_ID,
  UUID,
  unique,
} from './support.ts'

const service = useTestService()

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Implemented independently from the contract: six base62 digits of the CRC-32, padded with 0. */
function checksum(text: string): string {
  let value = BigInt(crc32(text) >>> 0)
  let digits = ''
  for (; value > 0n; value /= 62n) digits = ALPHABET.charAt(Number(value % 62n)) + digits
  return digits.padStart(6, '0')
}
const prefix = (organizationId = service.demo.organization_id) => organizationId.replaceAll('-', '')
const forged = (kind: string, organization = prefix()) => {
  const body = `${organization}_${kind}_${'A'.repeat(43)}`
  return body + checksum(body)
}
const make = (body: object, key?: string) => service.v1('POST', '/api_key', { body, key })
const share = (extra: object = {}) => ({ title: 'T', api_key_type_id: 'share', variants: ['hq'], ...extra })

describe('contract 2: the form of a key', () => {
  test.each(['api', 'uploader', 'player', 'share'] as const)(
    '<organization id, 32 hex digits>_<kind>_<43 base62 characters><6 base62 of CRC-32>: %s',
    async (kind) => {
      const { id: variantId } = await service.services.db.variant.findFirstOrThrow({ where: { index: 'hq' } })
      const key = await makeKey(service, kind, kind === 'share' ? { variantId } : {})
      expect(key).toMatch(new RegExp(`^${prefix()}_${kind}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$`))
      expect(key.slice(-6)).toBe(checksum(key.slice(0, -6)))
    },
  )

  test('every key has a different secret', async () => {
    const secrets = new Set<string>()
    for (let number = 0; number < 20; number++) secrets.add((await makeKey(service, 'uploader')).slice(-49, -6))
    expect(secrets.size).toBe(20)
  })

  test('is stored as SHA-256 and shown once', async () => {
    const { api_key, api_key_id } = ok(await make({ title: 'T', api_key_type_id: 'uploader' }))
    const record = await service.services.db.apiKey.findUniqueOrThrow({ where: { id: api_key_id } })
    expect(record.hash).toBe(createHash('sha256').update(api_key).digest('hex'))
    expect(JSON.stringify(record)).not.toContain(api_key.slice(-49))
  })

  test('records the time of the last use', async () => {
    const { id } = await createCollection(service)
    const key = await makeKey(service, 'api', { title: 'used', collectionId: id })
    const record = () => service.services.db.apiKey.findFirstOrThrow({ where: { collectionId: id } })
    expect((await record()).lastUsedAt).toBeNull()
    ok(await service.v1('GET', '/collection', { key }))
    expect((await record()).lastUsedAt?.toISOString()).toMatch(TIMESTAMP)
  })
})

describe('contract 1: 401 `unauthenticated` | key missing, malformed, unknown, revoked or expired. `WWW-Authenticate: Bearer`', () => {
  const headers: [name: string, authorization: () => string | null][] = [
    ['no header', () => null],
    ['an empty one', () => ''],
    ['no scheme', () => service.demo.api_key],
    ['another scheme', () => `Basic ${btoa(`${service.demo.api_key}:`)}`],
    ['no key', () => 'Bearer '],
    ['two keys', () => `Bearer ${service.demo.api_key} ${service.demo.api_key}`],
    ['garbage', () => 'Bearer garbage'],
    ['an unsigned token', () => 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'],
    [
      'a wrong checksum',
      () => `Bearer ${service.demo.api_key.slice(0, -1)}${service.demo.api_key.endsWith('0') ? 1 : 0}`,
    ],
    ['an unknown key in the right form', () => `Bearer ${forged('api')}`],
    ['an unknown kind', () => `Bearer ${forged('admin')}`],
    [
      'another organization before a known secret',
      () => `Bearer ${UNKNOWN_ID.replaceAll('-', '')}${service.demo.api_key.slice(32)}`,
    ],
    ['a key in other letters', () => `Bearer ${service.demo.api_key.toUpperCase()}`],
  ]
  test.each(headers)('%s', async (_, authorization) => {
    const value = authorization()
    const answer = await service.v1('GET', '/creator', {
      key: null,
      headers: value === null ? {} : { authorization: value },
    })
    refused(answer, 401, 'unauthenticated')
    expect(answer.headers.get('www-authenticate')).toStartWith('Bearer')
  })

  test('refuses a revoked key', async () => {
    const key = await makeKey(service, 'api', { revokedAt: new Date() })
    refused(await service.v1('GET', '/creator', { key }), 401, 'unauthenticated')
  })

  test('refuses a key from its expiry on', async () => {
    const expiresAt = new Date(Date.now() + 60_000)
    const key = await makeKey(service, 'api', { expiresAt })
    service.clock.now = new Date(expiresAt.getTime() - 1)
    const before = await service.v1('GET', '/creator', { key })
    service.clock.now = expiresAt
    const after = await service.v1('GET', '/creator', { key })
    service.clock.now = null
    ok(before)
    refused(after, 401, 'unauthenticated')
  })
})

describe('contract 2: kinds', () => {
  const authenticated = endpoints.filter(([, , auth]) => auth === 'key')
  const elsewhere = authenticated.filter(([method, path]) => !(method === 'POST' && path === '/upload_session'))

  test.each(elsewhere)('uploader | POST /v1/upload_session only: not %s %s', async (method, path) => {
    const key = await makeKey(service, 'uploader')
    refused(await service.v1(method, fill(path), { key, body: bodyFor(method, path) }), 403, 'forbidden')
  })

  test('uploader | POST /v1/upload_session', async () => {
    const { collection_id } = service.demo
    const key = await makeKey(service, 'uploader')
    const answer = ok(await service.v1('POST', '/upload_session', { key, body: { collection_id } }))
    expect(answer.upload_session.collection_id).toBe(collection_id)
    const scoped = await makeKey(service, 'uploader', { collectionId: collection_id })
    const implied = ok(await service.v1('POST', '/upload_session', { key: scoped, body: {} }))
    expect(implied.upload_session.collection_id).toBe(collection_id)
  })

  test.each(['player', 'share'] as const)('%s | refused by every operation for api keys', async (kind) => {
    const { id: variantId } = await service.services.db.variant.findFirstOrThrow({ where: { index: 'hq' } })
    const key = await makeKey(service, kind, kind === 'share' ? { variantId } : {})
    const isItsOwn = (path: string) => kind === 'player' && path.startsWith('/play_session')
    for (const [method, path] of authenticated.filter(([, at]) => !isItsOwn(at))) {
      refused(await service.v1(method, fill(path), { key, body: bodyFor(method, path) }), 403, 'forbidden')
    }
  })

  test('5.6 An API key may be scoped to a collection; then `collection_id` is not required on `POST /v1/upload_session`', async () => {
    const { id } = await createCollection(service)
    const key = await makeKey(service, 'api', { collectionId: id })
    const session = ok(await service.v1('POST', '/upload_session', { key, body: {} }))
    expect(session.upload_session.collection_id).toBe(id)
    expect(ok(await service.v1('POST', '/track', { key, body: { file_name: 'a' } })).track.collection_id).toBe(id)
  })

  test('api | scoped to a collection: 404 for records outside, 403 for operations that the scope never allows', async () => {
    const [mine, other] = [await createCollection(service), await createCollection(service)]
    const inside = await createTrack(service, { collection_id: mine.id })
    const outside = await createTrack(service, { collection_id: other.id })
    const creator = await createCreator(service)
    const key = await makeKey(service, 'api', { collectionId: mine.id })
    const get = (path: string) => service.v1('GET', path, { key })
    expect(ok(await get('/collection'))).toMatchObject({ count: 1, collections: [{ id: mine.id }] })
    ok(await get(`/collection/${mine.id}`))
    ok(await get(`/track/${inside.id}`))
    expect(ok(await get(`/collection/${mine.id}/track`)).count).toBe(1)
    ok(await service.v1('PUT', `/track/${inside.id}`, { key, body: { player_title: 'P' } }))
    for (const path of [`/collection/${other.id}`, `/collection/${other.id}/track`, `/track/${outside.id}`]) {
      refused(await get(path), 404, 'not_found')
    }
    refused(await get(`/creator/${creator.id}`), 404, 'not_found')
    for (const [method, path] of [
      ['PUT', `/collection/${other.id}`],
      ['DELETE', `/track/${outside.id}`],
    ] as const) {
      refused(await service.v1(method, path, { key }), 404, 'not_found')
    }
    const elsewhere = { file_name: 'a', collection_id: other.id }
    refused(await service.v1('POST', '/track', { key, body: elsewhere }), 404, 'not_found', 'collection_id')
    refused(await service.v1('POST', '/collection', { key, body: { title: 'T' } }), 403, 'forbidden')
    refused(await service.v1('POST', '/creator', { key, body: { organization_index: unique() } }), 403, 'forbidden')
    refused(await service.v1('DELETE', `/creator/${creator.id}`, { key }), 403, 'forbidden')
    refused(await make({ title: 'wider', api_key_type_id: 'uploader' }, key), 403, 'forbidden')
  })

  test('api | scoped to a creator: implies it and finds no other', async () => {
    const [mine, other] = [await createCreator(service), await createCreator(service)]
    const theirs = await createCollection(service, { creator_id: other.id })
    const key = await makeKey(service, 'api', { creatorId: mine.id })
    expect((await createCollection(service, {}, { key })).creator_id).toBe(mine.id)
    refused(await service.v1('GET', `/collection/${theirs.id}`, { key }), 404, 'not_found')
    const body = { title: 'T', creator_id: other.id }
    refused(await service.v1('POST', '/collection', { key, body }), 404, 'not_found', 'creator_id')
  })
})

describe('contract 2: POST /v1/api_key', () => {
  test.each(['player', 'uploader', 'share'])(
    '-> {ok, api_request_id, api_key, api_key_id}, `api_key` being the string itself: %s',
    async (api_key_type_id) => {
      const variants = api_key_type_id === 'share' ? ['hq'] : []
      const answer = ok(await make({ title: 'T', api_key_type_id, variants }))
      expect(Object.keys(answer).sort()).toEqual(['api_key', 'api_key_id', 'api_request_id', 'ok'])
      expect(answer.api_key_id).toMatch(UUID)
      expect(answer.api_key).toStartWith(`${prefix()}_${api_key_type_id}_`)
    },
  )

  test.each(['api', 'admin', 'Share', 'toString'])(
    '403 for any kind other than `player|uploader|share`: %s',
    async (api_key_type_id) => {
      refused(await make({ ...share(), api_key_type_id }), 403, 'forbidden', 'api_key_type_id')
    },
  )

  const wrong: [name: string, body: () => object, field: string][] = [
    ['title*', () => share({ title: undefined }), 'title'],
    ['title is text', () => share({ title: 5 }), 'title'],
    ['title is not empty', () => share({ title: '' }), 'title'],
    ['api_key_type_id*', () => share({ api_key_type_id: undefined }), 'api_key_type_id'],
    ['api_key_type_id is text', () => share({ api_key_type_id: 5 }), 'api_key_type_id'],
    ['a share key has exactly one variant: none', () => share({ variants: [] }), 'variants'],
    ['a share key has exactly one variant: absent', () => share({ variants: undefined }), 'variants'],
    ['a share key has exactly one variant: two', () => share({ variants: ['hq', 'lq'] }), 'variants'],
    ['variants is a list', () => share({ variants: 'hq' }), 'variants'],
    ['a track only together with its collection', () => share({ track_id: UNKNOWN_ID }), 'track_id'],
    ['collection_id is a UUID', () => share({ collection_id: 'x' }), 'collection_id'],
    ['creator_id is a UUID', () => share({ creator_id: 'x' }), 'creator_id'],
    ['expires_at is ISO 8601', () => share({ expires_at: 'tomorrow' }), 'expires_at'],
    ['expires_at is a string', () => share({ expires_at: 4_000_000_000 }), 'expires_at'],
    ['expires_at is in the future', () => share({ expires_at: '2020-01-01T00:00:00Z' }), 'expires_at'],
  ]
  test.each(wrong)('400: %s', async (_, body, field) => {
    refused(await make(body()), 400, 'invalid_input', field)
  })

  test('404 for a collection, track, creator or variant that is unknown, foreign or elsewhere', async () => {
    const foreign = await createForeign(service)
    const other = await createCollection(service)
    const track = await createTrack(service, { collection_id: other.id })
    const { collection_id } = service.demo
    for (const id of [UNKNOWN_ID, foreign.collectionId]) {
      refused(await make(share({ collection_id: id })), 404, 'not_found', 'collection_id')
    }
    for (const id of [UNKNOWN_ID, foreign.creatorId]) {
      refused(await make(share({ creator_id: id })), 404, 'not_found', 'creator_id')
    }
    for (const id of [UNKNOWN_ID, foreign.trackId, track.id]) {
      refused(await make(share({ collection_id, track_id: id })), 404, 'not_found', 'track_id')
    }
    for (const name of ['unknown', UNKNOWN_ID, 'foreign', foreign.variantId]) {
      refused(await make(share({ variants: [name] })), 404, 'not_found', 'variants')
    }
  })

  test('stores variants (indexes or ids), collection_id, track_id, creator_id and expires_at', async () => {
    const { db } = service.services
    const creator = await createCreator(service)
    const collection = await createCollection(service, { creator_id: creator.id })
    const track = await createTrack(service, { collection_id: collection.id })
    const { id: variantId } = await db.variant.findFirstOrThrow({ where: { index: 'hq' } })
    for (const variant of ['hq', variantId]) {
      const ids = { collection_id: collection.id, track_id: track.id, creator_id: creator.id }
      const body = share({ ...ids, variants: [variant], expires_at: '2099-01-01T02:00:00+02:00' })
      const { api_key_id } = ok(await make(body))
      expect(await db.apiKey.findUniqueOrThrow({ where: { id: api_key_id } }), variant).toMatchObject({
        kind: 'share',
        title: 'T',
        variantId,
        collectionId: collection.id,
        trackId: track.id,
        creatorId: creator.id,
        expiresAt: new Date('2099-01-01T00:00:00Z'),
      })
    }
  })
})
