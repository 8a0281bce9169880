import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import type { Query } from '../../platform/db/read/reader.ts'
import { AppError, notFound, violates } from '../../platform/errors.ts'
import { createdWithin, holding, newestFirst, parse } from '../../platform/input.ts'
import { organizationScope, readScope, type Scope, writeScope } from '../access/viewer.ts'
import { createCreatorInput, creatorFilter, creatorId, listCreatorsInput, updateCreatorInput } from './schema.ts'

/** Creators within a scope. A key for one collection sees none. */
export function creatorWhere(scope: Scope): Prisma.CreatorWhereInput {
  return {
    organizationId: scope.organizationId,
    deletedAt: null,
    ...(scope.creatorId && { id: scope.creatorId }),
    ...(scope.collectionId && { id: { in: [] } }),
  }
}

/** Creators within a scope that a client's filter lets through. */
export function matchingCreators(scope: Scope, rawFilter: unknown): Prisma.CreatorWhereInput {
  const { organizationIndex, search, ...filter } = parse(creatorFilter, rawFilter, 'filter')
  return {
    AND: [creatorWhere(scope), createdWithin(filter), holding(['organizationIndex'], search), { organizationIndex }],
  }
}

/** The creators that match. `query` says which part of the list, in which order, and what of each. */
export const findCreators = (ctx: Context, filter: unknown, query: Query<'Creator'>) =>
  ctx.reader.readMany('Creator', { ...query, where: matchingCreators(readScope(ctx), filter) }, ctx.signal)

export const countCreators = (ctx: Context, filter: unknown) =>
  ctx.reader.count('Creator', matchingCreators(readScope(ctx), filter), ctx.signal)

/**
 * A page of creators, newest first.
 * @param raw limit 1-200 (50), offset (0), organizationIndex
 * @returns the page, and the number of all that match
 */
export async function listCreators(ctx: Context, raw: unknown) {
  const { limit: take, offset: skip, ...filter } = parse(listCreatorsInput, raw)
  const [creators, count] = await Promise.all([
    findCreators(ctx, filter, { take, skip, orderBy: newestFirst }),
    countCreators(ctx, filter),
  ])
  return { creators, count }
}

/** @throws AppError `not_found` */
export async function getCreator(ctx: Context, id: string, query: Query<'Creator'> = {}) {
  const where = { AND: [creatorWhere(readScope(ctx)), { id: parse(creatorId, { creatorId: id }).creatorId }] }
  const creator = await ctx.reader.readFirst('Creator', { ...query, where }, ctx.signal)
  if (!creator) throw notFound('creatorId')
  return creator
}

/**
 * Creates a creator and the folder that its collections and tracks are stored in.
 * @param raw organizationIndex (required), metadata
 * @throws AppError `organization_index_taken`
 */
export async function createCreator(ctx: Context, raw: unknown) {
  const { organizationId } = organizationScope(ctx)
  const input = parse(createCreatorInput, raw)
  return orTaken(() =>
    ctx.db.creator.create({
      data: {
        ...input,
        organization: { connect: { id: organizationId } },
        folder: { create: { organizationId } },
      },
    }),
  )
}

/** Changes the fields that are present. */
export async function updateCreator(ctx: Context, id: string, raw: unknown) {
  const scope = writeScope(ctx)
  const parsedId = parse(creatorId, { creatorId: id }).creatorId
  const data = parse(updateCreatorInput, raw)
  return orTaken(() =>
    ctx.db.$transaction(async (tx) => {
      const where = { AND: [creatorWhere(scope), { id: parsedId }] }
      const { count } = await tx.creator.updateMany({ where, data })
      if (count === 0) throw notFound('creatorId')
      return tx.creator.findUniqueOrThrow({ where: { id: parsedId } })
    }),
  )
}

/**
 * Soft-deletes a creator and its folder.
 * @throws AppError `creator_in_use` while it has undeleted collections or tracks; `not_found`
 */
export async function deleteCreator(ctx: Context, id: string) {
  const { organizationId } = organizationScope(ctx)
  const parsedId = parse(creatorId, { creatorId: id }).creatorId
  return ctx.db.$transaction(async (tx) => {
    // Excludes the KEY SHARE lock that every new collection and track takes first: whoever comes second sees the other.
    const locked = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM creator
      WHERE id = ${parsedId}::uuid AND organization_id = ${organizationId}::uuid AND deleted_at IS NULL FOR UPDATE`
    if (locked.length === 0) throw notFound('creatorId')
    const undeleted = { where: { creatorId: parsedId, deletedAt: null }, select: { id: true } } as const
    if ((await tx.collection.findFirst(undeleted)) || (await tx.track.findFirst(undeleted))) {
      throw new AppError(
        'creator_in_use',
        'The creator cannot be deleted while collections or tracks exist; they must be deleted first.',
      )
    }
    const deletedAt = ctx.clock()
    const creator = await tx.creator.update({ where: { id: parsedId }, data: { deletedAt } })
    await tx.folder.update({ where: { id: creator.folderId }, data: { deletedAt } })
    return creator
  })
}

/**
 * Holds a creator alive until the transaction ends, and tells where its files lie.
 * @throws AppError `not_found`, naming `creatorId`
 */
export async function holdCreator(tx: Transaction, organizationId: string, id: string): Promise<{ folderId: string }> {
  const rows = await tx.$queryRaw<{ folder_id: string }[]>`
    SELECT folder_id FROM creator
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND deleted_at IS NULL FOR KEY SHARE`
  if (!rows[0]) throw notFound('creatorId')
  return { folderId: rows[0].folder_id }
}

async function orTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!violates(error, 'creator_organization_index_taken') && !violates(error, 'organization_index')) throw error
    const rule = 'is already the index of another creator'
    throw new AppError('organization_index_taken', '', { fields: [{ field: 'organizationIndex', rule }], cause: error })
  }
}
