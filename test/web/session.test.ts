import { describe, expect, test } from 'bun:test'
import { createSession } from '../../src/web/session/session.ts'
import { createBrowser, createServer } from './server.ts'

function start({ now = (): number => 0 } = {}) {
  const server = createServer()
  const browser = createBrowser(server.fetch, now)
  const page = browser.open()
  return { server, browser, page, session: createSession(page) }
}

describe('signing in', () => {
  test('stores the token and its owner', async () => {
    const { session, browser } = start()
    const seen: unknown[] = []
    session.subscribe(() => seen.push(session.read().session?.name))
    await session.signIn(' Admin@Example.com ', 'right')
    expect(session.read()).toEqual({
      notice: null,
      session: {
        credential: 'token-1',
        name: 'admin@example.com',
        role: 'owner',
        organizationId: '1',
        organizationName: 'Records',
        expiresAt: '2030-01-01T00:00:00.000Z',
        refreshToken: 'refresh-1',
      },
    })
    expect(seen).toEqual(['admin@example.com'])
    // So does another tab.
    expect(createSession(browser.open()).read().session?.credential).toBe('token-1')
  })

  test('shows a rejection, and changes nothing', async () => {
    const { session, browser, page } = start()
    await expect(session.signIn('admin@example.com', 'wrong')).rejects.toThrow(
      'The email address or the password is wrong.',
    )
    await expect(session.useKey('unknown')).rejects.toThrow('This key is unknown, revoked or expired.')
    expect(session.read()).toEqual({ session: null, notice: null })
    expect([browser.shared.items.size, page.tab.items.size]).toEqual([0, 0])
  })

  test('a key is a credential too, of its tab', async () => {
    const { session, browser, page } = start()
    await session.useKey('a-key')
    expect(session.read().session).toMatchObject({ credential: 'a-key', name: 'api key', role: null, expiresAt: null })
    expect(createSession(browser.open(page.tab.items)).read().session?.credential).toBe('a-key')
    const elsewhere = createSession(browser.open())
    expect(elsewhere.read().session).toBe(null)
    await elsewhere.signIn('admin@example.com', 'right')
    await elsewhere.signOut()
    expect(session.read().session?.credential).toBe('a-key')
  })

  test('a share key is refused, because it opens stream links only', async () => {
    const { session, page } = start()
    await expect(session.useKey('a-share-key')).rejects.toThrow('A share key only opens stream links.')
    expect([session.read().session, page.tab.items.size]).toEqual([null, 0])
  })

  test('an unreachable server is a text for a person', async () => {
    const session = createSession(createBrowser(() => Promise.reject(new TypeError('Failed to fetch'))).open())
    await expect(session.signIn('admin@example.com', 'right')).rejects.toThrow('The service does not answer.')
  })

  test.each(['{', '{}', 'null', '"x"'])('what is broken in the storage is no session: %s', (text) => {
    const browser = createBrowser(createServer().fetch)
    browser.shared.setItem('tonearm:session', text)
    expect(createSession(browser.open(new Map([['tonearm:session', text]]))).read().session).toBe(null)
  })
})

describe('the end of a session', () => {
  test('signing out forgets the credential silently, and ends the session on the server', async () => {
    const { session, browser, server } = start()
    await session.signIn('admin@example.com', 'right')
    await session.signOut()
    expect(session.read()).toEqual({ session: null, notice: null })
    expect([browser.shared.items.size, await session.credential()]).toEqual([0, null])
    expect(server.log.at(-1)).toBe('SignOut')
  })

  test('signing out after the access token has expired ends the session on the server too', async () => {
    let now = 0
    const { session, server } = start({ now: () => now })
    server.state.expiresAt = new Date(600_000).toISOString()
    await session.signIn('admin@example.com', 'right')
    now = 3_600_000
    server.expire()
    await session.signOut()
    expect(server.log.slice(-2)).toEqual(['Renew', 'SignOut'])
    expect(session.read().session).toBe(null)
  })

  test('a rejected credential shows the form with a message', async () => {
    const { session, server, browser } = start()
    await session.signIn('admin@example.com', 'right')
    expect(await session.check()).toBe(true)
    server.expire()
    server.state.isRefreshRefused = true
    expect(await session.check()).toBe(false)
    expect(session.read().session).toBe(null)
    expect(session.read().notice).toContain('session has ended')
    expect(createSession(browser.open()).read()).toEqual({ session: null, notice: null })
  })

  test('an unreachable server does not end the session', async () => {
    const { session, browser } = start()
    await session.signIn('admin@example.com', 'right')
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    const away = createSession({ ...browser.open(), fetch })
    await expect(away.check()).rejects.toThrow('The service does not answer.')
    expect(away.read().session?.credential).toBe('token-1')
  })
})

describe('renewing', () => {
  test('happens before the token expires, and once for concurrent requests', async () => {
    let now = 0
    const { session, server } = start({ now: () => now })
    server.state.expiresAt = new Date(600_000).toISOString()
    await session.signIn('admin@example.com', 'right')
    now = 530_000
    expect(await session.credential()).toBe('token-1')
    now = 550_000
    server.state.expiresAt = new Date(1_200_000).toISOString()
    expect(await Promise.all([session.credential(), session.credential()])).toEqual(['token-2', 'token-2'])
    expect(session.read().session).toMatchObject({ refreshToken: 'refresh-2', name: 'admin@example.com' })
  })

  test('happens when a token is rejected early', async () => {
    const { session, server } = start()
    await session.signIn('admin@example.com', 'right')
    server.expire()
    expect(await session.check()).toBe(true)
    expect(session.read().session?.credential).toBe('token-2')
  })
})

describe('two tabs', () => {
  test('have the same session, from the sign-in of either until the sign-out of either', async () => {
    const { session: here, browser } = start()
    const there = createSession(browser.open())
    await there.signIn('admin@example.com', 'right')
    expect(here.read().session?.credential).toBe('token-1')
    await here.signOut()
    expect(there.read()).toEqual({ session: null, notice: null })
  })

  test('renew once, also at the same time, and also if one does not know of the change', async () => {
    let now = 0
    const { session: here, browser, server } = start({ now: () => now })
    server.state.expiresAt = new Date(600_000).toISOString()
    await here.signIn('admin@example.com', 'right')
    const there = createSession({ ...browser.open(), onSharedChange: () => {} })
    now = 590_000
    server.state.expiresAt = new Date(1_200_000).toISOString()
    expect(await Promise.all([here.credential(), there.credential()])).toEqual(['token-2', 'token-2'])
    expect(server.log.filter((name) => name === 'Renew')).toHaveLength(1)
  })

  test('both keep their work when the session is refused, until the next sign-in', async () => {
    const { session: here, browser, server } = start()
    await here.signIn('admin@example.com', 'right')
    const there = createSession(browser.open())
    server.expire()
    server.state.isRefreshRefused = true
    await here.check()
    for (const tab of [here, there]) {
      expect([tab.read().session, tab.read().notice]).toEqual([null, expect.stringContaining('session has ended')])
    }
    await there.signIn('admin@example.com', 'right')
    for (const tab of [here, there])
      expect([tab.read().session?.credential, tab.read().notice]).toEqual(['token-2', null])
  })

  test('an item of another name changes nothing', async () => {
    let change: (name: string | null) => void = () => {}
    const { browser } = start()
    const session = createSession({
      ...browser.open(),
      onSharedChange: (listener) => {
        change = listener
      },
    })
    await session.signIn('admin@example.com', 'right')
    browser.shared.items.clear()
    change('theme')
    expect(session.read().session?.credential).toBe('token-1')
    change(null)
    expect(session.read().session).toBe(null)
  })
})
