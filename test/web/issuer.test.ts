import { describe, expect, test } from 'bun:test'
import { finishIssuerSignIn, issuerSignInUrl } from '../../src/web/session/issuer.ts'
import { createSession } from '../../src/web/session/session.ts'
import { createBrowser, createServer, memory } from './server.ts'

/** A tab that left for the issuer and came back with a result. @param tab the secret in the result. Defaults to its own */
async function comeBack(result: Record<string, string>, tab?: string, path = '/studio/usage') {
  const { fetch } = createServer()
  const page = createBrowser(fetch).open()
  const session = createSession(page)
  await session.signIn('admin@example.com', 'right')
  const refreshToken = session.read().session?.refreshToken ?? ''
  await session.signOut()
  const sessionStorage = memory()
  const departureUrl = new URL(issuerSignInUrl(sessionStorage, path), 'http://page.test')
  const returned: Record<string, string> = { tab: tab ?? departureUrl.searchParams.get('tab') ?? '', ...result }
  if (result.refresh_token !== undefined) returned.refresh_token = refreshToken
  const addresses: unknown[] = []
  const location = { hash: `#${new URLSearchParams(returned)}`, pathname: path, search: '?days=7' }
  const history = { replaceState: (_: unknown, __: string, url?: string | URL | null) => void addresses.push(url) }
  const come = () => finishIssuerSignIn(session, { location, history, sessionStorage })
  await come()
  return { session, departureUrl, addresses, sessionStorage, come }
}

describe('a tab that comes back from the issuer', () => {
  test('takes over the session, and removes it from its address', async () => {
    const { session, departureUrl, addresses, sessionStorage } = await comeBack({ refresh_token: '' })
    expect([departureUrl.pathname, departureUrl.searchParams.get('to')]).toEqual(['/sign-in', '/studio/usage'])
    expect(session.read()).toMatchObject({ session: { name: 'admin@example.com', role: 'owner' }, notice: null })
    expect(addresses).toEqual(['/studio/usage?days=7'])
    expect(sessionStorage.items.size).toBe(0)
  })

  test('takes no session with the secret of another tab, nor the same one twice', async () => {
    const other = await comeBack({ refresh_token: '' }, 'another secret')
    expect(other.session.read()).toEqual({ session: null, notice: expect.stringContaining('Sign in again') })
    const { session, come } = await comeBack({ refresh_token: '' })
    await session.signOut()
    await come()
    expect(session.read().session).toBe(null)
  })

  test.each([
    ['denied', 'cancelled or refused'],
    ['expired', 'took too long'],
    ['unavailable', 'does not answer'],
    ['unknown_address', 'No administrator has'],
    ['unverified_address', 'not verified'],
    ['something new', 'Sign in again'],
  ])('says %s in words', async (problem, text) => {
    const { session } = await comeBack({ problem })
    expect(session.read()).toEqual({ session: null, notice: expect.stringContaining(text) })
  })

  test('says so when the session has ended on the way', async () => {
    const { fetch, state } = createServer()
    const session = createSession(createBrowser(fetch).open())
    state.isRefreshRefused = true
    await expect(session.resume('refresh-1')).rejects.toThrow('took too long')
  })

  test('leaves another fragment alone', async () => {
    const session = createSession(createBrowser(createServer().fetch).open())
    const history = { replaceState: () => expect.unreachable() }
    const location = { hash: '#t=30', pathname: '/studio', search: '' }
    await finishIssuerSignIn(session, { location, history, sessionStorage: memory() })
    expect(session.read()).toEqual({ session: null, notice: null })
  })
})
