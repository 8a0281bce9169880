import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import type { Database, Transaction } from '../../../platform/db/client.ts'
import type { Prisma, TrackFile, Variant } from '../../../platform/db/generated/client/client.ts'
import { findSuffix, siblingKey } from '../../delivery/name.ts'
import { extensionsWithSiblings, findSiblings, mapSiblings } from '../../delivery/siblings.ts'

/** The columns that locate a file's bytes. */
type Stored = Pick<TrackFile, 'storageKey' | 'data'>

/**
 * Returns the storage key for the bytes that one job generates by one recipe. It is in the folder of the track's
 * creator, if there is one. Keys are unique per writer and recipe, so that a late writer never overwrites the
 * bytes of a newer one.
 * @param writer a job uses the same name for its attempts after failures, so that they leave no unused bytes
 */
export function newStorageKey(
  { basePath, trackId, variantId }: { basePath: string; trackId: string; variantId: string },
  writer: string,
  recipe: unknown,
  extension: string,
): string {
  const version = createHash('sha256')
    .update(`${writer} ${JSON.stringify(recipe)}`)
    .digest('hex')
    .slice(0, 16)
  return `files/${dirname(basePath)}/${trackId}-${variantId}-${version}.${extension}`
}

/** Returns all storage keys of a file: its own and those of its siblings. */
export function storedKeys({ storageKey, data }: Stored): string[] {
  if (storageKey === null) return []
  const siblings = findSiblings(data).map(({ path }) => siblingKey(storageKey, findSuffix(path)))
  return [...new Set([storageKey, ...siblings])]
}

/** Schedules the removal of objects. `adopt` cancels it. */
export async function discard(tx: Transaction, keys: readonly string[], removeAfter: Date): Promise<void> {
  if (keys.length === 0) return
  await tx.$executeRaw`
    INSERT INTO unused_object (key, remove_after)
    SELECT key, ${removeAfter}::timestamptz FROM unnest(${[...keys].sort()}::text[]) AS key
    ON CONFLICT (key) DO UPDATE SET remove_after = excluded.remove_after`
}

/**
 * Cancels the removal of objects that a record refers to from this transaction on.
 * @throws for an object that is not listed any more: a purge has removed it. The attempt is repeated
 */
export async function adopt(tx: Transaction, keys: readonly string[]): Promise<void> {
  const { count } = await tx.unusedObject.deleteMany({ where: { key: { in: [...keys] } } })
  if (count !== new Set(keys).size) throw new Error('a stored object was removed before a row named it')
}

/** Returns those of the keys that a recording, a file or a sibling of a file of an unpurged track is stored under. */
export async function findUsedKeys(db: Database, keys: readonly string[]): Promise<Set<string>> {
  const siblings = keys.flatMap((key) => extensionsWithSiblings.map((extension) => siblingKey(key, extension)))
  const mains = [...new Set([...keys, ...siblings])]
  const files = await db.trackFile.findMany({
    where: { storageKey: { in: mains }, track: { purgedAt: null } },
    select: { storageKey: true, data: true },
  })
  const where = { sourceKey: { in: [...keys] }, purgedAt: null }
  const recordings = await db.track.findMany({ where, select: { sourceKey: true } })
  return new Set([...files.flatMap(storedKeys), ...recordings.flatMap(({ sourceKey }) => sourceKey ?? [])])
}

/** Returns a copy of a file's data in which the paths of sibling files derive from its path. */
export function dataAt(data: object | null, path: string): object | null {
  const moved = (sibling: string) => ({ path: siblingKey(path, findSuffix(sibling)) })
  return mapSiblings(data, moved) as object | null
}

/**
 * Changes the delivery path of a finished file to its variant's new index. Its bytes keep their storage key.
 * @param base path of the new address without its extension
 */
export async function renameFile(tx: Transaction, file: TrackFile, variant: Pick<Variant, 'index'>, base: string) {
  const path = `${base}${/\.[^./]+$/.exec(file.path ?? '')?.[0] ?? ''}`
  const moved = dataAt(file.data as object | null, path)
  const data = moved === null ? undefined : (moved as Prisma.InputJsonObject)
  await tx.trackFile.update({ where: { id: file.id }, data: { path, index: variant.index, data } })
}
