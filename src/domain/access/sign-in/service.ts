import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Administrator, Prisma, SignInSession } from '../../../platform/db/generated/client/client.ts'
import { AppError, invalidInput } from '../../../platform/errors.ts'
import type { IssuerAnswer } from '../../../platform/identity/oidc-client.ts'
import { hashPassword, isPassword } from '../../../platform/identity/password.ts'
import type { ChangePassword } from '../administrator/record.ts'
import { spendCode } from '../second-factor/spend-code.ts'
import { beginSession, endExternalTokens, endSessions, nextRefreshToken, readRefreshToken } from '../session.ts'
import { type Attempt, countAttempt } from '../throttle.ts'
import { personScope, unauthenticated } from '../viewer.ts'
import { type ExternalRefusal, findByClaims } from './external-person.ts'
import type { SignIn } from './record.ts'
import { issueToken } from './token.ts'

/** An administrator with the tokens of their session. */
export interface SignedIn {
  token: string
  expiresAt: Date
  refreshToken: string
  refreshExpiresAt: Date
  administrator: Administrator
}

/**
 * Exchanges an administrator's password, and a code if they have a second factor, for an access token and a refresh token,
 * and begins a session.
 * @throws AppError `unauthenticated`, the same for an unknown address, a wrong password and a disabled administrator;
 *   `second_factor_required` for the right password without a code, `second_factor_invalid`; `rate_limited`
 */
export async function signIn(ctx: Context, { email, password, code }: SignIn): Promise<SignedIn> {
  const attempt = await countAttempt(ctx, email)
  const wrong = () => {
    ctx.metrics.signInFailures.inc({ reason: 'wrong' })
    return new AppError('unauthenticated', 'The email address or the password is wrong.')
  }
  const administratorRow = await ctx.db.administrator.findUnique({ where: { email } })
  const passwordHash = administratorRow && !administratorRow.disabledAt ? administratorRow.passwordHash : null
  if (!(await isPassword(password, passwordHash)) || !administratorRow || passwordHash === null) throw wrong()
  return beginProven(ctx, administratorRow, { attempt, code, where: { passwordHash }, refuse: wrong })
}

/** The proof of an administrator before the second factor. */
interface Proof {
  attempt: Attempt
  /** Of the second factor. */
  code: string | null | undefined
  /** Columns that were read for the proof, and must not have changed since. */
  where?: Prisma.AdministratorWhereInput
  /** Returns why there is no session when it has changed. */
  refuse: () => AppError
  /** Spends what works once. Runs in the transaction that begins the session. */
  spend?: (tx: Transaction) => Promise<void>
}

/**
 * Begins a session for an administrator who has proven who they are, with a code if they have a second factor.
 * @throws AppError `second_factor_required`, `second_factor_invalid`; that of `refuse`; errors of `spend`
 */
export async function beginProven(
  ctx: Context,
  administratorRow: Administrator,
  { attempt, code, where = {}, refuse, spend }: Proof,
): Promise<SignedIn> {
  const { id, sealedTotpSecret } = administratorRow
  if (sealedTotpSecret !== null && !code) {
    await attempt.undo()
    throw new AppError('second_factor_required', 'A code of the second factor is required.')
  }
  const { session, refreshToken, administrator } = await ctx.db.$transaction(async (tx) => {
    // Conditional on the proof and the second factor that were checked, and locks the row: a concurrent change of password or access either
    // committed before and is seen here, or commits after and ends this session as well.
    const { count } = await tx.administrator.updateMany({
      where: { ...where, id, sealedTotpSecret, disabledAt: null },
      data: { lastSignInAt: ctx.clock() },
    })
    if (count === 0) throw refuse()
    await spend?.(tx)
    if (code && !(await spendCode(ctx, tx, administratorRow, code))) {
      ctx.metrics.signInFailures.inc({ reason: 'code' })
      throw new AppError('second_factor_invalid', 'The code is wrong, too old or was used before.')
    }
    const administrator = await tx.administrator.findUniqueOrThrow({ where: { id } })
    return { ...(await beginSession(ctx, tx, id)), administrator }
  })
  await attempt.succeeded()
  const issued = await issueToken(ctx, administrator, session.id)
  return { ...issued, refreshToken, refreshExpiresAt: session.expiresAt, administrator }
}

/**
 * Begins a session for the administrator whom an ID token of the issuer names.
 * @param answer with an ID token that was issued to the client of the sign-in pages
 * @returns why there is no session: `invalid` for a token that is not one of the issuer for this client
 * @throws AppError `unavailable` while the issuer's keys cannot be fetched
 */
export async function signInByIssuer(
  ctx: Context,
  { idToken, userInfo }: IssuerAnswer,
): Promise<{ refreshToken: string } | ExternalRefusal | 'invalid'> {
  const verified = await ctx.oidc?.verify(idToken, ctx.config.oidc?.client?.id)
  if (!verified) return 'invalid'
  const administrator = await findByClaims(ctx, { ...userInfo, ...verified.claims })
  if (typeof administrator === 'string') return administrator
  const { id } = administrator
  return ctx.db.$transaction(async (tx) => {
    // Conditional, and locks the row: access that is removed at the same time ends this session as well.
    const { count } = await tx.administrator.updateMany({
      where: { id, disabledAt: null },
      data: { lastSignInAt: ctx.clock() },
    })
    if (count === 0) return 'unknown_address'
    const { refreshToken } = await beginSession(ctx, tx, id)
    return { refreshToken }
  })
}

/** Time after its first use in which a refresh token gets the same successor, in milliseconds. */
export const REPEAT_MS = 10_000

/**
 * Exchanges a refresh token for new tokens. Each refresh token works once. For 10 seconds it gets the same successor again:
 * the answer may have been lost, or two tabs may have used it at once. A later use ends the session, because one of the
 * two clients has stolen the token (RFC 9700, section 4.14; decision 0068).
 * @throws AppError `unauthenticated`
 */
export async function refreshSignIn(ctx: Context, refreshToken: string): Promise<SignedIn> {
  const parsed = readRefreshToken(ctx.signing, refreshToken)
  const invalid = () => new AppError('unauthenticated', 'refreshToken: must be valid and unused')
  if (!parsed) throw invalid()
  const { sessionId, hash } = parsed
  const next = nextRefreshToken(ctx.signing, sessionId, refreshToken)
  const now = ctx.clock()
  const refreshed = await ctx.db.$transaction(async (tx) => {
    // The condition must not read another table: PostgreSQL evaluates it again for a row that changed concurrently, and
    // would use the old snapshot of that table.
    const { count } = await tx.signInSession.updateMany({
      where: { id: sessionId, refreshHash: hash, revokedAt: null, expiresAt: { gt: now } },
      data: { refreshHash: next.hash, lastUsedAt: now },
    })
    const session = await tx.signInSession.findUnique({ where: { id: sessionId }, include: { administrator: true } })
    if (!session || (count === 0 && !isRepeat(session, next.hash, now))) return 'unknown'
    return session.administrator.disabledAt ? 'disabled' : session
  })
  if (refreshed === 'unknown' || refreshed === 'disabled') {
    const count = await endSessions(ctx, ctx.db, { id: sessionId })
    const refusal = { sessionId, address: ctx.address }
    if (refreshed === 'disabled') ctx.log.info(refusal, 'a disabled administrator tried to renew a session')
    else if (count > 0) ctx.log.warn(refusal, 'a refresh token was used twice')
    throw invalid()
  }
  const { administrator, expiresAt: refreshExpiresAt } = refreshed
  const issued = await issueToken(ctx, administrator, sessionId)
  return { ...issued, refreshToken: next.token, refreshExpiresAt, administrator }
}

/** Whether the last token of a session was exchanged for this one a moment ago. */
const isRepeat = ({ refreshHash, lastUsedAt, revokedAt, expiresAt }: SignInSession, hash: string, now: Date) =>
  refreshHash === hash && revokedAt === null && expiresAt > now && now.getTime() - lastUsedAt.getTime() < REPEAT_MS

/**
 * Ends the session of the current token. A token of another issuer has none: all such tokens that were issued to the
 * administrator before are refused from then on, and the sessions of this service go on.
 * @returns number of ended sessions
 */
export async function signOut(ctx: Context): Promise<number> {
  const { administratorId, sessionId } = personScope(ctx)
  if (sessionId !== null) return endSessions(ctx, ctx.db, { id: sessionId })
  await endExternalTokens(ctx, ctx.db, administratorId)
  return 0
}

/** Ends every session of the signed-in administrator. @returns number of ended sessions */
export async function signOutEverywhere(ctx: Context): Promise<number> {
  const { administratorId } = personScope(ctx)
  return endSessions(ctx, ctx.db, { administratorId })
}

/**
 * Changes the password of the signed-in administrator and ends their other sessions. Attempts are limited like those of
 * `signIn`.
 * @throws AppError `invalid_input` for a wrong current password; `rate_limited`
 */
export async function changePassword(
  ctx: Context,
  { currentPassword, newPassword }: ChangePassword,
): Promise<Administrator> {
  const { administratorId: id, sessionId } = personScope(ctx)
  const administrator = await ctx.db.administrator.findUnique({ where: { id } })
  if (!administrator) throw unauthenticated()
  const attempt = await countAttempt(ctx, administrator.email)
  const wrong = () => invalidInput('currentPassword', 'is not the current password')
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
