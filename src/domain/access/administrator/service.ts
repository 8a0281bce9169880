import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Administrator, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { AdministratorRole } from '../../../platform/db/generated/client/enums.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound, violates } from '../../../platform/errors.ts'
import { hashPassword } from '../../../platform/identity/password.ts'
import { parse } from '../../../platform/schema/parse.ts'
import { endSessions } from '../session.ts'
import { forgetAttempts } from '../throttle.ts'
import { ownerScope, personScope } from '../viewer.ts'
import { generatePassword } from './generate-password.ts'
import { administratorEmail, type CreateAdministrator, type UpdateAdministrator } from './record.ts'

/** An administrator with a new password. The password is not stored and cannot be read again. */
export interface NewPassword {
  administrator: Administrator
  password: string
}

/** @param query the part of the list, its order and the columns to read */
export const findAdministrators = (ctx: Context, query: Query<'Administrator'>) =>
  ctx.reader.readMany('Administrator', { ...query, where: administratorWhere(ctx) }, ctx.signal)

export const countAdministrators = (ctx: Context) =>
  ctx.reader.count('Administrator', administratorWhere(ctx), ctx.signal)

/** @throws AppError `not_found` */
export async function getAdministrator(ctx: Context, id: string, query: Query<'Administrator'> = {}) {
  const where = { AND: [administratorWhere(ctx), { id }] }
  const administrator = await ctx.reader.readFirst('Administrator', { ...query, where }, ctx.signal)
  if (!administrator) throw notFound('administratorId')
  return administrator
}

const administratorWhere = (ctx: Context): Prisma.AdministratorWhereInput => ({
  organizationId: personScope(ctx).organizationId,
})

/** The signed-in administrator; null if they have just been deleted. */
export const getSelf = (ctx: Context): Promise<Administrator | null> =>
  ctx.db.administrator.findUnique({ where: { id: personScope(ctx).administratorId } })

/**
 * Creates an administrator with a generated password. Owners only.
 * @throws AppError `email_taken`
 */
export async function createAdministrator(ctx: Context, input: CreateAdministrator): Promise<NewPassword> {
  const { organizationId } = ownerScope(ctx)
  return insertAdministrator(ctx, organizationId, input)
}

/**
 * Creates an administrator for an operator or at the first start, without a viewer.
 * @throws AppError `email_taken`
 */
export async function insertAdministrator(
  { db }: Pick<Services, 'db'>,
  organizationId: string,
  input: CreateAdministrator,
): Promise<NewPassword> {
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  try {
    return {
      administrator: await db.administrator.create({ data: { ...input, organizationId, passwordHash } }),
      password,
    }
  } catch (error) {
    throw isEmailTaken(error) ? emailTaken(error) : error
  }
}

/** Whether an insertion failed because another administrator has the address. */
export const isEmailTaken = (error: unknown): boolean =>
  violates(error, 'administrator_email_taken') || violates(error, 'email')

export const emailTaken = (cause?: unknown) => {
  const rule = 'is already the address of an administrator'
  return new AppError('email_taken', '', { fields: [{ field: 'email', rule }], cause })
}

/**
 * Changes the role or the access of an administrator. Ends their sessions and invitations if they lose rights. Owners only.
 * @throws AppError `last_owner` if no enabled owner would remain; `not_found`
 */
export async function updateAdministrator(
  ctx: Context,
  id: string,
  { role, isDisabled }: UpdateAdministrator,
): Promise<Administrator> {
  return changeAdministrator(ctx, id, async (tx, before) => {
    const disabledAt =
      isDisabled === undefined ? before.disabledAt : isDisabled ? (before.disabledAt ?? ctx.clock()) : null
    const after = await tx.administrator.update({ where: { id: before.id }, data: { role, disabledAt } })
    const losesAccess =
      rank[after.role] < rank[before.role] || (after.disabledAt !== null && before.disabledAt === null)
    if (losesAccess) {
      await endSessions(ctx, tx, { administratorId: before.id })
      // A person could come back with an invitation of their own.
      await tx.invitation.deleteMany({ where: { createdById: before.id } })
    }
    return after
  })
}

/**
 * Deletes an administrator and their sessions. Owners only.
 * @returns the administrator before the deletion
 * @throws AppError `last_owner`, `not_found`
 */
export const deleteAdministrator = (ctx: Context, id: string): Promise<Administrator> =>
  changeAdministrator(ctx, id, (tx) => tx.administrator.delete({ where: { id } }))

/** Sets a new generated password, removes the passkeys and ends the sessions of the administrator. Owners only. */
export async function resetAdministratorPassword(ctx: Context, id: string): Promise<NewPassword> {
  ownerScope(ctx)
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  const administrator = await changeAdministrator(ctx, id, (tx) => setPassword(ctx, tx, id, passwordHash))
  return { administrator, password }
}

/**
 * Sets a new generated password, removes the passkeys and ends the sessions of the administrator. For operators: no viewer is checked.
 * @throws AppError `not_found`, `invalid_input`
 */
export async function resetPasswordByEmail(services: Services, email: string): Promise<NewPassword> {
  const { id } = await findAdministrator(services, email)
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  const administrator = await services.db.$transaction((tx) => setPassword(services, tx, id, passwordHash))
  return { administrator, password }
}

async function setPassword(
  services: Pick<Services, 'clock'>,
  tx: Transaction,
  id: string,
  passwordHash: string,
): Promise<Administrator> {
  const administrator = await tx.administrator.update({ where: { id }, data: { passwordHash } })
  // The password is set again when an account was taken over, and a passkey of a stranger would outlive it.
  await tx.passkey.deleteMany({ where: { administratorId: id } })
  await endSessions(services, tx, { administratorId: id })
  return administrator
}

/**
 * Removes the second factor of another administrator and ends their sessions. Owners only.
 * @throws AppError `forbidden` for the own one, which requires the password and a code
 */
export async function removeSecondFactor(ctx: Context, id: string): Promise<Administrator> {
  if (ownerScope(ctx).administratorId === id) {
    throw new AppError(
      'forbidden',
      'Your own second factor is removed with your password and a code (disableSecondFactor).',
    )
  }
  const administrator = await changeAdministrator(ctx, id, (tx) => endSecondFactor(ctx, tx, id))
  ctx.log.info(
    { administratorId: id, byAdministratorId: ownerScope(ctx).administratorId },
    'a second factor was removed',
  )
  return administrator
}

/**
 * Removes the second factor of an administrator and ends their sessions. For operators: no viewer is checked.
 * @throws AppError `not_found`, `invalid_input`
 */
export async function removeSecondFactorByEmail(services: Services, email: string): Promise<Administrator> {
  const { id } = await findAdministrator(services, email)
  const administrator = await services.db.$transaction((tx) => endSecondFactor(services, tx, id))
  services.log.info({ administratorId: id }, 'a second factor was removed')
  return administrator
}

async function endSecondFactor(services: Pick<Services, 'clock'>, tx: Transaction, id: string): Promise<Administrator> {
  const administrator = await tx.administrator.update({
    where: { id },
    data: { sealedTotpSecret: null, totpStep: null },
  })
  await tx.recoveryCode.deleteMany({ where: { administratorId: id } })
  await endSessions(services, tx, { administratorId: id })
  return administrator
}

/**
 * Lifts the limit on wrong passwords for an administrator. For operators: no viewer is checked.
 * @throws AppError `not_found`, `invalid_input`
 */
export async function unlock(services: Services, email: string): Promise<Administrator> {
  const administrator = await findAdministrator(services, email)
  await forgetAttempts(services, administrator.email)
  return administrator
}

/** Returns the administrator with an email address, in any case. For operators: no viewer is checked. */
export async function findAdministrator({ db }: Services, rawEmail: string): Promise<Administrator> {
  const { email } = parse(administratorEmail, { email: rawEmail })
  const administrator = await db.administrator.findUnique({ where: { email } })
  if (!administrator) throw notFound('email')
  return administrator
}

/** The administrators of an organization, oldest first. For operators: no viewer is checked. */
export const listOrganizationAdministrators = ({ db }: Services, organizationId: string): Promise<Administrator[]> =>
  db.administrator.findMany({ where: { organizationId }, orderBy: { id: 'asc' }, take: MAX_LISTED })

const MAX_LISTED = 10_000

const rank: Record<AdministratorRole, number> = { viewer: 0, admin: 1, owner: 2 }

/**
 * Locks the administrators of an organization: changes run one at a time, so that each sees the owners that remain. New
 * records of the organization take KEY SHARE locks, which do not conflict.
 */
export async function lockAdministrators(tx: Transaction, organizationId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM organization WHERE id = ${organizationId}::uuid FOR NO KEY UPDATE`
}

/** Changes an administrator. @throws AppError `last_owner` if no enabled owner remains; `not_found` */
async function changeAdministrator<T>(
  ctx: Context,
  id: string,
  change: (tx: Transaction, before: Administrator) => Promise<T>,
): Promise<T> {
  const { organizationId } = ownerScope(ctx)
  return ctx.db.$transaction(async (tx) => {
    await lockAdministrators(tx, organizationId)
    const before = await tx.administrator.findFirst({ where: { id, organizationId } })
    if (!before) throw notFound('administratorId')
    const result = await change(tx, before)
    const owner = await tx.administrator.findFirst({
      where: { organizationId, role: 'owner', disabledAt: null },
      select: { id: true },
    })
    if (!owner) throw new AppError('last_owner', 'An organization must have at least one owner who may sign in.')
    return result
  })
}
