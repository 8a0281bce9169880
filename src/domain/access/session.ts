import { createHash } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import type { Signing } from '../../platform/identity/signing.ts'
import { DAY_MS } from '../../platform/time.ts'
import { randomBase62 } from './key/key.ts'

/** A session ends 30 days after the sign-in, whether used or not. */
const SESSION_MS = 30 * DAY_MS
const SECRET_CHARS = 43
const MAX_USER_AGENT_CHARS = 512
const pattern = /^(([0-9a-f]{32})_refresh_[\w-]{43})_([\w-]{43})$/

/**
 * Creates the first refresh token of a session: `<session id, 32 hex>_refresh_<43 characters>_<tag>`. The tag is a MAC: it
 * distinguishes a token that was used before, at any age, from a forged one, which must not end the session.
 */
export const createRefreshToken = (signing: Signing, sessionId: string): RefreshToken =>
  tagToken(signing, sessionId, randomBase62(SECRET_CHARS))

/** Returns the token that follows one: the same for each use of it. Only the root secret can derive it. */
export const nextRefreshToken = (signing: Signing, sessionId: string, token: string): RefreshToken =>
  tagToken(signing, sessionId, signing.successorSecret(token))

interface RefreshToken {
  token: string
  /** As stored. */
  hash: string
}

function tagToken(signing: Signing, sessionId: string, secret: string): RefreshToken {
  const body = `${sessionId.replaceAll('-', '')}_refresh_${secret}`
  const token = `${body}_${signing.refreshTag(body)}`
  return { token, hash: hashToken(token) }
}

/** @returns null unless the service created the token */
export function readRefreshToken(signing: Signing, token: string): { sessionId: string; hash: string } | null {
  const [, body = '', id = '', tag = ''] = pattern.exec(token) ?? []
  if (!body || !signing.isRefreshTag(body, tag)) return null
  return { sessionId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), hash: hashToken(token) }
}

const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

/** Begins a session for an administrator whose password has been verified. */
export async function beginSession(ctx: Context, tx: Transaction, administratorId: string) {
  const id = Bun.randomUUIDv7()
  const { token: refreshToken, hash: refreshHash } = createRefreshToken(ctx.signing, id)
  const now = ctx.clock()
  const session = await tx.signInSession.create({
    data: {
      id,
      administratorId,
      refreshHash,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + SESSION_MS),
      address: ctx.address,
      userAgent: ctx.userAgent?.slice(0, MAX_USER_AGENT_CHARS) ?? null,
    },
  })
  return { session, refreshToken }
}

/**
 * Ends the sessions that match. Their tokens are refused after the commit. With `administratorId`, so are all tokens of
 * another issuer that were issued to the administrator before, and their sign-in links.
 * @returns number of ended sessions
 */
export async function endSessions(
  { clock }: Pick<Context, 'clock'>,
  tx: Transaction,
  where: { id?: Prisma.SignInSessionWhereInput['id']; administratorId?: string },
): Promise<number> {
  const now = clock()
  const { administratorId } = where
  if (administratorId !== undefined) {
    await endExternalTokens({ clock }, tx, administratorId)
    await tx.signInLink.deleteMany({ where: { administratorId } })
  }
  const { count } = await tx.signInSession.updateMany({
    where: { ...where, revokedAt: null, expiresAt: { gt: now } },
    data: { revokedAt: now },
  })
  return count
}

/** Refuses all tokens of another issuer that were issued to an administrator before, from the commit on. */
export async function endExternalTokens(
  { clock }: Pick<Context, 'clock'>,
  tx: Transaction,
  administratorId: string,
): Promise<void> {
  await tx.administrator.update({ where: { id: administratorId }, data: { tokensEndedAt: clock() } })
}
