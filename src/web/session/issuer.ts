// Signing in at the service that OIDC_ISSUER names: the page leaves, and comes back with the result in its fragment.
import { type TextName, t } from '../strings.ts'
import { formatError } from './api.ts'
import type { SessionStore, Store } from './session.ts'

/** Of the gateway. */
const SIGN_IN_PATH = '/sign-in'
/** A secret of the tab that left. Without it anyone could sign a person in to another account by a link. */
const TAB_KEY = 'tonearm:sign-in'

/** Name of the issuer. Null: people sign in with passwords only. */
export const readIssuerName = (): string | null =>
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="sign-in-issuer"]')?.content ?? null

/** Returns the address that the tab opens to sign in at the issuer and come back to its page. */
export function issuerSignInUrl(tab: Store, path: string): string {
  const secret = crypto.randomUUID()
  tab.setItem(TAB_KEY, secret)
  return `${SIGN_IN_PATH}?${new URLSearchParams({ to: path, tab: secret })}`
}

/** The parts of a window that came back from the issuer. */
export interface ReturnedWindow {
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'replaceState'>
  sessionStorage: Store
}

/** Takes the result of a sign-in out of the page's address. Does nothing unless this tab began it. */
export async function finishIssuerSignIn(session: SessionStore, page: ReturnedWindow): Promise<void> {
  const { location, history, sessionStorage } = page
  const result = new URLSearchParams(location.hash.slice(1))
  const [refreshToken, problem] = [result.get('refresh_token'), result.get('problem')]
  if (refreshToken === null && problem === null) return
  history.replaceState(null, '', location.pathname + location.search)
  const secret = sessionStorage.getItem(TAB_KEY)
  sessionStorage.removeItem(TAB_KEY)
  if (secret === null) return
  if (refreshToken === null || result.get('tab') !== secret) {
    session.notify(t(problemTexts[problem ?? ''] ?? 'session.issuerExpired'))
  } else await session.resume(refreshToken).catch((error) => session.notify(formatError(error)))
}

/** By the reason that the gateway gives. */
const problemTexts: Record<string, TextName> = {
  denied: 'session.issuerDenied',
  expired: 'session.issuerExpired',
  unavailable: 'session.issuerUnavailable',
  unknown_address: 'session.issuerUnknownAddress',
  unverified_address: 'session.issuerUnverifiedAddress',
}
