// Signing in by the pages of an issuer: state, nonce and PKCE, refusals with their words, and a session at the end.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { SignJWT } from 'jose'
import { data, hire, isAlive, signIn } from '../../../support/administrators.ts'
import { type Issuer, type IssuerKey, startIssuer } from '../../../support/issuer.ts'
import { type Json, startTestService, type TestService } from '../../../support/service.ts'

const CLIENT = 'studio'
const TAB = 'a-secret-of-the-tab'

let issuer: Issuer
let key: IssuerKey
let service: TestService
beforeAll(async () => {
  issuer = await startIssuer()
  key = await issuer.newKey('first')
  issuer.publish(key.jwk)
  service = await startTestService({
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: 'the api',
    OIDC_NAME: 'A & B',
    OIDC_CLIENT_ID: CLIENT,
    OIDC_CLIENT_SECRET: 'a secret of the client',
  })
})
beforeEach(() => issuer.answerCodes(async () => Response.json({ error: 'invalid_grant' }, { status: 400 })))
afterAll(async () => {
  await service.stop()
  await issuer.stop()
})

const open = (path: string, cookie?: string, there = service) =>
  there.gateway(new Request(`${there.services.config.publicUrl}${path}`, { headers: cookie ? { cookie } : {} }))

const cookieOf = (response: Response) => /^[^;]*/.exec(response.headers.get('set-cookie') ?? '')?.[0] ?? ''
const locationOf = (response: Response) => new URL(response.headers.get('location') ?? '', 'http://page.test')
/** The result that the page reads from its address. */
const resultOf = (response: Response) => Object.fromEntries(new URLSearchParams(locationOf(response).hash.slice(1)))

async function begin(to = '/studio', there = service) {
  const response = await open(`/sign-in?${new URLSearchParams({ to, tab: TAB })}`, undefined, there)
  expect(response.status).toBe(303)
  return { cookie: cookieOf(response), parameters: locationOf(response).searchParams, response }
}

/** An ID token of the issuer for the owner of the demo organization, with changed claims. */
function idToken(nonce: string, claims: Json = {}, by = key): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const person = { email: service.demo.admin.email, email_verified: true, sub: 'u1' }
  return new SignJWT({ iss: issuer.url, aud: CLIENT, iat: now, exp: now + 300, nonce, ...person, ...claims })
    .setProtectedHeader({ alg: by.alg, kid: by.kid })
    .sign(by.privateKey)
}

/** Lets the issuer give an ID token for the code `right`, once. @returns the forms that it received */
function acceptCode(nonce: string, claims?: Json, by?: IssuerKey): URLSearchParams[] {
  const forms: URLSearchParams[] = []
  issuer.answerCodes(async (form) => {
    forms.push(form)
    if (form.get('code') !== 'right' || forms.length > 1)
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const id_token = await idToken(nonce, claims, by)
    return Response.json({ access_token: 'opaque', token_type: 'Bearer', expires_in: 60, id_token })
  })
  return forms
}

const callback = (answer: Record<string, string>, cookie?: string) =>
  open(`/sign-in/callback?${new URLSearchParams(answer)}`, cookie)

/** A whole sign-in. @returns the answer to the page's browser */
async function complete(claims?: Json, by?: IssuerKey): Promise<Response> {
  const { cookie, parameters } = await begin()
  acceptCode(parameters.get('nonce') ?? '', claims, by)
  return callback({ code: 'right', state: parameters.get('state') ?? '' }, cookie)
}

describe('the way to the issuer', () => {
  test('has what the flow requires, and a cookie for these paths only', async () => {
    const { parameters, response } = await begin()
    expect(locationOf(response).href).toStartWith(`${issuer.url}/authorize?`)
    expect(Object.fromEntries(parameters)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT,
      redirect_uri: `${service.services.config.publicUrl}/sign-in/callback`,
      scope: 'openid email',
      code_challenge_method: 'S256',
    })
    expect(parameters.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/; Path=\/sign-in; Max-Age=900; HttpOnly; SameSite=Lax$/)
    for (const secret of [parameters.get('state'), parameters.get('nonce'), TAB]) expect(cookie).not.toContain(secret)
    const again = await begin()
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(again.parameters.get(name)).not.toBe(parameters.get(name))
  })

  test('sends the cookie only over https where the service has it', async () => {
    const secure = await startTestService({
      OIDC_ISSUER: issuer.url,
      OIDC_AUDIENCE: 'x',
      OIDC_CLIENT_ID: CLIENT,
      PUBLIC_URL: 'https://audio.test',
      EDGE_URL: 'https://edge.test',
    })
    const { response } = await begin('/studio', secure)
    expect(response.headers.get('set-cookie')).toContain('; Secure')
    await secure.stop()
  })

  test('begins nothing without the secret of a tab', async () => {
    const before = issuer.fetches()
    const response = await open('/sign-in?to=/studio/usage')
    expect([response.status, response.headers.get('location'), issuer.fetches()]).toEqual([
      303,
      '/studio/usage',
      before,
    ])
  })

  test('is offered by the pages under the name of the issuer', async () => {
    for (const path of ['/studio', '/graphql']) {
      const headers = { accept: 'text/html' }
      const page = await service.gateway(new Request(`${service.services.config.publicUrl}${path}`, { headers }))
      expect(await page.text()).toContain('<meta name="sign-in-issuer" content="A &amp; B">')
    }
  })

  test('does not exist without a client', async () => {
    const without = await startTestService({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: 'x' })
    expect((await open(`/sign-in?to=/studio&tab=${TAB}`, undefined, without)).status).toBe(404)
    const headers = { accept: 'text/html' }
    const page = await without.gateway(new Request(`${without.services.config.publicUrl}/studio`, { headers }))
    expect(await page.text()).not.toMatch(/sign-in-issuer|\{signIn\}/)
    await without.stop()
  })

  test('says on the page that the issuer is away', async () => {
    const lost = await startIssuer()
    await lost.stop()
    const there = await startTestService({ OIDC_ISSUER: lost.url, OIDC_AUDIENCE: 'x', OIDC_CLIENT_ID: CLIENT })
    const { response } = await begin('/studio', there)
    expect(resultOf(response)).toEqual({ tab: TAB, problem: 'unavailable' })
    await there.stop()
  })
})

describe('the way back', () => {
  test('begins a session as a password does, and ends the sign-in', async () => {
    const { cookie, parameters } = await begin('/studio/usage')
    const forms = acceptCode(parameters.get('nonce') ?? '')
    const response = await callback({ code: 'right', state: parameters.get('state') ?? '' }, cookie)
    expect([response.status, locationOf(response).pathname]).toEqual([303, '/studio/usage'])
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0')
    const { tab, refresh_token = '' } = resultOf(response)
    expect(tab).toBe(TAB)
    const verifier = forms[0]?.get('code_verifier') ?? ''
    expect(new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')).toBe(
      parameters.get('code_challenge') ?? '',
    )

    const renew = `mutation { refreshSignIn(refreshToken: "${refresh_token}") { token administrator { email } } }`
    const { refreshSignIn } = await data(service, renew)
    expect(refreshSignIn.administrator.email).toBe(service.demo.admin.email)
    await data(service, 'mutation { signOut { endedSessions } }', {}, refreshSignIn.token)
    expect(await isAlive(service, refreshSignIn.token)).toBe(false)
  })

  test('finds the administrator right after all sessions were ended', async () => {
    const person = await hire(service, (await signIn(service)).token, 'admin')
    const ended = `mutation { signOutEverywhere { endedSessions } }`
    await data(service, ended, {}, (await signIn(service, person)).token)
    expect(resultOf(await complete({ email: person.email }))).toHaveProperty('refresh_token')
  })

  test('takes a code once', async () => {
    const { cookie, parameters } = await begin()
    acceptCode(parameters.get('nonce') ?? '')
    const answer = { code: 'right', state: parameters.get('state') ?? '' }
    expect(resultOf(await callback(answer, cookie))).toHaveProperty('refresh_token')
    expect(resultOf(await callback(answer, cookie))).toEqual({ tab: TAB, problem: 'expired' })
  })

  test('an answer without the cookie of its browser is refused', async () => {
    const { parameters } = await begin()
    const forms = acceptCode(parameters.get('nonce') ?? '')
    const answer = { code: 'right', state: parameters.get('state') ?? '' }
    for (const cookie of [undefined, 'tonearm_sign_in=', 'tonearm_sign_in=forged', 'tonearm_sign_in=%E0%A4%A'])
      expect(resultOf(await callback(answer, cookie))).toEqual({ tab: '', problem: 'expired' })
    expect(forms).toEqual([])
  })

  test.each([
    ['another state', { state: 'other' }],
    ['no state', { state: '' }],
    ['another issuer', { iss: 'https://other.test' }],
  ])('an answer with %s is refused, without asking for tokens', async (_, changed) => {
    const { cookie, parameters } = await begin()
    const forms = acceptCode(parameters.get('nonce') ?? '')
    const response = await callback({ code: 'right', state: parameters.get('state') ?? '', ...changed }, cookie)
    expect(resultOf(response)).toEqual({ tab: TAB, problem: 'expired' })
    expect(forms).toEqual([])
  })

  const tokens: [what: string, claims: Json, problem: string][] = [
    ['another nonce', { nonce: 'other' }, 'expired'],
    ['the audience of the API', { aud: 'the api' }, 'expired'],
    ['another party', { azp: 'another' }, 'expired'],
    ['a past end', { iat: 1_000_000_000, exp: 1_000_000_300 }, 'expired'],
    ['an address that was not verified', { email_verified: false }, 'unverified_address'],
    ['no address', { email: undefined }, 'unverified_address'],
    ['an address of nobody here', { email: 'stranger@example.com' }, 'unknown_address'],
  ]
  test.each(tokens)('an ID token with %s begins no session', async (_, claims, problem) => {
    const before = await service.services.db.signInSession.count()
    expect(resultOf(await complete(claims))).toEqual({ tab: TAB, problem })
    expect(await service.services.db.signInSession.count()).toBe(before)
  })

  test('an ID token with the signature of another begins no session', async () => {
    const forged = { ...(await issuer.newKey('other')), kid: 'first' }
    expect(resultOf(await complete({}, forged))).toEqual({ tab: TAB, problem: 'expired' })
  })

  test('an address that only the UserInfo endpoint has is used, if it is that of the same person', async () => {
    let sub = 'u1'
    issuer.answerUserInfo(({ headers }) =>
      headers.get('authorization') === 'Bearer opaque'
        ? Response.json({ sub, email: service.demo.admin.email, email_verified: true })
        : new Response('no', { status: 401 }),
    )
    expect(resultOf(await complete({ email: undefined, email_verified: undefined }))).toHaveProperty('refresh_token')
    sub = 'u2'
    expect(resultOf(await complete({ email: undefined }))).toEqual({ tab: TAB, problem: 'expired' })
    issuer.answerUserInfo(() => new Response('away', { status: 502 }))
    expect(resultOf(await complete({ email: undefined }))).toEqual({ tab: TAB, problem: 'unavailable' })
  })

  test('a disabled administrator is not signed in', async () => {
    const person = await hire(service, (await signIn(service)).token, 'admin')
    await service.services.db.administrator.update({ where: { id: person.id }, data: { disabledAt: new Date() } })
    expect(resultOf(await complete({ email: person.email }))).toEqual({ tab: TAB, problem: 'unknown_address' })
  })

  test.each([
    ['access_denied', 'denied'],
    ['login_required', 'denied'],
    ['temporarily_unavailable', 'unavailable'],
    ['unauthorized_client', 'unavailable'],
  ])('the error %s of the issuer is said as %s', async (error, problem) => {
    const { cookie, parameters } = await begin()
    expect(resultOf(await callback({ error, state: parameters.get('state') ?? '' }, cookie))).toEqual({
      tab: TAB,
      problem,
    })
  })

  test.each([
    ['refuses the client', () => Response.json({ error: 'invalid_client' }, { status: 401 })],
    ['fails', () => new Response('away', { status: 502 })],
    ['answers with a page', () => new Response('<p>no</p>', { headers: { 'content-type': 'text/html' } })],
  ])('an issuer that %s is not the fault of the person', async (_, answer) => {
    const { cookie, parameters } = await begin()
    issuer.answerCodes(async () => answer())
    const response = await callback({ code: 'right', state: parameters.get('state') ?? '' }, cookie)
    expect(resultOf(response)).toEqual({ tab: TAB, problem: 'unavailable' })
  })
})

test.each([
  ['https://evil.test/studio'],
  ['//evil.test'],
  ['/studio.evil.test'],
  ['/studio/../evil'],
  ['/graphql@evil.test'],
  ['/studio\n/x'],
  ['/v1/creator'],
])('returns to the studio in place of %j', async (to) => {
  const { cookie, parameters } = await begin(to)
  acceptCode(parameters.get('nonce') ?? '')
  const response = await callback({ code: 'right', state: parameters.get('state') ?? '' }, cookie)
  expect(response.headers.get('location')).toStartWith('/studio#')
})
