import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import { insertion, insertRow, newRow } from '../../platform/db/query/insert.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import type { Values } from '../../platform/db/query/statement.ts'
import { AppError, notFound, violates } from '../../platform/errors.ts'
import { contains, createdWithin, newestFirst } from '../../platform/schema/conditions.ts'
import type { PageInput } from '../../platform/schema/rules.ts'
import { organizationScope, readScope, type Scope, writeScope } from '../access/viewer.ts'
import type { CreateCreator, CreatorFilter, UpdateCreator } from './record.ts'

/** Creators within a scope. A key for one collection sees none. */
export function creatorWhere(scope: Scope): Prisma.CreatorWhereInput {
  return {
    organizationId: scope.organizationId,
    deletedAt: null,
    ...(scope.creatorId && { id: scope.creatorId }),
    ...(scope.collectionId && { id: { in: [] } }),
  }
}

/** Creators within a scope that match a filter. */
export function matchingCreators(scope: Scope, { organizationIndex, search, ...filter }: CreatorFilter) {
  return {
    AND: [creatorWhere(scope), createdWithin(filter), contains(['organizationIndex'], search), { organizationIndex }],
  } satisfies Prisma.CreatorWhereInput
}

/** @param query the part of the list, its order and the columns to read */
export const findCreators = (ctx: Context, filter: CreatorFilter, query: Query<'Creator'>) =>
  ctx.lists.readMany('Creator', { ...query, where: matchingCreators(readScope(ctx), filter) }, ctx.signal)

export const countCreators = (ctx: Context, filter: CreatorFilter) =>
  ctx.lists.count('Creator', matchingCreators(readScope(ctx), filter), ctx.signal)

/**
 * Lists creators, newest first.
 * @returns a page, and the number of all matching creators
 */
export async function listCreators(ctx: Context, { limit: take, offset: skip, ...filter }: CreatorFilter & PageInput) {
  const [creators, count] = await Promise.all([
    findCreators(ctx, filter, { take, skip, orderBy: newestFirst }),
    countCreators(ctx, filter),
  ])
  return { creators, count }
}

/** @throws AppError `not_found` */
export async function getCreator(ctx: Context, id: string, query: Query<'Creator'> = {}) {
  const where = { AND: [creatorWhere(readScope(ctx)), { id }] }
  const creator = await ctx.reader.readFirst('Creator', { ...query, where }, ctx.signal)
  if (!creator) throw notFound('creatorId')
  return creator
}

/**
 * Creates a creator and the folder in which its collections and tracks are stored.
 * @throws AppError `organization_index_taken`
 */
export async function createCreator(ctx: Context, input: CreateCreator) {
  const { organizationId } = organizationScope(ctx)
  const created = await insertRow(ctx.reader, 'Creator', (values) => {
    const row = { ...newRow(), ...input, organizationId, folderId: Bun.randomUUIDv7() }
    const { columns, source } = insertion('Creator', row, values)
    return `written AS (
        INSERT INTO creator (${columns}) SELECT ${columns} FROM ${source}
        ON CONFLICT (organization_id, organization_index) WHERE deleted_at IS NULL DO NOTHING RETURNING *
      ), folder AS (
        INSERT INTO folder (id, organization_id, created_at) SELECT folder_id, organization_id, created_at FROM written
      )`
  })
  if (!created) throw indexTaken()
  return created
}

/** @throws AppError `not_found`, `organization_index_taken` */
export async function updateCreator(ctx: Context, id: string, data: UpdateCreator) {
  const scope = writeScope(ctx)
  return refuseTakenIndex(() =>
    ctx.db.$transaction(async (tx) => {
      const { count } = await tx.creator.updateMany({ where: { AND: [creatorWhere(scope), { id }] }, data })
      if (count === 0) throw notFound('creatorId')
      return tx.creator.findUniqueOrThrow({ where: { id } })
    }),
  )
}

/**
 * Soft-deletes a creator and its folder.
 * @throws AppError `creator_in_use` while it has undeleted collections or tracks; `not_found`
 */
export async function deleteCreator(ctx: Context, id: string) {
  const { organizationId } = organizationScope(ctx)
  return ctx.db.$transaction(async (tx) => {
    // Conflicts with the KEY SHARE lock that every new collection and track takes first: the second of the two
    // transactions sees the change of the first.
    const locked = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM creator
      WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND deleted_at IS NULL FOR UPDATE`
    if (locked.length === 0) throw notFound('creatorId')
    const undeleted = { where: { creatorId: id, deletedAt: null }, select: { id: true } } as const
    if ((await tx.collection.findFirst(undeleted)) || (await tx.track.findFirst(undeleted))) {
      throw new AppError(
        'creator_in_use',
        'The creator cannot be deleted while collections or tracks exist; they must be deleted first.',
      )
    }
    const deletedAt = ctx.clock()
    const creator = await tx.creator.update({ where: { id: id }, data: { deletedAt } })
    await tx.folder.update({ where: { id: creator.folderId }, data: { deletedAt } })
    return creator
  })
}

/**
 * Locks a creator against deletion until the transaction ends.
 * @throws AppError `not_found`, naming `creatorId`
 */
export async function lockCreator(tx: Transaction, organizationId: string, id: string): Promise<{ folderId: string }> {
  const rows = await tx.$queryRaw<{ folder_id: string }[]>`
    SELECT folder_id FROM creator
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND deleted_at IS NULL FOR KEY SHARE`
  if (!rows[0]) throw notFound('creatorId')
  return { folderId: rows[0].folder_id }
}

/** Locks creators as `lockCreator` does. @returns the IDs of those that are not deleted */
export async function lockUndeletedCreators(tx: Transaction, ids: string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM creator WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`
  return rows.map(({ id }) => id)
}

/**
 * SQL of a query that locks a creator as `lockCreator` does, for an insertion in the same statement. Returns no row if
 * the creator is unknown, foreign or deleted.
 */
export const lockedCreator = (organizationId: string, id: string | null, values: Values) =>
  `SELECT id, folder_id FROM creator WHERE id = ${values.add(id)}::uuid AND organization_id = ${values.add(organizationId)}::uuid
    AND deleted_at IS NULL FOR KEY SHARE`

/** Turns a violation of the unique index into `organization_index_taken`. */
async function refuseTakenIndex<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!violates(error, 'creator_organization_index_taken') && !violates(error, 'organization_index')) throw error
    throw indexTaken(error)
  }
}

function indexTaken(cause?: unknown) {
  const rule = 'is already the index of another creator'
  return new AppError('organization_index_taken', '', { fields: [{ field: 'organizationIndex', rule }], cause })
}
