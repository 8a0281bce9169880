import type { Context } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { administratorScope, personScope } from '../../access/viewer.ts'
import { lockCollection } from '../../collection/delete-tracks.ts'
import { endOfGracePeriod, graceEnded } from '../../collection/deleted/grace.ts'
import { queueResumption } from '../../collection/deleted/restore-tracks.ts'
import { lockUndeletedCreators } from '../../creator/service.ts'
import { unfinishedStates } from '../states.ts'

const restorable = (ctx: Context) =>
  ({ deletedAt: { gt: endOfGracePeriod(ctx) }, purgedAt: null, replacesId: null }) satisfies Prisma.TrackWhereInput

/** Those that can be restored by themselves: not the tracks of a deleted collection. */
const listed = (ctx: Context): Prisma.TrackWhereInput => ({
  organizationId: personScope(ctx).organizationId,
  ...restorable(ctx),
  collection: { deletedAt: null },
})

/** Deleted tracks that can be restored. @param query the part of the list, its order and the columns to read */
export const findDeletedTracks = (ctx: Context, query: Query<'Track'>) =>
  ctx.lists.readMany('Track', { ...query, where: listed(ctx) }, ctx.signal)

export const countDeletedTracks = (ctx: Context) => ctx.lists.count('Track', listed(ctx), ctx.signal)

/**
 * Restores a deleted track with its files, and the recording that was about to replace its own. A creator that was deleted since does not own it any more. Processing that
 * its deletion ended is queued again.
 * @throws AppError `not_found` for a track that is not deleted, or whose collection is; `expired` after the grace period
 */
export async function restoreTrack(ctx: Context, id: string): Promise<{ id: string }> {
  const { organizationId } = administratorScope(ctx)
  const deleted = { id, organizationId, deletedAt: { not: null }, replacesId: null } satisfies Prisma.TrackWhereInput
  return ctx.db.$transaction(async (tx) => {
    const track = await tx.track.findFirst({
      where: deleted,
      select: { collectionId: true, creatorId: true, deletedAt: true },
    })
    if (!track) throw notFound('trackId')
    // The collection before its track, as its deletion, which then either sees the track or is seen here.
    const { deletedAt: isCollectionDeleted } = await lockCollection(tx, track.collectionId)
    if (isCollectionDeleted) {
      throw new AppError('not_found', 'The collection of the track is deleted. Restore the collection first.')
    }
    const [creatorId = null] = await lockUndeletedCreators(tx, track.creatorId ? [track.creatorId] : [])
    const [restored] = await tx.track.updateManyAndReturn({
      where: { ...deleted, ...restorable(ctx) },
      data: { deletedAt: null, creatorId },
      select: { id: true },
    })
    if (restored) {
      const interrupted = {
        replacesId: id,
        deletedAt: track.deletedAt,
        purgedAt: null,
        status: { in: unfinishedStates },
      }
      const replacements = await tx.track.updateManyAndReturn({
        where: interrupted,
        data: { deletedAt: null, creatorId },
        select: { id: true },
      })
      await queueResumption(tx, [id, ...replacements.map((replacement) => replacement.id)])
      return restored
    }
    throw (await tx.track.count({ where: deleted })) > 0 ? graceEnded(ctx, 'The track') : notFound('trackId')
  })
}
