// Tokens of an external issuer: OpenID Connect discovery, rotation and outage of its keys, and refused tokens.
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { SignJWT } from 'jose'
import { resetPasswordByEmail } from '../../../../src/domain/access/administrator/service.ts'
import { codeOf, data, hire, isAlive, post, signIn } from '../../../support/administrators.ts'
import { type Issuer, type IssuerKey, startIssuer } from '../../../support/issuer.ts'
import { type Json, startTestService, type TestService } from '../../../support/service.ts'

const AUDIENCE = 'tonearm-tests'

let issuer: Issuer
let key: IssuerKey
let service: TestService
beforeAll(async () => {
  issuer = await startIssuer()
  key = await issuer.newKey('first')
  issuer.publish(key.jwk)
  service = await startTestService({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: AUDIENCE })
})
afterAll(async () => {
  setSystemTime()
  await service.stop()
  await issuer.stop()
})

const seconds = () => Math.floor(Date.now() / 1000)
/** A token of the issuer for the demo organization's owner, with changed claims. */
function make(claims: Json = {}, { header = {}, by = key }: { header?: object; by?: IssuerKey } = {}): Promise<string> {
  const standard = {
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'u1',
    email: service.demo.admin.email,
    email_verified: true,
    iat: seconds(),
    exp: seconds() + 300,
  }
  return new SignJWT({ ...standard, ...claims })
    .setProtectedHeader({ alg: by.alg, kid: by.kid, ...header })
    .sign(by.privateKey)
}
const VIEWER = '{ viewer { ... on Administrator { email role } } }'
const ask = (token: string) => post(service, VIEWER, {}, { key: token })

describe('accepted tokens', () => {
  test('matches the administrator by email address and uses their role in this service', async () => {
    const { json } = await ask(await make({ email: 'ADMIN@Example.com', role: 'viewer' }))
    expect(json.data.viewer).toEqual({ email: 'admin@example.com', role: 'OWNER' })
    expect((await service.v1('GET', '/creator', { key: await make() })).status).toBe(200)
  })

  const accepted: [what: string, claims: Json, header?: object][] = [
    ['email_verified true', { email_verified: true }],
    ['email_verified "true"', { email_verified: 'true' }],
    ['the audience in a list', { aud: [AUDIENCE] }],
    ['this service as the only party', { azp: AUDIENCE }],
    ['several audiences that was issued to this service', { aud: ['another', AUDIENCE], azp: AUDIENCE }],
    ['a day between beginning and end', { iat: seconds(), exp: seconds() + 86_400 }],
    ...['JWT', 'jwt', 'application/jwt', 'at+jwt', 'application/at+JWT'].map((typ): [string, Json, object] => [
      `type ${typ}`,
      {},
      { typ },
    ]),
  ]
  test.each(accepted)('accepts a token with %s', async (_, claims, header = {}) => {
    expect(await isAlive(service, await make(claims, { header }))).toBe(true)
  })

  test('with OIDC_TRUST_EMAIL, accepts a token without email_verified and no other value', async () => {
    const ownService = await startTestService({
      OIDC_ISSUER: issuer.url,
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_TRUST_EMAIL: 'on',
    })
    const answers = []
    for (const email_verified of [undefined, true, 'true', false, 'false', null]) {
      answers.push(await isAlive(ownService, await make({ email_verified })))
    }
    expect(answers).toEqual([true, true, true, false, false, false])
    await ownService.stop()
  })

  test('records the time at which the token was issued as the last sign-in', async () => {
    const iat = seconds() + 20
    await ask(await make({ iat }))
    const { lastSignInAt } = await service.services.db.administrator.findFirstOrThrow()
    expect(lastSignInAt?.getTime()).toBe(iat * 1000)
  })

  const change = (person: { password: string }) =>
    `changePassword(currentPassword: "${person.password}", newPassword: "another long password") { __typename }`
  test.each([
    ['signOut', () => 'signOut { endedSessions }'],
    ['signOutEverywhere', () => 'signOutEverywhere { endedSessions }'],
    ['changePassword', change],
  ])('%s refuses the tokens that were issued before', async (_, field) => {
    const person = await hire(service, (await signIn(service)).token, 'admin')
    const [token, other] = [await make({ email: person.email, iat: seconds() - 5 }), await make()]
    await data(service, `mutation { ${field(person)} }`, {}, token)
    expect(await isAlive(service, token)).toBe(false)
    expect(await isAlive(service, await make({ email: person.email, iat: seconds() + 5 }))).toBe(true)
    expect(await isAlive(service, other)).toBe(true)
  })

  test('an operator who resets the password ends the tokens that were issued before', async () => {
    const person = await hire(service, (await signIn(service)).token, 'admin')
    const token = await make({ email: person.email, iat: seconds() - 5 })
    expect(await isAlive(service, token)).toBe(true)
    await resetPasswordByEmail(service.services, person.email)
    expect(await isAlive(service, token)).toBe(false)
  })

  test('still accepts tokens of this service', async () => {
    expect(await isAlive(service, (await signIn(service)).token)).toBe(true)
  })

  test('tolerates a clock difference of 30 seconds', async () => {
    expect(await isAlive(service, await make({ exp: seconds() - 25, nbf: seconds() + 25 }))).toBe(true)
  })
})

describe('refused tokens', () => {
  const forgedBy = async (alg: string) => ({ ...(await issuer.newKey('first', alg)), kid: 'first' })
  const claimsOf = async () => (await make()).split('.')[1] ?? ''
  /** Signed with the public key, as if it were a secret that both sides know. */
  async function confused(): Promise<string> {
    const claims = JSON.parse(Buffer.from(await claimsOf(), 'base64url').toString())
    const secret = new TextEncoder().encode(String(key.jwk.n))
    return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.kid }).sign(secret)
  }
  async function unsigned(): Promise<string> {
    const header = Buffer.from(JSON.stringify({ alg: 'none', kid: key.kid })).toString('base64url')
    return `${header}.${await claimsOf()}.`
  }
  const wrong: [what: string, token: () => Promise<string>][] = [
    ['another audience', () => make({ aud: 'another service' })],
    ['no audience', () => make({ aud: undefined })],
    ['expired', () => make({ exp: seconds() - 31 })],
    ['no end', () => make({ exp: undefined })],
    ['no beginning', () => make({ iat: undefined })],
    ['not valid yet', () => make({ nbf: seconds() + 60 })],
    ['several audiences', () => make({ aud: [AUDIENCE, 'another'] })],
    ['several audiences that was issued to another', () => make({ aud: [AUDIENCE, 'another'], azp: 'another' })],
    ['another party', () => make({ azp: 'another' })],
    ['a party that is no text', () => make({ azp: [AUDIENCE] })],
    ['no subject', () => make({ sub: undefined })],
    ['an empty subject', () => make({ sub: '' })],
    ['a lifetime of more than a day', () => make({ exp: seconds() + 86_402 })],
    ['an end in ten years', () => make({ exp: seconds() + 315_360_000 })],
    ...['logout+jwt', 'secevent+jwt', 'JOSE', 'x', ''].map((typ): [string, () => Promise<string>] => [
      `type ${typ}`,
      () => make({}, { header: { typ } }),
    ]),
    ['an address of which nothing says that it was verified', () => make({ email_verified: undefined })],
    ['an address that was not verified', () => make({ email_verified: false })],
    ['the same as a text', () => make({ email_verified: 'false' })],
    ...['no', 'TRUE', '1', '', 1, 0, null, [], {}].map((value): [string, () => Promise<string>] => [
      `email_verified ${JSON.stringify(value)}`,
      () => make({ email_verified: value }),
    ]),
    ['a beginning in 32 seconds', () => make({ iat: seconds() + 32 })],
    ['a beginning before 1970', () => make({ iat: -1 })],
    ['a beginning that no date can represent', () => make({ iat: 1e300 })],
    ['a beginning that is a text', () => make({ iat: String(seconds()) })],
    ['an end that no date can represent', () => make({ exp: 1e300 })],
    ['an address with U+0000', () => make({ email: 'admin@example.com\0' })],
    ['an address with half a character', () => make({ email: '\ud800admin@example.com' })],
    ['an address without a host', () => make({ email: 'admin' })],
    ['an address of 1 MB', () => make({ email: `${'a'.repeat(1e6)}@example.com` })],
    ['no address', () => make({ email: undefined })],
    ['an address that is no text', () => make({ email: ['admin@example.com'] })],
    ['an unknown email address', () => make({ email: 'stranger@example.com' })],
    ['an unknown key', async () => make({}, { by: await issuer.newKey('other') })],
    ['another key under a known name', async () => make({}, { by: await forgedBy('RS256') })],
    ['another algorithm under a known name', async () => make({}, { by: await forgedBy('ES256') })],
    ['a spelling of the issuer', () => make({ iss: `${issuer.url}/` })],
    ['no signature', unsigned],
    ['the public key as a shared secret', confused],
  ]
  test.each(wrong)('%s', async (_, token) => {
    const answer = await ask(await token())
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthenticated'])
  })

  test('ignores a shared secret in the key set', async () => {
    const ownIssuer = await startIssuer()
    const k = Buffer.from('a secret that should never have been there').toString('base64url')
    ownIssuer.publish({ kty: 'oct', kid: 'shared', k, alg: 'HS256' })
    const there = await startTestService({ OIDC_ISSUER: ownIssuer.url, OIDC_AUDIENCE: AUDIENCE })
    const person = { sub: 'u1', email: there.demo.admin.email, email_verified: true }
    const claims = { ...person, iss: ownIssuer.url, aud: AUDIENCE, iat: seconds(), exp: seconds() + 60 }
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .sign(Buffer.from(k, 'base64url'))
    expect(await isAlive(there, token)).toBe(false)
    await Promise.all([there.stop(), ownIssuer.stop()])
  })

  test('refuses a disabled administrator', async () => {
    const person = await hire(service, (await signIn(service)).token, 'admin')
    const token = await make({ email: person.email })
    expect(await isAlive(service, token)).toBe(true)
    await service.services.db.administrator.update({ where: { id: person.id }, data: { disabledAt: new Date() } })
    expect(await isAlive(service, token)).toBe(false)
  })

  test('refuses every external token without a configured issuer', async () => {
    const ownService = await startTestService()
    expect(await isAlive(ownService, await make())).toBe(false)
    await ownService.stop()
  })
})

describe('keys of the issuer', () => {
  test('fetches a new key when a token names it, at most twice a minute', async () => {
    const second = await issuer.newKey('second', 'ES256')
    issuer.publish(key.jwk, second.jwk)
    const token = await make({}, { by: second })
    setSystemTime(new Date(Date.now() + 31_000))
    expect(await isAlive(service, token)).toBe(true)
    const before = issuer.fetches()
    const unknown = await issuer.newKey('unknown')
    for (let attempt = 0; attempt < 5; attempt++)
      expect(await isAlive(service, await make({}, { by: unknown }))).toBe(false)
    expect(issuer.fetches()).toBe(before)
    issuer.publish(second.jwk)
    setSystemTime(new Date(Date.now() + 601_000))
    expect(await isAlive(service, await make({}, { by: second }))).toBe(true)
    expect(await isAlive(service, await make())).toBe(false)
    issuer.publish(key.jwk)
    setSystemTime()
  })

  test('uses known keys while the issuer is unavailable, and answers 503 without them until it is available', async () => {
    const ownService = await startTestService({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: AUDIENCE })
    const token = await make()
    const there = () => post(ownService, VIEWER, {}, { key: token })
    issuer.answerWith(500)
    const away = await there()
    expect([away.status, codeOf(away), away.headers.get('retry-after')]).toEqual([503, 'unavailable', '30'])
    issuer.answerWith(200)
    expect((await there()).status).toBe(200)
    issuer.answerWith(500)
    expect((await there()).status).toBe(200)
    setSystemTime(new Date(Date.now() + 601_000))
    const stale = await post(ownService, VIEWER, {}, { key: await make() })
    setSystemTime()
    issuer.answerWith(200)
    expect([stale.status, codeOf(stale)]).toEqual([503, 'unavailable'])
    await ownService.stop()
  })

  test('answers 503 when the issuer refuses connections; skips discovery with a configured key set URL', async () => {
    const gone = await startIssuer()
    await gone.stop()
    const lost = await startTestService({ OIDC_ISSUER: gone.url, OIDC_AUDIENCE: AUDIENCE })
    const answer = await post(lost, VIEWER, {}, { key: await make({ iss: gone.url }) })
    expect([answer.status, codeOf(answer)]).toEqual([503, 'unavailable'])
    await lost.stop()

    const env = {
      OIDC_ISSUER: 'https://login.example.com/',
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_JWKS_URL: `${issuer.url}/keys`,
    }
    const ownService = await startTestService(env)
    expect(await isAlive(ownService, await make({ iss: env.OIDC_ISSUER }))).toBe(true)
    await ownService.stop()
  })
})
