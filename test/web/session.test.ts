import { describe, expect, test } from 'bun:test'
import { createSession } from '../../src/web/session/session.ts'
import { createServer, memory } from './server.ts'

function start({ isRenewable = false, now = (): number => 0, storage = memory() } = {}) {
  const server = createServer({ isRenewable })
  return { server, storage, session: createSession(storage, server.fetch, now) }
}

describe('signing in', () => {
  test('stores the token and its owner', async () => {
    const { session, storage } = start()
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
        refreshToken: null,
      },
    })
    expect(seen).toEqual(['admin@example.com'])
    // A reload finds it again.
    expect(createSession(storage, fetch as never).read().session?.credential).toBe('token-1')
  })

  test('shows a rejection, and changes nothing', async () => {
    const { session, storage } = start()
    await expect(session.signIn('admin@example.com', 'wrong')).rejects.toThrow(
      'The email address or the password is wrong.',
    )
    await expect(session.useKey('unknown')).rejects.toThrow('This key is unknown, revoked or expired.')
    expect(session.read()).toEqual({ session: null, notice: null })
    expect(storage.items.size).toBe(0)
  })

  test('a key is a credential too', async () => {
    const { session } = start()
    await session.useKey('a-key')
    expect(session.read().session).toMatchObject({ credential: 'a-key', name: 'api key', role: null, expiresAt: null })
  })

  test('a share key is refused, because it opens stream links only', async () => {
    const { session, storage } = start()
    await expect(session.useKey('a-share-key')).rejects.toThrow('A share key only opens stream links.')
    expect([session.read().session, storage.items.size]).toEqual([null, 0])
  })

  test('an unreachable server is a text for a person', async () => {
    const session = createSession(memory(), () => Promise.reject(new TypeError('Failed to fetch')))
    await expect(session.signIn('admin@example.com', 'right')).rejects.toThrow('The service does not answer.')
  })

  test.each(['{', '{}', 'null', '"x"'])('what is broken in the storage is no session: %s', (text) => {
    expect(start({ storage: memory(new Map([['tonearm:session', text]])) }).session.read().session).toBe(null)
  })
})

describe('the end of a session', () => {
  test('signing out removes the credential silently', async () => {
    const { session, storage } = start()
    await session.signIn('admin@example.com', 'right')
    await session.signOut()
    expect(session.read()).toEqual({ session: null, notice: null })
    expect([storage.items.size, await session.credential()]).toEqual([0, null])
  })

  test('signing out ends the session on a server that supports it', async () => {
    const { session, server } = start({ isRenewable: true })
    await session.signIn('admin@example.com', 'right')
    await session.signOut()
    expect(server.log.at(-1)).toBe('SignOut')
  })

  test('a rejected credential shows the form with a message', async () => {
    const { session, server, storage } = start()
    await session.signIn('admin@example.com', 'right')
    expect(await session.check()).toBe(true)
    server.expire()
    expect(await session.check()).toBe(false)
    expect(session.read().session).toBe(null)
    expect(session.read().notice).toContain('session has ended')
    expect(storage.items.size).toBe(0)
  })

  test('an unreachable server does not end the session', async () => {
    const storage = memory()
    await start({ storage }).session.signIn('admin@example.com', 'right')
    const away = createSession(storage, async () => {
      throw new TypeError('fetch failed')
    })
    await expect(away.check()).rejects.toThrow('The service does not answer.')
    expect(away.read().session?.credential).toBe('token-1')
  })
})

describe('renewing', () => {
  test('happens before the token expires, and once for concurrent requests', async () => {
    let now = 0
    const { session, server } = start({ isRenewable: true, now: () => now })
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
    const { session, server } = start({ isRenewable: true })
    await session.signIn('admin@example.com', 'right')
    server.expire()
    expect(await session.check()).toBe(true)
    expect(session.read().session?.credential).toBe('token-2')
  })

  test('ends the session when rejected', async () => {
    const { session, server } = start({ isRenewable: true })
    await session.signIn('admin@example.com', 'right')
    server.expire()
    server.state.isRefreshRefused = true
    expect(await session.check()).toBe(false)
    expect(session.read().notice).toContain('session has ended')
  })

  test('is not tried if the server does not support it', async () => {
    const { session, server } = start({ now: () => Date.parse('2030-01-01T00:00:00.000Z') })
    await session.signIn('admin@example.com', 'right')
    expect(await session.credential()).toBe('token-1')
    expect(server.log).not.toContain('Renew')
  })
})
