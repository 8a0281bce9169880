import type { Context } from '../../../platform/context.ts'
import type { Administrator, SignInSession } from '../../../platform/db/generated/client/client.ts'
import { notFound } from '../../../platform/errors.ts'
import { endSessions } from '../session.ts'
import { personScope, unauthenticated } from '../viewer.ts'
import type { UpdateAccount } from './record.ts'

/** Maximum number of sessions that are listed. */
export const MAX_LISTED_SESSIONS = 100

/** The signed-in administrator. @throws AppError `unauthenticated` if they have just been deleted */
export async function getAccount(ctx: Context): Promise<Administrator> {
  const administrator = await ctx.db.administrator.findUnique({ where: { id: personScope(ctx).administratorId } })
  if (!administrator) throw unauthenticated()
  return administrator
}

/** The sessions of the signed-in administrator that have not ended, the one used last first. */
export const findOwnSessions = (ctx: Context): Promise<SignInSession[]> =>
  ctx.db.signInSession.findMany({
    where: { administratorId: personScope(ctx).administratorId, revokedAt: null, expiresAt: { gt: ctx.clock() } },
    orderBy: [{ lastUsedAt: 'desc' }, { id: 'desc' }],
    take: MAX_LISTED_SESSIONS,
  })

/** Changes what administrators of any role may change about themselves. */
export async function updateAccount(ctx: Context, { name }: UpdateAccount): Promise<Administrator> {
  const { administratorId: id } = personScope(ctx)
  const { count } = await ctx.db.administrator.updateMany({ where: { id }, data: { name } })
  if (count === 0) throw unauthenticated()
  return getAccount(ctx)
}

/**
 * Ends one session of the signed-in administrator.
 * @returns number of ended sessions
 * @throws AppError `not_found` for one that has ended, and for those of others
 */
export async function endOwnSession(ctx: Context, id: string): Promise<number> {
  const { administratorId } = personScope(ctx)
  // Tokens of another issuer are no part of a session, and stay valid.
  const ownSession = await ctx.db.signInSession.findFirst({ where: { id, administratorId }, select: { id: true } })
  const count = ownSession ? await endSessions(ctx, ctx.db, { id }) : 0
  if (count === 0) throw notFound('id')
  return count
}
