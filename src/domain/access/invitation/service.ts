import { createHash } from 'node:crypto'
import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Administrator, Invitation } from '../../../platform/db/generated/client/client.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { hashPassword } from '../../../platform/identity/password.ts'
import { DAY_MS } from '../../../platform/time.ts'
import { emailTaken, isEmailTaken, lockAdministrators } from '../administrator/service.ts'
import { randomBase62 } from '../key/key.ts'
import { beginSession } from '../session.ts'
import type { SignedIn } from '../sign-in/service.ts'
import { issueToken } from '../sign-in/token.ts'
import { ownerScope } from '../viewer.ts'
import { type AcceptInvitation, type CreateInvitation, MAX_INVITATIONS } from './record.ts'

/** Page of the studio. The token is in its fragment, which browsers send to no server. */
const PAGE_PATH = '/studio/invitation'
const TOKEN_CHARS = 43

/** An invitation with the administrator who created it. */
export type InvitationRow = Invitation & { createdBy: Administrator }

/** An invitation as its link shows it. */
export type OpenInvitation = Pick<Invitation, 'email' | 'role' | 'expiresAt'> & { organizationName: string }

const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

/** The invitations of the organization that may be accepted, newest first. Owners only. */
export const findInvitations = (ctx: Context): Promise<InvitationRow[]> =>
  ctx.db.invitation.findMany({
    where: { organizationId: ownerScope(ctx).organizationId, expiresAt: { gt: ctx.clock() } },
    include: { createdBy: true },
    orderBy: { id: 'desc' },
    take: MAX_INVITATIONS,
  })

/**
 * Creates a link with which a person becomes an administrator. Replaces an earlier invitation of the same address. Owners
 * only.
 * @returns the link, which is shown once
 * @throws AppError `email_taken`, `limit_reached`
 */
export async function createInvitation(
  ctx: Context,
  { email, role, validDays }: CreateInvitation,
): Promise<{ invitation: InvitationRow; link: string }> {
  const { organizationId, administratorId: createdById } = ownerScope(ctx)
  const token = randomBase62(TOKEN_CHARS)
  const now = ctx.clock()
  const invitation = await ctx.db.$transaction(async (tx) => {
    await lockAdministrators(tx, organizationId)
    // The right may have been lost since the request was authenticated, and with it all invitations.
    const isOwner = { id: createdById, role: 'owner', disabledAt: null } as const
    if ((await tx.administrator.count({ where: isOwner })) === 0) throw new AppError('forbidden', 'Owners only.')
    if ((await tx.administrator.count({ where: { email } })) > 0) throw emailTaken()
    await tx.invitation.deleteMany({ where: { organizationId, OR: [{ email }, { expiresAt: { lte: now } }] } })
    if ((await tx.invitation.count({ where: { organizationId } })) >= MAX_INVITATIONS) {
      throw new AppError(
        'limit_reached',
        `An organization has at most ${MAX_INVITATIONS} invitations. Revoke others first.`,
      )
    }
    return tx.invitation.create({
      data: {
        organizationId,
        createdById,
        email,
        role,
        hash: hashToken(token),
        createdAt: now,
        expiresAt: new Date(now.getTime() + validDays * DAY_MS),
      },
      include: { createdBy: true },
    })
  })
  ctx.log.info({ invitationId: invitation.id, role, administratorId: createdById }, 'an invitation was created')
  return { invitation, link: `${ctx.config.publicUrl}${PAGE_PATH}#${token}` }
}

/** Ends an invitation: its link opens nothing. Owners only. @throws AppError `not_found` */
export async function revokeInvitation(ctx: Context, id: string): Promise<InvitationRow> {
  const { organizationId, administratorId } = ownerScope(ctx)
  const invitation = await ctx.db.invitation.findFirst({ where: { id, organizationId }, include: { createdBy: true } })
  const { count } = await ctx.db.invitation.deleteMany({ where: { id, organizationId } })
  if (!invitation || count === 0) throw notFound('invitationId')
  ctx.log.info({ invitationId: id, administratorId }, 'an invitation was revoked')
  return invitation
}

/**
 * Reads the invitation of a link, for its page. Requires no viewer: the token is the permission.
 * @throws AppError `expired`
 */
export async function openInvitation(ctx: Context, token: string): Promise<OpenInvitation> {
  const { organization, email, role, expiresAt } = await findOpen(ctx, token)
  return { email, role, expiresAt, organizationName: organization.name }
}

/**
 * Creates the administrator of an invitation, which ends, and begins a session. Requires no viewer: the token is the
 * permission.
 * @throws AppError `expired`, the same for an unknown, used, revoked and expired one; `email_taken`
 */
export async function acceptInvitation(ctx: Context, { token, name, password }: AcceptInvitation): Promise<SignedIn> {
  const { id, organizationId } = await findOpen(ctx, token)
  const passwordHash = await hashPassword(password)
  const { administrator, session, refreshToken } = await ctx.db.$transaction(async (tx) => {
    await lockAdministrators(tx, organizationId)
    const { email, role } = await spendInvitation(ctx, tx, id)
    const data = { organizationId, email, role, name: name ?? null, passwordHash, lastSignInAt: ctx.clock() }
    const administrator = await tx.administrator.create({ data }).catch((error: unknown) => {
      throw isEmailTaken(error) ? emailTaken(error) : error
    })
    return { ...(await beginSession(ctx, tx, administrator.id)), administrator }
  })
  ctx.log.info(
    { invitationId: id, administratorId: administrator.id, address: ctx.address },
    'an invitation was accepted',
  )
  const issued = await issueToken(ctx, administrator, session.id)
  return { ...issued, refreshToken, refreshExpiresAt: session.expiresAt, administrator }
}

/** Deletes an invitation that may be accepted: of two concurrent uses one succeeds. */
async function spendInvitation({ clock }: Pick<Services, 'clock'>, tx: Transaction, id: string): Promise<Invitation> {
  const invitation = await tx.invitation.findFirst({ where: { id, expiresAt: { gt: clock() } } })
  const { count } = await tx.invitation.deleteMany({ where: { id } })
  if (!invitation || count === 0) throw invitationEnded()
  return invitation
}

async function findOpen({ db, clock }: Context, token: string) {
  const invitation = await db.invitation.findFirst({
    where: { hash: hashToken(token), expiresAt: { gt: clock() } },
    include: { organization: { select: { name: true } } },
  })
  if (!invitation) throw invitationEnded()
  return invitation
}

const invitationEnded = () => new AppError('expired', 'The invitation was used or revoked, or has expired.')
