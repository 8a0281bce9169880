import { t } from '../strings.ts'
import { ApiError, ask, type Fetch } from './api.ts'
import { type Features, readFeatures } from './features.ts'
import { identify } from './identify.ts'

/** The used part of a browser's Storage. */
export interface Store {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
  removeItem: (key: string) => void
}

/** A credential and its owner. */
export interface Session {
  /** A token of an administrator, or a key. */
  credential: string
  /** Email address, or kind of the key. */
  name: string
  /** Role of an administrator. Null for a key. */
  role: string | null
  organizationId: string
  organizationName: string | null
  /** Expiry of the token, as ISO 8601. Null for a key. */
  expiresAt: string | null
  refreshToken: string | null
}

/** The session, and a notice to show with it. */
export interface SessionState {
  session: Session | null
  notice: string | null
}

export interface SessionStore {
  read: () => SessionState
  /** Calls the listener on every change, until the returned function is called. */
  subscribe: (listener: () => void) => () => void
  /** @throws ApiError with a text for a person when the password is wrong */
  signIn: (email: string, password: string) => Promise<void>
  /** @throws ApiError with a text for a person */
  useKey: (key: string) => Promise<void>
  /** Returns the Bearer credential. Renews it first when it is about to expire. */
  credential: () => Promise<string | null>
  /** Checks the credential and renews it if necessary. Ends the session and returns false when that fails. */
  check: () => Promise<boolean>
  signOut: () => Promise<void>
}

type Credential = Pick<Session, 'credential' | 'expiresAt' | 'refreshToken'>
type Token = { token: string; expiresAt: string; refreshToken?: string }

const KEY = 'tonearm:session'
const RENEW_BEFORE_MS = 60_000

/**
 * Creates a session store. The credential is in memory and, for reloads, in `storage`, which must be the tab's session
 * storage.
 * @param now milliseconds since 1970
 */
export function createSession(storage: Store, fetch: Fetch, now: () => number = Date.now): SessionStore {
  const listeners = new Set<() => void>()
  let state: SessionState = { session: restore(storage.getItem(KEY)), notice: null }
  let features: Promise<Features> | null = null
  let renewing: Promise<boolean> | null = null

  function setSession(session: Session | null, notice: string | null = null): void {
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
    setSession({ ...credential, ...who, name: email ?? who.name })
  }

  async function renewNow(): Promise<boolean> {
    const { session } = state
    if (!session?.refreshToken || !(await readOnce()).isRenewable) return false
    const query =
      'mutation Renew($refreshToken: String!) { refreshSignIn(refreshToken: $refreshToken) { token expiresAt refreshToken } }'
    const answer = await ask<{ refreshSignIn: Token }>(fetch, query, { refreshToken: session.refreshToken }).catch(
      (error) => {
        if (isRejected(error)) return null
        throw error
      },
    )
    // The session may have changed during the request.
    if (!answer || state.session !== session) return false
    setSession({ ...session, ...toCredential(answer.refreshSignIn) })
    return true
  }

  /** One at a time, because a refresh token works once. */
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
      const { signIn } = await ask<{ signIn: Token }>(fetch, query, { email, password }).catch((error: unknown) => {
        throw isRejected(error) ? new ApiError('wrong_password', t('session.wrongPassword')) : error
      })
      await open(toCredential(signIn), email.trim().toLowerCase())
    },
    useKey: (key) =>
      open({ credential: key, expiresAt: null, refreshToken: null }, null).catch((error: unknown) => {
        // The server's words are for programs.
        throw isRejected(error) ? new ApiError('wrong_key', t('session.wrongKey')) : error
      }),
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
        if (!isRejected(error)) throw error
      }
      if (state.session !== session || (await renew())) return state.session !== null
      setSession(null, t('session.ended'))
      return false
    },
    async signOut() {
      const { session } = state
      setSession(null)
      const ending = (await readOnce()).signOut
      if (!session || session.role === null || !ending) return
      if (ending.args.length > 0 && !session.refreshToken) return
      const variables = ending.args.length > 0 ? { refreshToken: session.refreshToken } : {}
      // The local session is over in any case; a remaining token expires.
      await ask(fetch, ending.query, variables, session.credential).catch(() => {})
    },
  }
}

const isRejected = (error: unknown): boolean => error instanceof ApiError && error.code === 'unauthenticated'

const toCredential = ({ token, expiresAt, refreshToken }: Token): Credential => ({
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
