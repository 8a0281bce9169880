import { task } from '../../platform/jobs/task.ts'
import { makeMissingFiles } from '../track/replace-recording.ts'
import { lockVariants } from '../variant/service.ts'
import { queueVariantAgain } from './queue/queue.ts'

/**
 * Queues the files that a track lacks after the change of its recording: those of variants that were applied to the track
 * while its new recording was being processed.
 */
export const makeMissingFilesTask = task(makeMissingFiles, async ({ db }, { trackId, variantIds }) => {
  await db.$transaction(async (tx) => {
    const track = await tx.track.findFirst({
      where: { id: trackId, deletedAt: null },
      select: { organizationId: true },
    })
    if (!track) return
    const variants = await lockVariants(tx, { id: { in: variantIds }, files: { none: { trackId } } })
    for (const { id } of variants) await queueVariantAgain(tx, track.organizationId, trackId, id)
  })
})
