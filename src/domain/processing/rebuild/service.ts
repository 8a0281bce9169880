import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { TrackStatus } from '../../../platform/db/generated/client/enums.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { parse } from '../../../platform/schema/input.ts'
import { type Scope, writeScope } from '../../access/viewer.ts'
import { trackId as trackIdInput } from '../../track/record.ts'
import { trackWhere } from '../../track/service.ts'
import { noteRebuild, queueRebuild } from '../queue.ts'
import { rebuildTrackInput } from './schema.ts'

/**
 * Makes files of a track anew from its recording, in one run: those of all its undeleted variants, also where it lacks
 * them, unless told. The track is `processing` until then; its files stay deliverable, and are replaced by good ones
 * only.
 * @param raw variantIds; isOnlyStale leaves alone what is as its variant would make it now, what failed and what is not
 * there
 * @returns the job, which has ended already where there is nothing to make
 * @throws AppError `not_found`, `no_source_file`, `track_processing`, `invalid_input`
 */
export async function rebuildTrack(ctx: Context, id: string, raw: unknown): Promise<{ id: string; jobId: string }> {
  const scope = writeScope(ctx)
  const { trackId } = parse(trackIdInput, { trackId: id })
  const { variantIds, isOnlyStale } = parse(rebuildTrackInput, raw)
  const jobId = await ctx.db.$transaction((tx) =>
    begin(ctx, tx, scope, trackId, async (there) => {
      if (variantIds?.some((variant) => !there.includes(variant))) throw notFound('variantIds')
      const stale = isOnlyStale ? await tx.staleFile.findMany({ where: { trackId } }) : null
      return there
        .filter((variant) => !variantIds || variantIds.includes(variant))
        .filter((variant) => !stale || stale.some(({ variantId }) => variantId === variant))
    }),
  )
  return { id: trackId, jobId }
}

/**
 * Makes anew, in the caller's transaction, what an earlier job was to make, less what was deleted since.
 * @returns the id of the job
 * @throws AppError as `rebuildTrack`
 */
export const rebuildAgain = (ctx: Context, tx: Transaction, scope: Scope, trackId: string, variantIds: string[]) =>
  begin(ctx, tx, scope, trackId, async (there) => there.filter((variant) => variantIds.includes(variant)))

/** @param choose of the variants that apply to the track */
async function begin(
  ctx: Context,
  tx: Transaction,
  scope: Scope,
  trackId: string,
  choose: (there: string[]) => Promise<string[]>,
): Promise<string> {
  const { organizationId } = scope
  await lockSettledTrack(tx, scope, trackId)
  const where = { organizationId, deletedAt: null, OR: [{ trackId: null }, { trackId }] }
  const variantIds = await choose((await tx.variant.findMany({ where, select: { id: true } })).map(({ id }) => id))
  if (variantIds.length === 0) return noteRebuild(tx, organizationId, trackId, ctx.clock())
  await tx.track.update({ where: { id: trackId }, data: { status: 'processing' } })
  return queueRebuild(tx, organizationId, trackId, variantIds)
}

const settled: readonly TrackStatus[] = ['ready', 'incomplete', 'error', 'init_error']

/** Locks a track that has a recording and that nothing is made of: of several requests one gets on, the others wait. */
async function lockSettledTrack(tx: Transaction, scope: Scope, id: string): Promise<void> {
  const where = { AND: [trackWhere(scope), { id }] }
  if (!(await tx.track.findFirst({ where, select: { id: true } }))) throw notFound('trackId')
  await tx.$queryRaw`SELECT id FROM track WHERE id = ${id}::uuid FOR UPDATE`
  const track = await tx.track.findFirst({ where })
  if (!track) throw notFound('trackId')
  if (!track.uploadCompletedAt) {
    throw new AppError('no_source_file', 'The track has no recording that files could be made of.')
  }
  if (!settled.includes(track.status)) {
    throw new AppError('track_processing', 'The track is being processed. Try again when it is ready.')
  }
}
