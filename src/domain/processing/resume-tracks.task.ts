import type { Transaction } from '../../platform/db/client.ts'
import type { Job, Prisma } from '../../platform/db/generated/client/client.ts'
import { task } from '../../platform/jobs/task.ts'
import { resumeTracks } from '../collection/deleted/restore-tracks.ts'
import { lockTrack } from '../track/service.ts'
import { isUnfinished, unfinishedStates } from '../track/states.ts'
import { interrupted, RESUMED } from './job/end.ts'
import { unendedStates } from './job-states.ts'
import {
  queueCoverProcessing,
  queueRebuild,
  queueTrackProcessing,
  queueTranscription,
  queueVariantAgain,
} from './queue/queue.ts'
import { enqueueJob, processVariantJob } from './queue/tasks.ts'

/**
 * Queues the work on restored tracks that ended because they were deleted, so that they end as if they had not been
 * (contract, section 4). Jobs that wait or run continue by themselves.
 */
export const resumeTracksTask = task(resumeTracks, async ({ db }, { trackIds }, { signal }) => {
  const isConcerned: Prisma.TrackWhereInput = {
    OR: [{ status: { in: unfinishedStates } }, { jobs: { some: interrupted } }],
  }
  const tracks = await db.track.findMany({ where: { id: { in: trackIds }, ...isConcerned }, select: { id: true } })
  for (const { id } of tracks) {
    signal.throwIfAborted()
    await db.$transaction((tx) => settle(tx, id))
    // Without the lock on the track, which jobs lock after themselves.
    await db.$transaction((tx) => queueInterrupted(tx, id))
  }
})

/** Queues a job that ends the processing of a track, unless one waits or runs. */
async function settle(tx: Transaction, trackId: string): Promise<void> {
  const { organizationId, status, deletedAt, uploadCompletedAt } = await lockTrack(tx, trackId)
  if (deletedAt || !isUnfinished(status) || !uploadCompletedAt) return
  const jobs = await tx.job.findMany({
    where: { trackId, kind: { notIn: ['process_track_cover', 'transcribe_track'] }, state: { in: unendedStates } },
    select: { id: true, kind: true, state: true, variantId: true },
  })
  if (jobs.some(({ kind, state }) => kind !== 'process_variant' || state === 'running')) return
  const planned = await tx.trackFile.findMany({ where: { trackId, state: 'queued' }, select: { variantId: true } })
  const waiting = jobs.find(({ variantId }) => planned.every((file) => file.variantId === variantId))
  if (planned.length > 0 && waiting) {
    // A job of a batch waits until its track is ready. This one makes the only file that the track lacks.
    await enqueueJob(tx, processVariantJob, { id: waiting.id, organizationId })
    return
  }
  const [rebuild] = await markResumed(tx, { trackId, kind: 'rebuild_track' })
  if (rebuild) await queueRebuild(tx, organizationId, trackId, rebuild.variantIds)
  else await queueTrackProcessing(tx, organizationId, trackId)
}

/** Queues the files, covers and transcriptions of a track again whose jobs ended because it was deleted. */
async function queueInterrupted(tx: Transaction, trackId: string): Promise<void> {
  for (const { id, organizationId, kind, variantId } of await markResumed(tx, { trackId })) {
    const order = kind === 'transcribe_track' && (await tx.transcription.findUnique({ where: { id } }))
    if (order) {
      const { language, prompt, recordingSeconds } = order
      await queueTranscription(tx, organizationId, trackId, { language, prompt, recordingSeconds })
    }
    if (kind === 'process_track_cover') await queueCoverProcessing(tx, organizationId, { trackId })
    else if (kind === 'process_variant' && variantId) await queueVariantAgain(tx, organizationId, trackId, variantId)
  }
}

/** Marks interrupted jobs, so that they are resumed once. */
const markResumed = (tx: Transaction, where: Prisma.JobWhereInput): Promise<Job[]> =>
  tx.job.updateManyAndReturn({ where: { ...where, ...interrupted }, data: { error: RESUMED } })
