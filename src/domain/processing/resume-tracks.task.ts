import type { Transaction } from '../../platform/db/client.ts'
import { task } from '../../platform/jobs/task.ts'
import { resumeTracks } from '../collection/deleted/restore-tracks.ts'
import { isUnfinished } from '../track/change/state.ts'
import { lockTrack } from '../track/service.ts'
import { queueTrackProcessing } from './queue.ts'

/**
 * Processes restored tracks whose jobs ended because they were deleted: what their first run has not made is made, and
 * their states follow from their files. Jobs that wait or run continue by themselves.
 */
export const resumeTracksTask = task(resumeTracks, async ({ db }, { trackIds }, { signal }) => {
  for (const id of trackIds) {
    signal.throwIfAborted()
    await db.$transaction((tx) => resume(tx, id))
  }
})

async function resume(tx: Transaction, trackId: string): Promise<void> {
  const { organizationId, status, deletedAt, uploadCompletedAt } = await lockTrack(tx, trackId)
  if (deletedAt || !isUnfinished(status) || !uploadCompletedAt) return
  const jobs = await tx.job.findMany({
    where: { trackId, kind: { not: 'process_track_cover' }, state: { in: ['queued', 'running'] } },
    select: { kind: true, state: true, variantId: true },
  })
  // A queued job of a variant that has planned no file waits until the track is ready.
  const planned = await tx.trackFile.findMany({ where: { trackId, state: 'queued' }, select: { variantId: true } })
  const isPlanned = (id: string | null) => planned.some(({ variantId }) => variantId === id)
  const continues = jobs.some(
    ({ kind, state, variantId }) => kind !== 'process_variant' || state === 'running' || isPlanned(variantId),
  )
  if (!continues) await queueTrackProcessing(tx, organizationId, trackId)
}
