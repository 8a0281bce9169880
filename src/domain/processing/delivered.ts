import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import { withFiles } from '../track/service.ts'
import type { FileResult, Source } from './source.ts'

/** A finished file of a track on the local disk. */
export interface Delivered {
  file: string
  /** Of its variant. */
  index: string
}

/**
 * What players are given: the oldest organization-wide transcode that is whole, made by this run or an earlier one.
 * @param results of this run so far
 * @returns null for a track that has none
 */
export async function deliveredTranscode(
  { db, storage }: Services,
  { trackId, inputs, folder }: Pick<Source, 'trackId' | 'inputs' | 'folder'>,
  results: ReadonlyMap<string, FileResult>,
): Promise<Delivered | null> {
  const files = await db.trackFile.findMany({
    where: { trackId, variant: { type: 'transcode', trackId: null, deletedAt: null } },
    include: withFiles.files.include,
    orderBy: withFiles.files.orderBy,
  })
  for (const { id, state, storageKey, path, size, variant } of files) {
    const result = results.get(id)
    const made = result?.state === 'done' ? result : state === 'done' ? { storageKey: storageKey ?? path, size } : null
    if (!made?.storageKey) continue
    const key = made.storageKey
    // A file of this run is usually still in its scratch folder.
    const local = result?.state === 'done' ? join(folder, `${id}.${result.extension}`) : null
    if (local && Bun.file(local).size === Number(made.size)) return { file: local, index: variant.index }
    const isWhole = (await storage.size(key)) === Number(made.size)
    if (isWhole) return { file: await storage.fetch(key, inputs), index: variant.index }
  }
  return null
}
