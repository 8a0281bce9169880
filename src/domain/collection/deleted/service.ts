import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Collection, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { enqueue } from '../../../platform/jobs/task.ts'
import { administratorScope, personScope } from '../../access/viewer.ts'
import { lockUndeletedCreators } from '../../creator/service.ts'
import { recordCollectionEvent } from '../service.ts'
import { endOfGracePeriod, graceEnded } from './grace.ts'
import { restoreSomeTracks, restoreTracks } from './restore-tracks.ts'

const restorable = (ctx: Context): Prisma.CollectionWhereInput => ({
  organizationId: personScope(ctx).organizationId,
  deletedAt: { gt: endOfGracePeriod(ctx) },
})

/** Deleted collections that can be restored. @param query the part of the list, its order and the columns to read */
export const findDeletedCollections = (ctx: Context, query: Query<'Collection'>) =>
  ctx.lists.readMany('Collection', { ...query, where: restorable(ctx) }, ctx.signal)

export const countDeletedCollections = (ctx: Context) => ctx.lists.count('Collection', restorable(ctx), ctx.signal)

/**
 * Restores a collection with the tracks that were deleted with it, not with those deleted before. Of a large collection,
 * a task restores most of them. A creator that was deleted since does not own it any more.
 * @throws AppError `not_found` for a collection that is not deleted; `expired` after the grace period; `unavailable`
 * while a task still restores tracks of an earlier restoration
 */
export async function restoreCollection(ctx: Context, id: string): Promise<Collection> {
  const { organizationId } = administratorScope(ctx)
  const now = ctx.clock()
  return ctx.db.$transaction(async (tx) => {
    const { deletedAt, creatorId, restoringFrom } = await lockDeleted(tx, organizationId, id)
    if (restoringFrom) {
      const message = 'Tracks of the collection are still being restored. Try again shortly.'
      throw new AppError('unavailable', message, { retryAfterSeconds: 5 })
    }
    if (deletedAt <= endOfGracePeriod(ctx)) throw graceEnded(ctx, 'The collection')
    const data = { deletedAt: null, restoringFrom: deletedAt }
    const [owner = null] = await lockUndeletedCreators(tx, creatorId ? [creatorId] : [])
    await tx.collection.update({ where: { id }, data: { ...data, creatorId: owner } })
    const isRest = await restoreSomeTracks(tx, id, now)
    if (isRest) await enqueue(tx, restoreTracks, { collectionId: id }, { jobKey: `restore_tracks:${id}` })
    return recordCollectionEvent(tx, 'collection.restored', id)
  })
}

/** Locks a deleted collection, so that it is restored once. @throws AppError `not_found` */
async function lockDeleted(tx: Transaction, organizationId: string, id: string) {
  const deleted = { id, organizationId, deletedAt: { not: null } } satisfies Prisma.CollectionWhereInput
  await tx.$queryRaw`SELECT id FROM collection WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid
    FOR NO KEY UPDATE`
  const collection = await tx.collection.findFirst({ where: deleted })
  if (!collection?.deletedAt) throw notFound('collectionId')
  return { ...collection, deletedAt: collection.deletedAt }
}
