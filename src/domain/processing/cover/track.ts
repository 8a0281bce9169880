import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Job, Prisma, Track, TrackFile } from '../../../platform/db/generated/client/client.ts'
import type { Cover } from '../../../platform/media/cover/make.ts'
import { recordFileEvents } from '../../track/record-events.ts'
import { lockTrack } from '../../track/service.ts'
import { lockVariants, organizationVariantWhere } from '../../variant/service.ts'
import { endIfDeleted, endingAfterDeletion, endJob, lockAttempt } from '../job/end.ts'
import type { OutcomeReason } from '../outcome.ts'
import { putFile } from '../put-file.ts'
import type { DoneFile } from '../run/run.ts'
import { storeTrackCover, toStoredTheme } from './store.ts'

type TrackJob = Job & { trackId: string }

const coverVariants = (organizationId: string) =>
  ({ ...organizationVariantWhere(organizationId), type: 'cover' }) satisfies Prisma.VariantWhereInput

/**
 * Makes the files of the uploaded cover of a track. Ends the job in the transaction that records `track_file.created`, so
 * that a repeated attempt sends it once (contract, section 4).
 * @param withCover makes the cover from a stored picture and calls back with it
 */
export async function coverOfTrack(
  services: Services,
  job: TrackJob,
  signal: AbortSignal,
  withCover: (sourceKey: string | null, keep: (newCover: Cover) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { organizationId, trackId } = job
  const track = await services.db.track.findFirst({ where: { id: trackId, deletedAt: null } })
  if (!track) {
    const ending = await services.db.$transaction((tx) => endIfDeleted(tx, job, trackId, services.clock()))
    return ending ? undefined : coverOfTrack(services, job, signal, withCover)
  }
  const variants = await services.db.variant.findMany({ where: coverVariants(organizationId) })
  if (variants.length === 0) return
  await withCover(track.coverSourceKey, async (newCover) => {
    const stored: { variantId: string; recipe: Prisma.InputJsonObject; file: DoneFile }[] = []
    for (const { id: variantId, props } of variants) {
      const file = await storeTrackCover(services, newCover, { row: { trackId, variantId, props }, track, job }, signal)
      stored.push({ variantId, recipe: props as Prisma.InputJsonObject, file })
    }
    await services.db.$transaction(async (tx) => {
      if (!(await lockAttempt(tx, job))) return
      const locked = await lockVariants(tx, { id: { in: stored.map(({ variantId }) => variantId) } })
      const { deletedAt } = await lockTrack(tx, trackId)
      if (deletedAt) return void (await endJob(tx, job, endingAfterDeletion(job), services.clock()))
      const newest = { id: trackId, coverUploadedAt: track.coverUploadedAt }
      const { count } = await tx.track.updateMany({ where: newest, data: { theme: toStoredTheme(newCover) } })
      const changed: string[] = []
      for (const { variantId, recipe, file } of stored) {
        const variant = locked.find(({ id }) => id === variantId)
        // A newer cover has its own job.
        if (!variant || count === 0) continue
        const where = { trackId, variantId }
        const before = await tx.trackFile.findFirst({ where: { ...where, state: 'done' } })
        if (before && isMadeFrom(track, before, file)) continue
        await tx.trackFile.createMany({ data: [{ ...where, organizationId, props: recipe }], skipDuplicates: true })
        await putFile(services, tx, file, { where, track, variant, recipe })
        changed.push((await tx.trackFile.findFirstOrThrow({ where, select: { id: true } })).id)
      }
      await recordFileEvents(services, tx, trackId, changed)
      await endJob(tx, job, { state: 'done' }, services.clock())
    })
  })
}

/** Whether a run of the track has already made the same file from the upload, and recorded its event. */
const isMadeFrom = (
  { coverUploadedAt }: Pick<Track, 'coverUploadedAt'>,
  { sha256, completedAt }: Pick<TrackFile, 'sha256' | 'completedAt'>,
  file: DoneFile,
) => sha256 === file.sha256 && Number(completedAt) >= Number(coverUploadedAt)

/**
 * Records `track_file.failed` for an uploaded cover that cannot be used, unless the track has a cover file of an earlier
 * one or is making one. The failed file is not kept: a track without a cover is complete.
 */
export async function recordCoverFailure(
  services: Services,
  tx: Transaction,
  { organizationId, trackId }: TrackJob,
  reason: OutcomeReason,
): Promise<void> {
  const track = await tx.track.findFirst({ where: { id: trackId, deletedAt: null }, select: { id: true } })
  if (!track) return
  const variants = await lockVariants(tx, coverVariants(organizationId))
  const rows = variants.map(({ id: variantId, props }) => ({
    organizationId,
    trackId,
    variantId,
    props: props as Prisma.InputJsonObject,
    state: 'failed' as const,
    ...reason,
  }))
  const created = await tx.trackFile.createManyAndReturn({ data: rows, skipDuplicates: true, select: { id: true } })
  const ids = created.map(({ id }) => id)
  await recordFileEvents(services, tx, trackId, ids)
  await tx.trackFile.deleteMany({ where: { id: { in: ids } } })
}
