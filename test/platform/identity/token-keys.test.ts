// Keys of administrators' tokens: one set for all processes, published before they sign, retired after their tokens.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createPublicKey, verify } from 'node:crypto'
import { calculateJwkThumbprint, decodeProtectedHeader, type JWK } from 'jose'
import { createSigning } from '../../../src/platform/identity/signing.ts'
import { rotateTokenKeys } from '../../../src/platform/identity/token-key-rotation.ts'
import { createTokenKeys } from '../../../src/platform/identity/token-keys.ts'
import { isAlive, signIn, whileLocked } from '../../support/administrators.ts'
import { runTask } from '../../support/jobs.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const service: TestService = await startTestService()
afterAll(() => service.stop())
const { services, clock } = service
const { db } = services

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START = Date.now()
/** Sets the time to that long after the start. */
const at = (ms: number) => {
  clock.now = new Date(START + ms)
}
beforeEach(async () => {
  await db.signingKey.deleteMany()
  at(0)
})

/** Token keys of another process, with a separate cache. */
const replica = (signing = services.signing) => createTokenKeys({ ...services, signing })
const published = async (keys = replica()) => (await keys.published()).keys.map(({ kid }) => kid)
const signs = async (keys = replica()) => (await keys.signer()).kid
const rotate = () => runTask(services, 'rotate_token_keys')

describe('the key set at /.well-known/jwks.json', () => {
  const get = (method = 'GET') => service.request(method, '/.well-known/jwks.json', { key: null })

  test('contains only public keys, each identified by its thumbprint', async () => {
    const answer = await get()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/jwk-set+json')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.json.keys).toHaveLength(1)
    const [key] = answer.json.keys
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(key).toMatchObject({ alg: 'ES256', crv: 'P-256', kty: 'EC', use: 'sig' })
    expect(key.kid).toBe(await calculateJwkThumbprint(key))
  })

  test('verifies a token with nothing but node:crypto', async () => {
    clock.now = null
    const ownService = await startTestService()
    const { token } = await signIn(ownService)
    const [head, body, signature = ''] = token.split('.')
    const { keys } = (await ownService.request('GET', '/.well-known/jwks.json', { key: null })).json
    const jwk = keys.find(({ kid }: JWK) => kid === decodeProtectedHeader(token).kid)
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
    const bytes = Buffer.from(signature, 'base64url')
    expect(verify('sha256', Buffer.from(`${head}.${body}`), key, bytes)).toBe(true)
    expect(verify('sha256', Buffer.from(`${head}.${body}x`), key, bytes)).toBe(false)
    await ownService.stop()
  })

  test('answers HEAD and preflight, and rejects other methods', async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => service.gateway(request) })
    const head = await fetch(new URL('/.well-known/jwks.json', server.url), { method: 'HEAD' })
    await server.stop(true)
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(Number(head.headers.get('content-length'))).toBe((await get()).text.length)
    expect((await get('OPTIONS')).status).toBe(204)
    const post = await get('POST')
    expect([post.status, post.headers.get('allow'), post.json.code]).toEqual([405, 'GET, HEAD', 'method_not_allowed'])
  })
})

describe('the first key', () => {
  test('is created once by concurrent processes, and signs immediately', async () => {
    const replicas = Array.from({ length: 8 }, () => replica())
    const begin = () => Promise.all(replicas.map((keys) => signs(keys)))
    const kids = await whileLocked(service, [['LOCK TABLE signing_key IN EXCLUSIVE MODE']], begin, 8)
    expect(new Set(kids).size).toBe(1)
    expect(await db.signingKey.count()).toBe(1)
  })

  test('is stored encrypted: with another secret it is unreadable and a new key is created', async () => {
    const kid = await signs()
    const stored = await db.signingKey.findUniqueOrThrow({ where: { id: kid } })
    expect(stored.sealedKey).not.toMatch(/kty|crv|[{}]/)
    const other = replica(createSigning('another-root-secret-of-some-40-characters'))
    expect(await published(other)).not.toContain(kid)
    expect(await other.verifier(kid)).toBeNull()
    expect(await published()).toEqual([kid])
  })
})

describe('rotation', () => {
  test('a key of 30 days gets a successor, which is published for an hour before it signs', async () => {
    const first = await signs()
    at(30 * DAY_MS)
    await rotate()
    expect(await published()).toEqual([first])
    at(30 * DAY_MS + 1)
    await rotate()
    await rotate()
    const both = await published()
    expect([both.length, both[0]]).toEqual([2, first])
    at(30 * DAY_MS + HOUR_MS)
    expect(await signs()).toBe(first)
    at(30 * DAY_MS + HOUR_MS + 1)
    expect(await signs()).toBe(both[1] ?? '')
  })

  test('the old key is retired only after its last token has expired', async () => {
    const first = await signs()
    at(31 * DAY_MS)
    await rotate()
    const lastToken = HOUR_MS + 15 * 60_000
    at(31 * DAY_MS + lastToken)
    await rotate()
    expect(await published()).toContain(first)
    expect(await replica().verifier(first)).not.toBeNull()
    at(31 * DAY_MS + lastToken + 300_000)
    await rotate()
    expect(await published()).toHaveLength(1)
    expect(await published()).not.toContain(first)
    expect(await replica().verifier(first)).toBeNull()
  })

  test('two concurrent rotations create one key', async () => {
    await signs()
    at(31 * DAY_MS)
    await Promise.all(Array.from({ length: 6 }, () => rotate()))
    expect(await db.signingKey.count()).toBe(2)
  })

  test('--at-once: tokens of earlier keys are rejected within a minute, and the new key signs', async () => {
    const ownService = await startTestService()
    const { token } = await signIn(ownService)
    await rotateTokenKeys(ownService.services, { isAtOnce: true })
    ownService.clock.now = new Date(Date.now() + 61_000)
    expect(await isAlive(ownService, token)).toBe(false)
    const next = await signIn(ownService)
    expect(decodeProtectedHeader(next.token).kid).not.toBe(decodeProtectedHeader(token).kid)
    expect(await isAlive(ownService, next.token)).toBe(true)
    await ownService.stop()
  })

  test('retired keys are deleted after 30 days', async () => {
    await signs()
    await rotateTokenKeys(services, { isAtOnce: true })
    at(30 * DAY_MS)
    await runTask(services, 'forget_sessions')
    expect(await db.signingKey.count()).toBe(2)
    at(30 * DAY_MS + 1)
    await runTask(services, 'forget_sessions')
    expect(await db.signingKey.count()).toBe(1)
  })
})

describe('the cache of a process', () => {
  /** Counts how often the table is read. */
  function counting() {
    let reads = 0
    const findMany = (...args: Parameters<typeof db.signingKey.findMany>) => {
      reads += 1
      return db.signingKey.findMany(...args)
    }
    const watched = { ...services, db: { signingKey: { findMany }, $transaction: db.$transaction.bind(db) } as never }
    return { keys: createTokenKeys(watched), reads: () => reads }
  }

  test('caches keys for a minute', async () => {
    await signs()
    const { keys, reads } = counting()
    await Promise.all(Array.from({ length: 50 }, () => keys.signer()))
    at(59_999)
    await keys.published()
    expect(reads()).toBe(1)
    at(60_000)
    await keys.signer()
    expect(reads()).toBe(2)
  })

  test('finds a key that another process has just created', async () => {
    const keys = replica()
    await signs(keys)
    const { createdKeyId } = await rotateTokenKeys(services, { isForced: true })
    expect(await keys.verifier(createdKeyId ?? '')).toBeNull()
    at(1000)
    expect(await keys.verifier(createdKeyId ?? '')).not.toBeNull()
  })

  test('a flood of invented key ids costs one query a second', async () => {
    await signs()
    const { keys, reads } = counting()
    const invent = () => Promise.all(Array.from({ length: 200 }, (_, i) => keys.verifier(`invented-${i}`)))
    await invent()
    expect(reads()).toBe(1)
    at(1000)
    expect(await invent()).toEqual(Array(200).fill(null))
    await invent()
    expect(reads()).toBe(2)
  })
})
