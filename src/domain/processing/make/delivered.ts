import { join } from 'node:path'
import { capturedSpan } from '../../track/file/captured.ts'
import { withFiles } from '../../track/service.ts'
import type { Run } from '../run/run.ts'

/** A finished file of a track on the local disk. */
export interface DeliveredTranscode {
  file: string
  /** Index of its variant. */
  index: string
  /** Length of its sound. */
  durationSeconds: number
}

/**
 * Finds the file that players are given: the oldest organization-wide transcode that is complete, made by this run or
 * an earlier one. Null for a track that has none.
 */
export const deliveredTranscode = (run: Run) => run.once('delivered', () => findTranscode(run))

async function findTranscode(run: Run): Promise<DeliveredTranscode | null> {
  const { services, track, inputs, folder, making, results, signal } = run
  const { db, storage } = services
  const files = await db.trackFile.findMany({
    where: { trackId: track.id, variant: { type: 'transcode', trackId: null, deletedAt: null } },
    include: withFiles.files.include,
    orderBy: withFiles.files.orderBy,
  })
  for (const { id, state, variant, ...row } of files) {
    await making.get(id)
    const result = results.get(id)
    const doneFile = result?.state === 'done' ? result : state === 'done' ? row : null
    if (!doneFile?.storageKey) continue
    const key = doneFile.storageKey
    const delivered = {
      index: variant.index,
      durationSeconds: capturedSpan(doneFile)?.durationSeconds ?? run.sound.durationSeconds,
    }
    // A file of this run is usually still in its scratch folder.
    const local = result?.state === 'done' ? join(folder, `${id}.${result.extension}`) : null
    if (local && Bun.file(local).size === Number(doneFile.size)) return { ...delivered, file: local }
    const isComplete = (await storage.size(key, signal)) === Number(doneFile.size)
    if (isComplete) return { ...delivered, file: await storage.fetch(key, inputs, signal) }
  }
  return null
}
