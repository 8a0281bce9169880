import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Administrator, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { AdministratorRole } from '../../../platform/db/generated/client/enums.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound, violates } from '../../../platform/errors.ts'
import { parse } from '../../../platform/schema/input.ts'
import { endSessions } from '../sign-in/session.ts'
import { forgetAttempts } from '../sign-in/throttle.ts'
import { ownerScope, personScope } from '../viewer.ts'
import { generatePassword, hashPassword } from './password.ts'
import { administratorEmail, administratorId, createAdministratorInput, updateAdministratorInput } from './schema.ts'

/** An administrator, and a password that is known only now. */
export interface NewPassword {
  administrator: Administrator
  password: string
}

/** The administrators of the organization. `query` says which part of the list, in which order, and what of each. */
export const findAdministrators = (ctx: Context, query: Query<'Administrator'>) =>
  ctx.reader.readMany('Administrator', { ...query, where: ownColleagues(ctx) }, ctx.signal)

export const countAdministrators = (ctx: Context) => ctx.reader.count('Administrator', ownColleagues(ctx), ctx.signal)

const ownColleagues = (ctx: Context): Prisma.AdministratorWhereInput => ({
  organizationId: personScope(ctx).organizationId,
})

/** The person who asks; null in the moment in which somebody removes them. */
export const getSelf = (ctx: Context): Promise<Administrator | null> =>
  ctx.db.administrator.findUnique({ where: { id: personScope(ctx).administratorId } })

/**
 * Makes a person who may sign in. Owners only.
 * @throws AppError `email_taken`, `invalid_input`
 */
export async function createAdministrator(ctx: Context, raw: unknown): Promise<NewPassword> {
  const { organizationId } = ownerScope(ctx)
  return insertAdministrator(ctx, organizationId, raw)
}

/**
 * The same for operators and the first start: no viewer is asked.
 * @throws AppError `email_taken`, `invalid_input`
 */
export async function insertAdministrator(
  { db }: Pick<Services, 'db'>,
  organizationId: string,
  raw: unknown,
): Promise<NewPassword> {
  const input = parse(createAdministratorInput, raw)
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  try {
    return {
      administrator: await db.administrator.create({ data: { ...input, organizationId, passwordHash } }),
      password,
    }
  } catch (error) {
    if (!violates(error, 'administrator_email_taken') && !violates(error, 'email')) throw error
    const rule = 'is already the address of an administrator'
    throw new AppError('email_taken', '', { fields: [{ field: 'email', rule }], cause: error })
  }
}

/**
 * Changes role and access of an administrator. Losing either ends their sessions at once. Owners only.
 * @throws AppError `last_owner` where nobody would be left who may undo it; `not_found`, `invalid_input`
 */
export async function updateAdministrator(ctx: Context, id: string, raw: unknown): Promise<Administrator> {
  const { role, isDisabled } = parse(updateAdministratorInput, raw)
  return changeStaff(ctx, id, async (tx, before) => {
    const disabledAt =
      isDisabled === undefined ? before.disabledAt : isDisabled ? (before.disabledAt ?? ctx.clock()) : null
    const after = await tx.administrator.update({ where: { id: before.id }, data: { role, disabledAt } })
    const losesAccess =
      rank[after.role] < rank[before.role] || (after.disabledAt !== null && before.disabledAt === null)
    if (losesAccess) await endSessions(ctx, tx, { administratorId: before.id })
    return after
  })
}

/**
 * Removes an administrator and their sessions. Owners only.
 * @returns the administrator as they were
 * @throws AppError `last_owner`, `not_found`
 */
export const deleteAdministrator = (ctx: Context, id: string): Promise<Administrator> =>
  changeStaff(ctx, id, (tx, { id: known }) => tx.administrator.delete({ where: { id: known } }))

/** Gives an administrator a new password and ends their sessions. Owners only. */
export async function resetAdministratorPassword(ctx: Context, id: string): Promise<NewPassword> {
  ownerScope(ctx)
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  const administrator = await changeStaff(ctx, id, (tx, before) => setPassword(ctx, tx, before.id, passwordHash))
  return { administrator, password }
}

/**
 * Gives an administrator a new password and ends their sessions. For operators: no viewer is checked.
 * @throws AppError `not_found`, `invalid_input`
 */
export async function resetPasswordOf(services: Services, email: string): Promise<NewPassword> {
  const { id } = await administratorOf(services, email)
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
  await endSessions(services, tx, { administratorId: id })
  return administrator
}

/**
 * Lifts the limit on wrong passwords for an administrator. For operators: no viewer is checked.
 * @throws AppError `not_found`, `invalid_input`
 */
export async function unlock(services: Services, email: string): Promise<Administrator> {
  const administrator = await administratorOf(services, email)
  await forgetAttempts(services, administrator.email)
  return administrator
}

/** The administrator with an email address, in any case. For operators: no viewer is checked. */
async function administratorOf({ db }: Services, rawEmail: string): Promise<Administrator> {
  const { email } = parse(administratorEmail, { email: rawEmail })
  const administrator = await db.administrator.findUnique({ where: { email } })
  if (!administrator) throw notFound('email')
  return administrator
}

/** The administrators of an organization, oldest first. For operators: no viewer is checked. */
export const administratorsOf = ({ db }: Services, organizationId: string): Promise<Administrator[]> =>
  db.administrator.findMany({ where: { organizationId }, orderBy: { id: 'asc' }, take: MAX_LISTED })

const MAX_LISTED = 10_000

const rank: Record<AdministratorRole, number> = { viewer: 0, admin: 1, owner: 2 }

/** Changes one administrator; an enabled owner must be left when it is done. */
async function changeStaff<T>(
  ctx: Context,
  rawId: string,
  change: (tx: Transaction, before: Administrator) => Promise<T>,
): Promise<T> {
  const { organizationId } = ownerScope(ctx)
  const { administratorId: id } = parse(administratorId, { administratorId: rawId })
  return ctx.db.$transaction(async (tx) => {
    // One change of an organization's staff after the other: whoever comes second sees who is left. New records of
    // the organization, which hold a weaker lock, do not have to wait.
    await tx.$queryRaw`SELECT 1 FROM organization WHERE id = ${organizationId}::uuid FOR NO KEY UPDATE`
    const before = await tx.administrator.findFirst({ where: { id, organizationId } })
    if (!before) throw notFound('administratorId')
    const result = await change(tx, before)
    const owner = await tx.administrator.findFirst({
      where: { organizationId, role: 'owner', disabledAt: null },
      select: { id: true },
    })
    if (!owner) throw new AppError('last_owner', 'An organization needs at least one owner who may sign in.')
    return result
  })
}
