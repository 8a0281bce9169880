import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Collection, Prisma } from '../../platform/db/generated/client/client.ts'
import { insertion, insertRow, newRow } from '../../platform/db/query/insert.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { enqueue } from '../../platform/jobs/task.ts'
import { createdWithin, newestFirst } from '../../platform/schema/conditions.ts'
import type { PageInput } from '../../platform/schema/rules.ts'
import { readScope, type Scope, writeScope } from '../access/viewer.ts'
import { lockedCreator } from '../creator/service.ts'
import { endOfDeliveries } from '../delivery/known-files.ts'
import { eventOfWritten, recordEvent } from '../event/service.ts'
import { deleteSomeTracks, deleteTracks } from './delete-tracks.ts'
import type { CollectionFilter, CreateCollection, UpdateCollection } from './record.ts'
import { matchesSearch } from './search.ts'

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
 * Undeleted collections that accept new tracks from a scope. A key that is scoped to a creator may also upload into
 * collections without a creator.
 */
export function uploadableWhere({ creatorId, ...scope }: Scope): Prisma.CollectionWhereInput {
  const isOpen = creatorId ? { OR: [{ creatorId }, { creatorId: null }] } : {}
  return { AND: [collectionWhere({ ...scope, creatorId: null }), isOpen] }
}

/** Collections within a scope that match a filter. */
export function matchingCollections(
  scope: Scope,
  { organizationIndex, creatorId, search, ...filter }: CollectionFilter,
): Prisma.CollectionWhereInput {
  return {
    AND: [collectionWhere(scope), createdWithin(filter), matchesSearch(search), { organizationIndex, creatorId }],
  }
}

/** @param query the part of the list, its order and the columns to read */
export const findCollections = (ctx: Context, filter: CollectionFilter, query: Query<'Collection'>) =>
  ctx.lists.readMany('Collection', { ...query, where: matchingCollections(readScope(ctx), filter) }, ctx.signal)

export const countCollections = (ctx: Context, filter: CollectionFilter) =>
  ctx.lists.count('Collection', matchingCollections(readScope(ctx), filter), ctx.signal)

/**
 * Lists collections, newest first.
 * @returns a page, and the number of all matching collections
 */
export async function listCollections(
  ctx: Context,
  { limit: take, offset: skip, ...filter }: CollectionFilter & PageInput,
) {
  const [collections, count] = await Promise.all([
    findCollections(ctx, filter, { take, skip, orderBy: newestFirst }),
    countCollections(ctx, filter),
  ])
  return { collections, count }
}

/** @throws AppError `not_found` */
export async function getCollection(ctx: Context, id: string, query: Query<'Collection'> = {}) {
  const where = { AND: [collectionWhere(readScope(ctx)), { id }] }
  const collection = await ctx.reader.readFirst('Collection', { ...query, where }, ctx.signal)
  if (!collection) throw notFound('collectionId')
  return collection
}

/**
 * Returns a collection if the viewer may replace its cover.
 * @throws AppError `not_found`, `forbidden`
 */
export async function getCollectionForCover(ctx: Context, id: string) {
  writeScope(ctx)
  return getCollection(ctx, id)
}

/**
 * The scope of a viewer who may create collections.
 * @throws AppError `forbidden`, also for a key that is scoped to a collection; `unauthenticated`
 */
export function creationScope(ctx: Context): Scope {
  const scope = writeScope(ctx)
  if (scope.collectionId) {
    throw new AppError('forbidden', 'A key that is scoped to a collection may not create collections.')
  }
  return scope
}

/**
 * Creates a collection, in the folder of its creator if it has one.
 * @throws AppError `not_found` for the creator; those of `creationScope`
 */
export async function createCollection(ctx: Context, { creatorId: requestedCreatorId, ...input }: CreateCollection) {
  const scope = creationScope(ctx)
  const creatorId = creatorWithin(scope, requestedCreatorId)
  const row = { ...newRow(), organizationIndex: null, ...input, creatorId, organizationId: scope.organizationId }
  const created = await insertRow(ctx.reader, 'Collection', (values) => {
    const { columns, source } = insertion('Collection', row, values)
    return `locked AS (${lockedCreator(scope.organizationId, creatorId, values)}), written AS (
        INSERT INTO collection (${columns}) SELECT ${columns} FROM ${source}
        WHERE creator_id IS NULL OR EXISTS (SELECT 1 FROM locked) RETURNING *
      ), recorded AS (${eventOfWritten(scope.organizationId, 'collection.created', collectionData(row), values)})`
  })
  if (!created) throw notFound('creatorId')
  return created
}

/** @throws AppError `not_found` */
export async function updateCollection(ctx: Context, id: string, data: UpdateCollection) {
  const scope = writeScope(ctx)
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.collection.updateMany({ where: { AND: [collectionWhere(scope), { id }] }, data })
    if (count === 0) throw notFound('collectionId')
    return recordCollectionEvent(tx, 'collection.updated', id)
  })
}

/**
 * Soft-deletes a collection and its tracks. Of a large collection, a task deletes most of them: until then they are in
 * lists, but cannot be read, played or changed. Delivery of all files stops at once.
 * @throws AppError `not_found`
 */
export async function deleteCollection(ctx: Context, id: string) {
  const scope = writeScope(ctx)
  const deletedAt = ctx.clock()
  const deleted = await ctx.db.$transaction(async (tx) => {
    // The row lock keeps new tracks out until other transactions see the deletion.
    const { count } = await tx.collection.updateMany({
      where: { AND: [collectionWhere(scope), { id }] },
      data: { deletedAt },
    })
    if (count === 0) throw notFound('collectionId')
    const isRest = await deleteSomeTracks(tx, id)
    if (isRest) await enqueue(tx, deleteTracks, { collectionId: id }, { jobKey: `delete_tracks:${id}` })
    return recordCollectionEvent(tx, 'collection.deleted', id)
  })
  await endOfDeliveries()
  return deleted
}

/**
 * Returns the creator of a new record. A key that is scoped to a creator implies it.
 * @throws AppError `not_found` for another creator than that of the key
 */
export function creatorWithin(scope: Scope, creatorId: string | null | undefined): string | null {
  if (!scope.creatorId) return creatorId ?? null
  if (creatorId && creatorId !== scope.creatorId) throw notFound('creatorId')
  return scope.creatorId
}

/**
 * Returns the creator of an upload to a collection. A key that is scoped to the collection may attribute it to the
 * collection's creator or to none (contract, section 2).
 * @throws AppError `not_found` for another creator
 */
export function uploadCreator(
  scope: Scope,
  collection: Pick<Collection, 'creatorId'>,
  requestedCreatorId: string | null | undefined,
): string | null {
  const creatorId = creatorWithin(scope, requestedCreatorId)
  const isImplied = !scope.collectionId || scope.creatorId !== null
  if (creatorId && !isImplied && creatorId !== collection.creatorId) throw notFound('creatorId')
  return creatorId
}

/** @returns the collection after the change */
export async function recordCollectionEvent(
  tx: Transaction,
  type: 'collection.updated' | 'collection.deleted' | 'collection.restored',
  id: string,
): Promise<Collection> {
  const collection = await tx.collection.findUniqueOrThrow({ where: { id } })
  await recordEvent(tx, collection.organizationId, type, collectionData(collection))
  return collection
}

/** Data of an event of a collection. */
const collectionData = ({
  id,
  organizationId,
  creatorId,
  title,
  organizationIndex,
}: Pick<Collection, 'id' | 'organizationId' | 'creatorId' | 'title' | 'organizationIndex'>) => ({
  organization_id: organizationId,
  creator_id: creatorId,
  collection_id: id,
  collection: { id, title, organization_index: organizationIndex },
})
