import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Collection, Prisma } from '../../platform/db/generated/client/client.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { contains, createdWithin, newestFirst, parse } from '../../platform/schema/input.ts'
import { readScope, type Scope, writeScope } from '../access/viewer.ts'
import { lockCreator } from '../creator/service.ts'
import { recordEvent } from '../event/service.ts'
import {
  collectionFilter,
  collectionId,
  createCollectionInput,
  listCollectionsInput,
  updateCollectionInput,
} from './schema.ts'

/** Undeleted collections within a scope. */
export function collectionWhere(scope: Scope): Prisma.CollectionWhereInput {
  return {
    organizationId: scope.organizationId,
    deletedAt: null,
    ...(scope.collectionId && { id: scope.collectionId }),
    ...(scope.creatorId && { creatorId: scope.creatorId }),
  }
}

/**
 * Undeleted collections that a scope may put tracks into: a creator's key not into somebody else's, but into those that
 * belong to nobody.
 */
export function uploadableWhere({ creatorId, ...scope }: Scope): Prisma.CollectionWhereInput {
  const isOpen = creatorId ? { OR: [{ creatorId }, { creatorId: null }] } : {}
  return { AND: [collectionWhere({ ...scope, creatorId: null }), isOpen] }
}

/** Collections within a scope that a client's filter lets through. */
export function matchingCollections(scope: Scope, rawFilter: unknown): Prisma.CollectionWhereInput {
  const { organizationIndex, creatorId, search, ...filter } = parse(collectionFilter, rawFilter, 'filter')
  return {
    AND: [
      collectionWhere(scope),
      createdWithin(filter),
      contains(['title', 'organizationIndex'], search),
      { organizationIndex, creatorId },
    ],
  }
}

/** The collections that match. `query` says which part of the list, in which order, and what of each. */
export const findCollections = (ctx: Context, filter: unknown, query: Query<'Collection'>) =>
  ctx.reader.readMany('Collection', { ...query, where: matchingCollections(readScope(ctx), filter) }, ctx.signal)

export const countCollections = (ctx: Context, filter: unknown) =>
  ctx.reader.count('Collection', matchingCollections(readScope(ctx), filter), ctx.signal)

/** A page of collections, newest first, and the number of all that match. */
export async function listCollections(ctx: Context, raw: unknown) {
  const { limit: take, offset: skip, ...filter } = parse(listCollectionsInput, raw)
  const [collections, count] = await Promise.all([
    findCollections(ctx, filter, { take, skip, orderBy: newestFirst }),
    countCollections(ctx, filter),
  ])
  return { collections, count }
}

/** @throws AppError `not_found` */
export async function getCollection(ctx: Context, id: string, query: Query<'Collection'> = {}) {
  const where = {
    AND: [collectionWhere(readScope(ctx)), { id: parse(collectionId, { collectionId: id }).collectionId }],
  }
  const collection = await ctx.reader.readFirst('Collection', { ...query, where }, ctx.signal)
  if (!collection) throw notFound('collectionId')
  return collection
}

/** A collection whose cover the viewer may replace. */
export async function getCollectionForCover(ctx: Context, id: string) {
  writeScope(ctx)
  return getCollection(ctx, id)
}

/**
 * Creates a collection, in a creator's folder where one is named.
 * @throws AppError `not_found` for the creator; `forbidden` for a key that is scoped to a collection
 */
export async function createCollection(ctx: Context, raw: unknown) {
  const scope = writeScope(ctx)
  if (scope.collectionId) {
    throw new AppError('forbidden', 'A key that is scoped to a collection may not create collections.')
  }
  const { creatorId: given, ...input } = parse(createCollectionInput, raw)
  const creatorId = creatorWithin(scope, given)
  return ctx.db.$transaction(async (tx) => {
    if (creatorId) await lockCreator(tx, scope.organizationId, creatorId)
    const { id } = await tx.collection.create({
      data: { ...input, creatorId, organizationId: scope.organizationId },
      select: { id: true },
    })
    await recordCollectionEvent(tx, 'collection.created', id)
    return tx.collection.findUniqueOrThrow({ where: { id } })
  })
}

/** Changes the fields that are present. */
export async function updateCollection(ctx: Context, id: string, raw: unknown) {
  const scope = writeScope(ctx)
  const parsedId = parse(collectionId, { collectionId: id }).collectionId
  const data = parse(updateCollectionInput, raw)
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.collection.updateMany({
      where: { AND: [collectionWhere(scope), { id: parsedId }] },
      data,
    })
    if (count === 0) throw notFound('collectionId')
    await recordCollectionEvent(tx, 'collection.updated', parsedId)
    return tx.collection.findUniqueOrThrow({ where: { id: parsedId } })
  })
}

/** Soft-deletes a collection and its tracks; a creator is left alone. */
export async function deleteCollection(ctx: Context, id: string) {
  const scope = writeScope(ctx)
  const parsedId = parse(collectionId, { collectionId: id }).collectionId
  const deletedAt = ctx.clock()
  return ctx.db.$transaction(async (tx) => {
    // The row lock keeps new tracks out until the collection is seen as deleted.
    const { count } = await tx.collection.updateMany({
      where: { AND: [collectionWhere(scope), { id: parsedId }] },
      data: { deletedAt },
    })
    if (count === 0) throw notFound('collectionId')
    await tx.track.updateMany({ where: { collectionId: parsedId, deletedAt: null }, data: { deletedAt } })
    return recordCollectionEvent(tx, 'collection.deleted', parsedId)
  })
}

/** The creator that a new record belongs to: a key scoped to a creator implies it, and knows no other. */
export function creatorWithin(scope: Scope, given: string | null | undefined): string | null {
  if (!scope.creatorId) return given ?? null
  if (given && given !== scope.creatorId) throw notFound('creatorId')
  return scope.creatorId
}

async function recordCollectionEvent(
  tx: Transaction,
  type: 'collection.created' | 'collection.updated' | 'collection.deleted',
  id: string,
): Promise<Collection> {
  const collection = await tx.collection.findUniqueOrThrow({ where: { id } })
  const { organizationId, creatorId, title, organizationIndex } = collection
  await recordEvent(tx, organizationId, type, {
    organization_id: organizationId,
    creator_id: creatorId,
    collection_id: id,
    collection: { id, title, organization_index: organizationIndex },
  })
  return collection
}
