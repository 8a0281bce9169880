import { t } from '../strings.ts'
import { ApiError, ask, type Fetch } from './api.ts'
import { identify } from './identify.ts'
import {
  ACCEPT_INVITATION,
  PREPARE_PASSKEY_SIGN_IN,
  RENEW,
  SIGN_IN,
  SIGN_IN_BY_LINK,
  SIGN_IN_WITH_PASSKEY,
  SIGN_OUT,
} from './operations.ts'
import type { PasskeyCeremony, PasskeySignature } from './passkey.ts'

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
  /**
   * @param code of the second factor
   * @throws ApiError with a text for a person when the password is wrong; `second_factor_required` when a code is missing
   */
  signIn: (email: string, password: string, code?: string) => Promise<void>
  /**
   * @param sign lets the person choose a passkey
   * @throws ApiError with a text for a person
   */
  signInWithPasskey: (sign: (ceremony: PasskeyCeremony) => Promise<PasskeySignature>) => Promise<void>
  /**
   * Becomes the administrator of an invitation.
   * @param token of the link
   * @throws ApiError `expired`
   */
  acceptInvitation: (token: string, name: string, password: string) => Promise<void>
  /**
   * @param token of a sign-in link
   * @param code of the second factor
   * @throws ApiError `expired`; `second_factor_required` when a code is missing
   */
  signInByLink: (token: string, code?: string) => Promise<void>
  /** @throws ApiError with a text for a person */
  useKey: (key: string) => Promise<void>
  /** Returns the Bearer credential. Renews it first when it is about to expire. */
  credential: () => Promise<string | null>
  /** Checks the credential and renews it if necessary. Ends the session and returns false when that fails. */
  check: () => Promise<boolean>
  signOut: () => Promise<void>
  /**
   * Takes over a session that the gateway has begun.
   * @throws ApiError with a text for a person when the token is refused
   */
  resume: (refreshToken: string) => Promise<void>
  /** Shows a text in the form. Does nothing while a person is signed in. */
  notify: (notice: string) => void
}

type Credential = Pick<Session, 'credential' | 'expiresAt' | 'refreshToken'>
type Token = { token: string; expiresAt: string; refreshToken: string }

/** The parts of a browser that a session needs. */
export interface SessionBrowser {
  fetch: Fetch
  /** Of this tab: a key. */
  tab: Store
  /** Of all tabs: the session of an administrator. */
  shared: Store
  /** Calls the listener when another tab has changed an item of `shared`. */
  onSharedChange: (listener: (name: string | null) => void) => void
  /** Runs work while no other tab does. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>
  /** Milliseconds since 1970. */
  now: () => number
}

export const SESSION_KEY = 'tonearm:session'
/** In place of a session that was refused. Other tabs then keep the work of the person under the form. */
const ENDED = '"ended"'
const RENEW_BEFORE_MS = 60_000

/** Returns the parts of the browser that shows the page. */
export const thisBrowser = (): SessionBrowser => ({
  fetch: (url, init) => fetch(url, init),
  tab: sessionStorage,
  shared: localStorage,
  onSharedChange: (listener) =>
    window.addEventListener('storage', ({ storageArea, key }) => {
      if (storageArea === localStorage) listener(key)
    }),
  // Browsers have locks on https and localhost only. Without them two tabs may renew at once: both get the same tokens.
  exclusively: (work) => (navigator.locks ? navigator.locks.request('tonearm:renew', work) : work()),
  now: Date.now,
})

/**
 * Creates a session store. An administrator is signed in on all tabs; a key is used by the tab in which it was entered.
 * Both outlive a reload.
 */
export function createSession({ fetch, tab, shared, ...browser }: SessionBrowser): SessionStore {
  const listeners = new Set<() => void>()
  let state: SessionState = { session: restore(tab) ?? restore(shared), notice: null }
  let renewing: Promise<boolean> | null = null

  function show(session: Session | null, notice: string | null = null): void {
    state = { session, notice }
    for (const listener of listeners) listener()
  }

  /** Keeps a session for reloads, and for other tabs if it is that of an administrator. */
  function setSession(session: Session): void {
    if (session.role === null) tab.setItem(SESSION_KEY, JSON.stringify(session))
    else {
      tab.removeItem(SESSION_KEY)
      shared.setItem(SESSION_KEY, JSON.stringify(session))
    }
    show(session)
  }

  function removeSession({ role }: Session, notice: string | null = null): void {
    if (role === null) tab.removeItem(SESSION_KEY)
    else if (notice === null) shared.removeItem(SESSION_KEY)
    else shared.setItem(SESSION_KEY, ENDED)
    show(null, notice)
  }

  browser.onSharedChange((name) => {
    // A null name: all items were removed.
    if ((name !== null && name !== SESSION_KEY) || state.session?.role === null) return
    const session = restore(shared)
    const isEnded = shared.getItem(SESSION_KEY) === ENDED
    if (isEnded && !state.session) return
    show(session, isEnded ? t('session.ended') : null)
  })

  async function open(credential: Credential): Promise<void> {
    setSession({ ...credential, ...(await identify(fetch, credential.credential)) })
  }

  async function renewNow(): Promise<boolean> {
    const { session } = state
    if (!session?.refreshToken) return false
    const latest = restore(shared)
    // Another tab has renewed it.
    if (latest && latest.refreshToken !== session.refreshToken) {
      show(latest)
      return true
    }
    const token = await requestToken(session.refreshToken)
    // The session may have changed during the request.
    if (!token || state.session !== session) return false
    setSession({ ...session, ...toCredential(token) })
    return true
  }

  /** Exchanges a refresh token. @returns null when it is refused */
  const requestToken = (refreshToken: string): Promise<Token | null> =>
    ask<{ refreshSignIn: Token }>(fetch, RENEW, { refreshToken }).then(
      ({ refreshSignIn }) => refreshSignIn,
      (error) => {
        if (isRejected(error)) return null
        throw error
      },
    )

  /** One at a time, because a refresh token works once. */
  function renew(): Promise<boolean> {
    renewing ??= browser.exclusively(renewNow).finally(() => {
      renewing = null
    })
    return renewing
  }

  const isExpiring = ({ expiresAt }: Session) =>
    expiresAt !== null && Date.parse(expiresAt) - browser.now() < RENEW_BEFORE_MS

  return {
    read: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async signIn(email, password, code) {
      const variables = { email, password, code }
      const { signIn } = await ask<{ signIn: Token }>(fetch, SIGN_IN, variables).catch((error: unknown) => {
        throw isRejected(error) ? new ApiError('wrong_password', t('session.wrongPassword')) : error
      })
      await open(toCredential(signIn))
    },
    async signInWithPasskey(sign) {
      type Prepared = { preparePasskeySignIn: PasskeyCeremony & { setup: string } }
      const { setup, ...ceremony } = (await ask<Prepared>(fetch, PREPARE_PASSKEY_SIGN_IN)).preparePasskeySignIn
      const input = { setup, ...(await sign(ceremony)) }
      const { signInWithPasskey } = await ask<{ signInWithPasskey: Token }>(fetch, SIGN_IN_WITH_PASSKEY, {
        input,
      }).catch((error: unknown) => {
        throw isRejected(error) ? new ApiError('wrong_passkey', t('session.wrongPasskey')) : error
      })
      await open(toCredential(signInWithPasskey))
    },
    async acceptInvitation(token, name, password) {
      const variables = { token, name, password }
      const { acceptInvitation } = await ask<{ acceptInvitation: Token }>(fetch, ACCEPT_INVITATION, variables)
      await open(toCredential(acceptInvitation))
    },
    async signInByLink(token, code) {
      const { signInByLink } = await ask<{ signInByLink: Token }>(fetch, SIGN_IN_BY_LINK, { token, code })
      await open(toCredential(signInByLink))
    },
    useKey: (key) =>
      open({ credential: key, expiresAt: null, refreshToken: null }).catch((error: unknown) => {
        // The server's words are for programs.
        throw isRejected(error) ? new ApiError('wrong_key', t('session.wrongKey')) : error
      }),
    async credential() {
      const { session } = state
      if (session && isExpiring(session)) await renew()
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
      removeSession(session, t('session.ended'))
      return false
    },
    async resume(refreshToken) {
      const token = await requestToken(refreshToken)
      if (!token) throw new ApiError('sign_in_expired', t('session.issuerExpired'))
      await open(toCredential(token))
    },
    notify(notice) {
      if (!state.session) show(null, notice)
    },
    async signOut() {
      const { session } = state
      if (!session) return
      removeSession(session)
      if (session.role === null) return
      try {
        // Only a valid token can end the session on the server.
        const token = isExpiring(session) && session.refreshToken ? await requestToken(session.refreshToken) : null
        await ask(fetch, SIGN_OUT, {}, token?.token ?? session.credential)
      } catch {
        // The page has forgotten the session in any case.
      }
    },
  }
}

const isRejected = (error: unknown): boolean => error instanceof ApiError && error.code === 'unauthenticated'

const toCredential = ({ token, expiresAt, refreshToken }: Token): Credential => ({
  credential: token,
  expiresAt,
  refreshToken,
})

function restore(store: Store): Session | null {
  try {
    const session = JSON.parse(store.getItem(SESSION_KEY) ?? 'null') as Session | null
    return typeof session?.credential === 'string' ? session : null
  } catch {
    return null
  }
}
