import { ApiError, ask, type Fetch } from './api.ts'
import { type Features, readFeatures } from './features.ts'
import { identify } from './identify.ts'
import type { Store } from './kept.ts'

/** A credential, and whose it is. */
export interface Session {
  /** An administrator's token or a key. */
  credential: string
  /** An email address, or the kind of a key. */
  name: string
  /** An administrator's; null for a key. */
  role: string | null
  organizationId: string
  organizationName: string | null
  /** When the token ends, as ISO 8601; null for a key. */
  expiresAt: string | null
  refreshToken: string | null
}

/** Who is signed in, and what has to be said about it. */
export interface SessionState {
  session: Session | null
  notice: string | null
}

export interface SessionStore {
  read: () => SessionState
  /** Calls back on every change, until what it returns is called. */
  subscribe: (listener: () => void) => () => void
  /** @throws ApiError with the server's own words */
  signIn: (email: string, password: string) => Promise<void>
  /** @throws ApiError with the server's own words */
  useKey: (key: string) => Promise<void>
  /** What to send as Bearer; renewed first where it is about to end. */
  credential: () => Promise<string | null>
  /** Whether the credential still holds, renewed or not; otherwise the session is over. */
  check: () => Promise<boolean>
  signOut: () => Promise<void>
}

type Credential = Pick<Session, 'credential' | 'expiresAt' | 'refreshToken'>
type Token = { token: string; expiresAt: string; refreshToken?: string }

const KEY = 'tonearm:session'
const RENEW_BEFORE_MS = 60_000
const ENDED = 'Your session has ended. Sign in again: your tabs are as you left them.'

/**
 * Keeps the credential in memory and, for a reload, in `storage`: the session's, never the one that outlives the tab.
 * @param now milliseconds since 1970
 */
export function createSession(storage: Store, fetch: Fetch, now: () => number = Date.now): SessionStore {
  const listeners = new Set<() => void>()
  let state: SessionState = { session: restore(storage.getItem(KEY)), notice: null }
  let features: Promise<Features> | null = null
  let renewing: Promise<boolean> | null = null

  function become(session: Session | null, notice: string | null = null): void {
    state = { session, notice }
    if (session) storage.setItem(KEY, JSON.stringify(session))
    else storage.removeItem(KEY)
    for (const listener of listeners) listener()
  }

  const readOnce = () => {
    features ??= readFeatures(fetch)
    return features
  }

  async function open(credential: Credential, email: string | null): Promise<void> {
    const who = await identify(fetch, credential.credential)
    become({ ...credential, ...who, name: email ?? who.name })
  }

  async function renewNow(): Promise<boolean> {
    const { session } = state
    if (!session?.refreshToken || !(await readOnce()).isRenewable) return false
    const query =
      'mutation Renew($refreshToken: String!) { refreshSignIn(refreshToken: $refreshToken) { token expiresAt refreshToken } }'
    const answer = await ask<{ refreshSignIn: Token }>(fetch, query, { refreshToken: session.refreshToken }).catch(
      (error) => {
        if (isRefusal(error)) return null
        throw error
      },
    )
    // Signed out, or somebody else in, while this was under way.
    if (!answer || state.session !== session) return false
    become({ ...session, ...credentialOf(answer.refreshSignIn) })
    return true
  }

  /** One at a time: a refresh token works once. */
  function renew(): Promise<boolean> {
    renewing ??= renewNow().finally(() => {
      renewing = null
    })
    return renewing
  }

  return {
    read: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async signIn(email, password) {
      const more = (await readOnce()).isRenewable ? ' refreshToken' : ''
      const query = `mutation SignIn($email: String!, $password: String!) {
        signIn(email: $email, password: $password) { token expiresAt${more} }
      }`
      const { signIn } = await ask<{ signIn: Token }>(fetch, query, { email, password })
      await open(credentialOf(signIn), email.trim().toLowerCase())
    },
    useKey: (key) => open({ credential: key, expiresAt: null, refreshToken: null }, null),
    async credential() {
      const { session } = state
      if (session?.expiresAt && Date.parse(session.expiresAt) - now() < RENEW_BEFORE_MS) await renew()
      return state.session?.credential ?? null
    },
    async check() {
      const { session } = state
      if (!session) return false
      try {
        await identify(fetch, session.credential)
        return true
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
      if (state.session !== session || (await renew())) return state.session !== null
      become(null, ENDED)
      return false
    },
    async signOut() {
      const { session } = state
      become(null)
      const ending = (await readOnce()).signOut
      if (!session || session.role === null || !ending) return
      if (ending.args.length > 0 && !session.refreshToken) return
      const variables = ending.args.length > 0 ? { refreshToken: session.refreshToken } : {}
      // Here it is over in any case; a token that the server still holds ends by itself.
      await ask(fetch, ending.query, variables, session.credential).catch(() => {})
    },
  }
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === 'unauthenticated'

const credentialOf = ({ token, expiresAt, refreshToken }: Token): Credential => ({
  credential: token,
  expiresAt,
  refreshToken: refreshToken ?? null,
})

function restore(text: string | null): Session | null {
  try {
    const session = JSON.parse(text ?? 'null') as Session | null
    return typeof session?.credential === 'string' ? session : null
  } catch {
    return null
  }
}
