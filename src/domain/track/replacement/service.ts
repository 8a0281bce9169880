import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Prisma, Track } from '../../../platform/db/generated/client/client.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { type Scope, writeScope } from '../../access/viewer.ts'
import { endOfGracePeriod, graceEnded } from '../../collection/deleted/grace.ts'
import { endOfDeliveries } from '../../delivery/known-files.ts'
import { lockVariants } from '../../variant/service.ts'
import { switchRecording } from '../replace-recording.ts'
import { findTrack, lockTrack, oneTrackWhere, withFiles } from '../service.ts'
import { isUnfinished } from '../states.ts'

/** Status code of a replacement that a client has cancelled, or started again with another recording. */
const CANCELLED = 'replacement_cancelled'

/** Former recordings that a track shows. */
export const MAX_FORMER = 50
/** The newest first. */
export const latestReplaced = [{ replacedAt: 'desc' as const }, { id: 'desc' as const }]
export const latestCreated = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]

/** Former recordings that can be restored: those of a track that had none before are left out. */
export const restorableRecordings = (ctx: Pick<Services, 'clock' | 'config'>) =>
  ({
    replacedAt: { gt: endOfGracePeriod(ctx) },
    purgedAt: null,
    sourceKey: { not: null },
  }) satisfies Prisma.TrackWhereInput

/** Whether the newest other recording of a track is one that is on its way, or has failed. */
export const isReplacing = ({ replacedAt, statusCode }: Pick<Track, 'replacedAt' | 'statusCode'>) =>
  replacedAt === null && statusCode !== CANCELLED

/**
 * Returns the new recording of a track that is on its way or has failed, if there is one, and its former recordings.
 * @throws AppError `not_found`
 */
export async function getRecordings(ctx: Context, trackId: string) {
  await findTrack(ctx, trackId, { select: { id: true } })
  const { reader, signal } = ctx
  const [[newest], former] = await Promise.all([
    reader.readMany('Track', { where: { replacesId: trackId }, orderBy: latestCreated, take: 1 }, signal),
    reader.readMany(
      'Track',
      { where: { replacesId: trackId, ...restorableRecordings(ctx) }, orderBy: latestReplaced, take: MAX_FORMER },
      signal,
    ),
  ])
  return { replacement: newest && isReplacing(newest) ? newest : null, former }
}

/**
 * Locks a track whose recording can be changed.
 * @throws AppError `not_found`, `track_processing`
 */
export async function lockReplaceable(tx: Transaction, scope: Scope, id: string): Promise<Track> {
  const where = oneTrackWhere(scope, id)
  if (!(await tx.track.findFirst({ where, select: { id: true } }))) throw notFound('trackId')
  await lockTrack(tx, id)
  const track = await tx.track.findFirst({ where })
  if (!track) throw notFound('trackId')
  if (isUnfinished(track.status)) {
    throw new AppError('track_processing', 'The track is being uploaded or processed. Try again when it has ended.')
  }
  return track
}

/**
 * Ends a replacement of a locked track that has not reached the track, and takes away the reason of one that failed. The
 * run of its recording ends as that of a deleted track.
 * @returns the replacement that it has ended, or null
 */
export async function endReplacements(tx: Transaction, trackId: string, now: Date): Promise<Track | null> {
  const open = { replacesId: trackId, replacedAt: null }
  const visibleRows = { ...open, OR: [{ statusCode: null }, { statusCode: { not: CANCELLED } }] }
  const newest = await tx.track.findFirst({ where: visibleRows, orderBy: latestCreated })
  if (!newest) return null
  await tx.track.updateMany({ where: { ...open, deletedAt: null }, data: { deletedAt: now } })
  const data = { status: 'init_error' as const, statusCode: CANCELLED, statusText: 'The replacement was cancelled.' }
  await tx.track.updateMany({ where: visibleRows, data })
  return newest
}

/**
 * Cancels the replacement of a track's recording, or dismisses one that has failed.
 * @throws AppError `not_found` without a replacement
 */
export async function cancelReplacement(ctx: Context, trackId: string): Promise<Track> {
  const scope = writeScope(ctx)
  return ctx.db.$transaction(async (tx) => {
    if (!(await tx.track.findFirst({ where: oneTrackWhere(scope, trackId), select: { id: true } }))) {
      throw notFound('trackId')
    }
    await lockTrack(tx, trackId)
    const replacement = await endReplacements(tx, trackId, ctx.clock())
    if (!replacement) throw new AppError('not_found', 'The track has no replacement that could be cancelled.')
    return replacement
  })
}

/**
 * Gives a track a former recording again. Its current one becomes a former one.
 * @throws AppError `not_found`, `expired`; `track_processing` while the track or a new recording of it is processed
 */
export async function restoreRecording(ctx: Context, trackId: string, recordingId: string): Promise<{ id: string }> {
  const scope = writeScope(ctx)
  await ctx.db.$transaction(async (tx) => {
    const former = { id: recordingId, replacesId: trackId, replacedAt: { not: null }, sourceKey: { not: null } }
    await lockVariants(tx, { files: { some: { trackId: { in: [trackId, recordingId] } } } })
    await lockReplaceable(tx, scope, trackId)
    if (!(await tx.track.findFirst({ where: former, select: { id: true } }))) throw notFound('recordingId')
    const other = { ...(await lockTrack(tx, recordingId)), ...(await readFiles(tx, recordingId)) }
    if (other.purgedAt || !other.replacedAt || other.replacedAt <= endOfGracePeriod(ctx)) {
      throw graceEnded(ctx, 'The recording')
    }
    if (await tx.track.count({ where: { replacesId: trackId, replacedAt: null, deletedAt: null } })) {
      throw new AppError('track_processing', 'The track is getting a new recording. Cancel that first.')
    }
    const track = await tx.track.findUniqueOrThrow({ where: { id: trackId }, include: withFiles })
    await switchRecording(ctx, tx, { track, other, isRestored: true })
  })
  await endOfDeliveries()
  return { id: trackId }
}

const readFiles = (tx: Transaction, id: string) =>
  tx.track.findUniqueOrThrow({ where: { id }, select: { files: withFiles.files } })
