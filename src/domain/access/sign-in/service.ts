import type { Context } from '../../../platform/context.ts'
import type { Administrator } from '../../../platform/db/generated/client/client.ts'
import { AppError, invalidInput } from '../../../platform/errors.ts'
import { parse } from '../../../platform/schema/input.ts'
import { hashPassword, isPassword } from '../administrator/password.ts'
import { changePasswordInput } from '../administrator/schema.ts'
import { personScope, unauthenticated } from '../viewer.ts'
import { refreshInput, signInInput } from './schema.ts'
import { beginSession, createRefreshToken, endSessions, readRefreshToken } from './session.ts'
import { countAttempt } from './throttle.ts'
import { issueToken } from './token.ts'

/** What a person who signed in holds. */
export interface SignedIn {
  token: string
  expiresAt: Date
  refreshToken: string
  refreshExpiresAt: Date
  administrator: Administrator
}

/**
 * Exchanges an administrator's password for an access token and a refresh token, and begins a session.
 * @throws AppError `unauthenticated`, the same for an unknown address, a wrong password and somebody who is disabled;
 *   `rate_limited`
 */
export async function signIn(ctx: Context, raw: unknown): Promise<SignedIn> {
  const { email, password } = parse(signInInput, raw)
  const attempt = await countAttempt(ctx, email)
  const wrong = () => new AppError('unauthenticated', 'The email address or the password is wrong.')
  const found = await ctx.db.administrator.findUnique({ where: { email } })
  const passwordHash = found && !found.disabledAt ? found.passwordHash : null
  if (!(await isPassword(password, passwordHash)) || !found || passwordHash === null) throw wrong()
  const { id } = found
  const { session, refreshToken, administrator } = await ctx.db.$transaction(async (tx) => {
    // Conditional on what was checked, and locks the row: whoever takes the password or the access away meanwhile
    // either comes first and is seen here, or comes second and ends this session, too.
    const { count } = await tx.administrator.updateMany({
      where: { id, passwordHash, disabledAt: null },
      data: { lastSignInAt: ctx.clock() },
    })
    if (count === 0) throw wrong()
    const administrator = await tx.administrator.findUniqueOrThrow({ where: { id } })
    return { ...(await beginSession(ctx, tx, id)), administrator }
  })
  await attempt.succeeded()
  const issued = await issueToken(ctx, administrator, session.id)
  return { ...issued, refreshToken, refreshExpiresAt: session.expiresAt, administrator }
}

/**
 * Exchanges a refresh token for new ones. Each works once, without any grace: of several who show the same one, one
 * gets new tokens, and the next ends the session for all of them, since one of the two has stolen it (RFC 9700, 4.14).
 * @throws AppError `unauthenticated`
 */
export async function refreshSignIn(ctx: Context, raw: unknown): Promise<SignedIn> {
  const shown = readRefreshToken(ctx.signing, parse(refreshInput, raw).refreshToken)
  const refused = () => new AppError('unauthenticated', 'refreshToken: must be one that is valid and was not used')
  if (!shown) throw refused()
  const { sessionId, hash } = shown
  const next = createRefreshToken(ctx.signing, sessionId)
  const now = ctx.clock()
  const refreshed = await ctx.db.$transaction(async (tx) => {
    // No condition may look at another table: repeated for a row that was changed meanwhile, it would see the old one.
    const { count } = await tx.signInSession.updateMany({
      where: { id: sessionId, refreshHash: hash, revokedAt: null, expiresAt: { gt: now } },
      data: { refreshHash: next.hash, lastUsedAt: now },
    })
    if (count === 0) return null
    const session = await tx.signInSession.findUniqueOrThrow({
      where: { id: sessionId },
      include: { administrator: true },
    })
    return session.administrator.disabledAt ? null : session
  })
  if (!refreshed) {
    const count = await endSessions(ctx, ctx.db, { id: sessionId })
    if (count > 0) ctx.log.warn({ sessionId, address: ctx.address }, 'a refresh token was used twice')
    throw refused()
  }
  const { administrator, expiresAt: refreshExpiresAt } = refreshed
  const issued = await issueToken(ctx, administrator, sessionId)
  return { ...issued, refreshToken: next.token, refreshExpiresAt, administrator }
}

/** Ends the session that the present token belongs to. @returns how many ended: none where another issuer signed it */
export async function signOut(ctx: Context): Promise<number> {
  const { sessionId } = personScope(ctx)
  return sessionId === null ? 0 : endSessions(ctx, ctx.db, { id: sessionId })
}

/** Ends every session of the person who asks. @returns how many ended */
export async function signOutEverywhere(ctx: Context): Promise<number> {
  const { administratorId } = personScope(ctx)
  return endSessions(ctx, ctx.db, { administratorId })
}

/**
 * Changes the password of the person who asks, and ends their other sessions. Tries count as those of `signIn` do.
 * @throws AppError `invalid_input` for a wrong or unfit password, `rate_limited`
 */
export async function changePassword(ctx: Context, raw: unknown): Promise<Administrator> {
  const { administratorId: id, sessionId } = personScope(ctx)
  const { currentPassword, newPassword } = parse(changePasswordInput, raw)
  const administrator = await ctx.db.administrator.findUnique({ where: { id } })
  if (!administrator) throw unauthenticated()
  const attempt = await countAttempt(ctx, administrator.email)
  const wrong = () => invalidInput('currentPassword', 'is not the present password')
  if (!(await isPassword(currentPassword, administrator.passwordHash))) throw wrong()
  const passwordHash = await hashPassword(newPassword)
  const changed = await ctx.db.$transaction(async (tx) => {
    const unchanged = { id, passwordHash: administrator.passwordHash, disabledAt: null }
    const { count } = await tx.administrator.updateMany({ where: unchanged, data: { passwordHash } })
    if (count === 0) throw wrong()
    await endSessions(ctx, tx, { administratorId: id, ...(sessionId && { id: { not: sessionId } }) })
    return tx.administrator.findUniqueOrThrow({ where: { id } })
  })
  await attempt.succeeded()
  return changed
}
