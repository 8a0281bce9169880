import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { TrackStatus } from '../../../platform/db/generated/client/enums.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { type Scope, writeScope } from '../../access/viewer.ts'
import { isStale } from '../../track/file/stale.ts'
import { lockTrack, oneTrackWhere } from '../../track/service.ts'
import { queueRebuild, recordEmptyRebuild } from '../queue/queue.ts'
import type { RebuildTrack } from './record.ts'

/**
 * Rebuilds files of a track from its recording, in one run. The track is `processing` until the end. Its files stay
 * deliverable, and a finished file is replaced only by a finished one.
 * @returns the job, which has ended already when there is nothing to rebuild
 * @throws AppError `not_found`, `no_source_file`, `track_processing`
 */
export async function rebuildTrack(
  ctx: Context,
  id: string,
  { variantIds, isOnlyStale }: RebuildTrack,
): Promise<{ id: string; jobId: string }> {
  const scope = writeScope(ctx)
  const jobId = await ctx.db.$transaction((tx) =>
    begin(ctx, tx, scope, id, async (applicable) => {
      if (variantIds?.some((variantId) => !applicable.includes(variantId))) throw notFound('variantIds')
      const chosen = applicable.filter((variantId) => !variantIds || variantIds.includes(variantId))
      if (!isOnlyStale) return chosen
      const files = await tx.trackFile.findMany({
        where: { trackId: id, variantId: { in: chosen } },
        include: { variant: true, track: { select: { sourceSha256: true } } },
      })
      return files.filter((file) => isStale(file, file.variant, file.track)).map(({ variantId }) => variantId)
    }),
  )
  return { id, jobId }
}

/**
 * Repeats a rebuild in the caller's transaction, without variants that were deleted since.
 * @returns ID of the job
 * @throws AppError as `rebuildTrack`
 */
export const rebuildAgain = (ctx: Context, tx: Transaction, scope: Scope, trackId: string, variantIds: string[]) =>
  begin(ctx, tx, scope, trackId, async (applicable) => applicable.filter((id) => variantIds.includes(id)))

/** @param choose chooses among the IDs of the variants that apply to the track */
async function begin(
  ctx: Context,
  tx: Transaction,
  scope: Scope,
  trackId: string,
  choose: (applicable: string[]) => Promise<string[]>,
): Promise<string> {
  const { organizationId } = scope
  await lockSettledTrack(tx, scope, trackId)
  const where = { organizationId, deletedAt: null, OR: [{ trackId: null }, { trackId }] }
  const variantIds = await choose((await tx.variant.findMany({ where, select: { id: true } })).map(({ id }) => id))
  if (variantIds.length === 0) return recordEmptyRebuild(tx, organizationId, trackId, ctx.clock())
  await tx.track.update({ where: { id: trackId }, data: { status: 'processing' } })
  return queueRebuild(tx, organizationId, trackId, variantIds)
}

const settled: readonly TrackStatus[] = ['ready', 'incomplete', 'error', 'init_error']

/** Locks a track that has a recording and no running job. Other requests wait for the lock and then see its new state. */
async function lockSettledTrack(tx: Transaction, scope: Scope, id: string): Promise<void> {
  const where = oneTrackWhere(scope, id)
  if (!(await tx.track.findFirst({ where, select: { id: true } }))) throw notFound('trackId')
  await lockTrack(tx, id)
  const track = await tx.track.findFirst({ where })
  if (!track) throw notFound('trackId')
  if (!track.uploadCompletedAt) {
    throw new AppError('no_source_file', 'The track has no recording.')
  }
  if (!settled.includes(track.status)) {
    throw new AppError('track_processing', 'The track is being processed. Try again when it is ready.')
  }
}
