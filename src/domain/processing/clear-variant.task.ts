import type { Services } from '../../platform/context.ts'
import { task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'
import { discard, storedKeys } from '../track/file/bytes.ts'
import { changeStatus } from '../track/status.ts'
import { clearVariant } from '../variant/manage.ts'
import { cancelJobs } from './batch/cancel.ts'
import { readOutcome, reasonFor } from './outcome.ts'

const CHUNK = 500

/**
 * Deletes the files of a deleted variant, and their bytes after the grace period. Tracks whose only failed files were
 * those become ready. Every transaction that writes a file locks its variant, so none is added afterwards.
 */
export const clearVariantTask = task(clearVariant, async (services, { variantId }, { signal }) => {
  const { db, config } = services
  const variant = await db.variant.findUniqueOrThrow({ where: { id: variantId } })
  if (!variant.deletedAt) return
  const batches = await db.batch.findMany({ where: { variantId, finishedAt: null }, select: { id: true } })
  for (const { id } of batches) await cancelJobs(services, id)
  const removeAfter = new Date(variant.deletedAt.getTime() + config.deletedFilesKeptDays * DAY_MS)
  while ((await clearSome(services, variantId, removeAfter)) === CHUNK) signal.throwIfAborted()
})

async function clearSome(services: Services, variantId: string, removeAfter: Date): Promise<number> {
  return services.db.$transaction(async (tx) => {
    const chunk = await tx.trackFile.findMany({
      where: { variantId },
      select: { id: true, trackId: true },
      take: CHUNK,
    })
    const trackIds = chunk.map(({ trackId }) => trackId)
    await tx.$queryRaw`SELECT id FROM track WHERE id = ANY(${trackIds}::uuid[]) ORDER BY id FOR UPDATE`
    // Read after the lock: a run that ended before may have replaced the bytes.
    const files = await tx.trackFile.findMany({ where: { id: { in: chunk.map(({ id }) => id) } } })
    await discard(tx, files.flatMap(storedKeys), removeAfter)
    await tx.trackFile.deleteMany({ where: { id: { in: files.map(({ id }) => id) } } })
    const unready = await tx.track.findMany({
      where: { id: { in: trackIds }, status: { in: ['incomplete', 'error'] }, deletedAt: null },
      select: { id: true, status: true },
    })
    for (const { id, status } of unready) {
      const to = await readOutcome(tx, id)
      if (to === status) continue
      const reason = await reasonFor(tx, id, to)
      // A track that plays keeps the note on its recording.
      const data = reason.statusCode !== null || status === 'error' ? reason : {}
      await changeStatus(services, tx, id, { from: [status], to, data })
    }
    return chunk.length
  })
}
