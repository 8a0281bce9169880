// The result of signIn, and the validation of access tokens (RFC 7519, 9068, 8725).
import { describe, expect, test } from 'bun:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { codeOf, hire, isAlive, post, signIn, trySignIn } from '../../../support/administrators.ts'
import { useTestService } from '../../../support/service.ts'

const service = useTestService()

const ISSUER = 'http://localhost:3000'
const keySet = async () => (await service.request('GET', '/.well-known/jwks.json', { key: null })).json

describe('signIn', () => {
  test('returns a token for 15 minutes, a refresh token for 30 days, and the administrator', async () => {
    const before = Date.now()
    const answer = await signIn(service, { email: ` ${service.demo.admin.email.toUpperCase()}` })
    expect(answer.administrator).toMatchObject({ email: 'admin@example.com', role: 'OWNER', isDisabled: false })
    expect(Date.parse(answer.administrator.lastSignInAt)).toBeWithin(before, Date.now() + 1)
    expect(Date.parse(answer.expiresAt) - before).toBeWithin(898_000, 905_000)
    expect(Date.parse(answer.refreshExpiresAt) - before).toBeWithin(2_591_990_000, 2_592_005_000)
  })

  test('signs a token that verifies only with the published keys', async () => {
    const { token, expiresAt, administrator } = await signIn(service)
    const header = decodeProtectedHeader(token)
    expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) })
    const verified = await jwtVerify(token, createLocalJWKSet(await keySet()), {
      issuer: ISSUER,
      audience: `${ISSUER}/graphql`,
      algorithms: ['ES256'],
      typ: 'at+jwt',
    })
    const { iat = 0, exp, jti, sid, ...rest } = verified.payload
    const session = await service.services.db.signInSession.findUniqueOrThrow({ where: { id: String(sid) } })
    expect(session.administratorId).toBe(administrator.id)
    expect([exp, jti]).toEqual([iat + 900, expect.any(String)])
    expect(Date.parse(expiresAt)).toBe((exp ?? 0) * 1000)
    expect(rest).toEqual({
      iss: ISSUER,
      aud: `${ISSUER}/graphql`,
      sub: administrator.id,
      org: service.demo.organization_id,
      role: 'owner',
    })
  })

  test('answers the same for an unknown address, a wrong password and a disabled administrator', async () => {
    const { token } = await signIn(service)
    const person = await hire(service, token, 'viewer')
    await service.services.db.administrator.update({ where: { id: person.id }, data: { disabledAt: new Date() } })
    const answers = [
      await trySignIn(service, { email: 'unknown@example.com' }),
      await trySignIn(service, { password: 'wrong' }),
      await trySignIn(service, person),
    ]
    for (const answer of answers) expect(codeOf(answer)).toBe('unauthenticated')
    expect(new Set(answers.map(({ json }) => json.errors[0].message)).size).toBe(1)
  })

  test('stores passwords and refresh tokens only as hashes', async () => {
    const { refreshToken } = await signIn(service)
    const rows = await service.services.pool.query(
      'SELECT s::text || a::text AS all FROM sign_in_session s, administrator a UNION ALL SELECT k::text FROM signing_key k',
    )
    const stored = JSON.stringify(rows.rows)
    expect(stored).toContain('$argon2id$')
    expect(stored).not.toContain(refreshToken.slice(40, 80))
    expect(stored).not.toContain(service.demo.admin.password)
    expect(stored).not.toMatch(/"d"|kty/)
  })
})

describe('refused tokens', () => {
  /** A token with one changed claim or header, signed with the key of the service. */
  async function forge(
    claims: object,
    { header = {}, sub, key }: { header?: object; sub?: string; key?: CryptoKey } = {},
  ): Promise<string> {
    const real = decodeJwt((await signIn(service)).token)
    const { kid, privateKey } = await service.services.tokenKeys.signer()
    return new SignJWT({ ...real, ...(sub && { sub }), ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
      .sign(key ?? privateKey)
  }
  const seconds = () => Math.floor(Date.now() / 1000)

  test('accepts a correct token (control: the following differ from it in one respect)', async () => {
    expect(await isAlive(service, await forge({}))).toBe(true)
  })

  const wrong: [what: string, make: () => Promise<string>][] = [
    ['of another issuer', () => forge({ iss: 'http://elsewhere.test' })],
    ['for another audience', () => forge({ aud: ISSUER })],
    ['of another type', () => forge({}, { header: { typ: 'JWT' } })],
    ['without a type', () => forge({}, { header: { typ: undefined } })],
    ['that has expired', () => forge({ exp: seconds() - 1 })],
    ['without an end', () => forge({ exp: undefined })],
    ['that is not valid yet', () => forge({ nbf: seconds() + 600 })],
    ['with an unknown key id', () => forge({}, { header: { kid: 'unknown' } })],
    ['without a key id', () => forge({}, { header: { kid: undefined } })],
    ['of an unknown session', () => forge({ sid: crypto.randomUUID() })],
    ['a token of a session of another administrator', async () => forge({}, { sub: crypto.randomUUID() })],
    ['signed with another key', async () => forge({}, { key: (await generateKeyPair('ES256')).privateKey })],
  ]
  test.each(wrong)('%s', async (_, make) => {
    const answer = await post(service, '{ viewer { __typename } }', {}, { key: await make() })
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthenticated'])
    expect(answer.headers.get('www-authenticate')).toStartWith('Bearer')
  })

  test('refuses unsigned tokens, tokens signed with the public key as a shared secret, and changed claims', async () => {
    const { token } = await signIn(service)
    const [head = '', body = '', signature = ''] = token.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { kid } = decodeProtectedHeader(token)
    const none = `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${body}.`
    const publicKey = new TextEncoder().encode(JSON.stringify((await keySet()).keys[0]))
    const confused = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: String(kid) })
      .sign(publicKey)
    const changed = `${head}.${encode({ ...decodeJwt(token), role: 'owner', jti: 'x' })}.${signature}`
    for (const forged of [none, confused, changed, `${head}.${body}.`, `${head}.${body}`, 'a.b.c', '..']) {
      expect(await isAlive(service, forged), forged).toBe(false)
    }
    expect(await isAlive(service, token)).toBe(true)
  })

  test('a token expires after exactly 15 minutes', async () => {
    const { token, expiresAt } = await signIn(service)
    service.clock.now = new Date(Date.parse(expiresAt) - 1)
    const before = await isAlive(service, token)
    service.clock.now = new Date(expiresAt)
    const after = await isAlive(service, token)
    service.clock.now = null
    expect([before, after]).toEqual([true, false])
  })

  test('refuses a refresh token as an access token', async () => {
    const { refreshToken } = await signIn(service)
    expect(await isAlive(service, refreshToken)).toBe(false)
  })
})

test('accepts a token at /v1, within its role', async () => {
  const { token } = await signIn(service)
  const viewer = await hire(service, token, 'viewer')
  const { token: reads } = await signIn(service, viewer)
  expect((await service.v1('GET', '/creator', { key: reads })).status).toBe(200)
  const refused = await service.v1('POST', '/creator', { key: reads, body: { organization_index: 'x' } })
  expect([refused.status, refused.json.code]).toEqual([403, 'forbidden'])
  expect((await service.v1('POST', '/creator', { key: token, body: { organization_index: 'x' } })).status).toBe(200)
})
