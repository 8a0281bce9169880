import { decodeJwt } from 'jose'
import { LRUCache } from 'lru-cache'
import type { AdministratorViewer, Services, Viewer } from '../../../platform/context.ts'
import type { TokenIssuer } from '../../../platform/identity/oidc.ts'
import { parseKey } from '../key/key.ts'
import { unauthenticated } from '../viewer.ts'
import { findByClaims } from './external-person.ts'
import { createKeyLookup, type KeyLookup } from './key-lookup.ts'
import { readToken } from './token.ts'

const LAST_USED_STEP_MS = 60_000

/**
 * Resolves an Authorization header to its viewer.
 * @param countLookUp called before a key is looked up that this process has not accepted lately. It may refuse, and returns
 * a function that is called when the key is valid
 */
export type Authenticate = (authorization: string | null, countLookUp?: () => () => void) => Promise<Viewer | null>

/** Maximum number of accepted keys. */
const MAX_ACCEPTED = 10_000

/**
 * Created once per process, because requests share lookups of keys. The function returns null without a header. It
 * throws AppError `unauthenticated` unless the header contains a valid key or token, and `unavailable` while the
 * external issuer of a token cannot be reached.
 */
export function createAuthenticate(services: Services): Authenticate {
  const findKey = createKeyLookup(services)
  /** Hashes. A client with a valid key is not refused for guesses of others from its address. */
  const accepted = new LRUCache<string, true>({ max: MAX_ACCEPTED })

  async function byKey(credential: string, countLookUp?: () => () => void): Promise<Viewer> {
    const parsed = parseKey(credential)
    if (!parsed) throw unauthenticated()
    const { hash } = parsed
    const uncount = accepted.has(hash) ? undefined : countLookUp?.()
    const viewer = await viewerOfKey(services, await findKey(hash))
    if (!viewer) {
      accepted.delete(hash)
      throw unauthenticated()
    }
    uncount?.()
    accepted.set(hash, true)
    return viewer
  }

  return async (authorization, countLookUp) => {
    if (authorization === null) return null
    const credential = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    if (!credential) throw unauthenticated()
    if (!credential.includes('.')) return byKey(credential, countLookUp)
    const { oidc } = services
    return oidc && claimedIssuer(credential) === oidc.issuer
      ? byExternalToken(services, oidc, credential)
      : byToken(services, credential)
  }
}

/** @returns null without a valid key */
async function viewerOfKey(services: Services, key: Awaited<ReturnType<KeyLookup>>): Promise<Viewer | null> {
  const now = services.clock()
  if (!key || key.revokedAt || (key.expiresAt && key.expiresAt <= now)) return null
  if (!key.lastUsedAt || now.getTime() - key.lastUsedAt.getTime() > LAST_USED_STEP_MS) {
    await services.db.apiKey.update({ where: { id: key.id }, data: { lastUsedAt: now }, select: { id: true } })
  }
  const { id: keyId, kind, organizationId, collectionId, creatorId, expiresAt } = key
  return { type: 'key', keyId, kind, organizationId, collectionId, creatorId, expiresAt }
}

/** Role and access are read at every request, so that a change takes effect before the token expires. */
async function byToken(services: Services, token: string): Promise<AdministratorViewer> {
  const claims = await readToken(services, token)
  if (!claims) throw unauthenticated()
  const { administratorId: id, sessionId, expiresAt } = claims
  const administrator = await services.db.administrator.findFirst({
    where: {
      id,
      disabledAt: null,
      sessions: { some: { id: sessionId, revokedAt: null, expiresAt: { gt: services.clock() } } },
    },
    select: { role: true, organizationId: true },
  })
  if (!administrator) throw unauthenticated()
  return { type: 'administrator', administratorId: id, ...administrator, sessionId, expiresAt }
}

/** The unverified `iss` claim; null for a malformed token. Selects only the keys that verify the token. */
function claimedIssuer(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null
  } catch {
    return null
  }
}

/** Refuses tokens that were issued before the administrator ended all sessions. */
async function byExternalToken(services: Services, oidc: TokenIssuer, token: string): Promise<AdministratorViewer> {
  const verified = await oidc.verify(token)
  const administrator = verified && (await findByClaims(services, verified.claims))
  if (!administrator || typeof administrator === 'string') throw unauthenticated()
  const { id: administratorId, role, organizationId, lastSignInAt, tokensEndedAt } = administrator
  const { issuedAt, expiresAt } = verified
  if (tokensEndedAt && issuedAt < tokensEndedAt) throw unauthenticated()
  if (!lastSignInAt || lastSignInAt < issuedAt) {
    await services.db.administrator.update({ where: { id: administratorId }, data: { lastSignInAt: issuedAt } })
  }
  return { type: 'administrator', administratorId, role, organizationId, sessionId: null, expiresAt }
}
