import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Prisma, TrackFile, Variant } from '../../../platform/db/generated/client/client.ts'

/** A file by what is needed to find its bytes. */
type Stored = Pick<TrackFile, 'path' | 'storageKey' | 'data'>

/**
 * Storage key for the bytes that one job makes by one recipe, in the folder of the track's creator where it has one. No two of them share it: a job that comes late writes
 * nothing that a newer one delivers, and what is delivered changes with the row that names it. The same job makes the
 * same bytes, so that its repetition leaves nothing behind.
 */
export function newStorageKey(
  { basePath, trackId, variantId }: { basePath: string; trackId: string; variantId: string },
  jobId: string,
  recipe: unknown,
  extension: string,
): string {
  const version = createHash('sha256')
    .update(`${jobId} ${JSON.stringify(recipe)}`)
    .digest('hex')
    .slice(0, 16)
  return `files/${dirname(basePath)}/${trackId}-${variantId}-${version}.${extension}`
}

/** A path, or storage key, without the part of its name that follows the first dot. */
const stemOf = (path: string) => path.replace(/\.[^/]*$/, '')

/** Path, or storage key, of what lies beside a file, told apart from it by `suffix`, such as `icon.jpg` or `dat`. */
export const siblingKey = (main: string, suffix: string) => `${stemOf(main)}.${suffix}`

/** Something that belongs to a file and has bytes of its own, as it stands in `data`: the sizes of a cover, say. */
interface Part {
  path: string
}
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isPart = (value: unknown): value is Part => isRecord(value) && typeof value.path === 'string'

function partsOf(data: unknown): Part[] {
  if (!isRecord(data)) return []
  return Object.values(data).flatMap((value) => [...(isPart(value) ? [value] : []), ...partsOf(value)])
}

/** All storage keys of a file: its own, and of what lies beside it. */
export function storedKeys({ path, storageKey, data }: Stored): string[] {
  const main = storageKey ?? path
  if (main === null) return []
  const parts = partsOf(data).map((part) => siblingKey(main, part.path.slice(stemOf(part.path).length + 1)))
  return [...new Set([main, ...parts])]
}

/** Has bytes removed at a time, unless a record takes them over by then (`adopt`). */
export async function discard(tx: Transaction, keys: readonly string[], removeAfter: Date): Promise<void> {
  if (keys.length === 0) return
  await tx.$executeRaw`
    INSERT INTO unused_object (key, remove_after) 
    SELECT key, ${removeAfter}::timestamptz FROM unnest(${[...keys].sort()}::text[]) AS key
    ON CONFLICT (key) DO UPDATE SET remove_after = excluded.remove_after`
}

/** Takes bytes off the list of what is removed: from this transaction on a record refers to them. */
export const adopt = (tx: Transaction, keys: readonly string[]) =>
  tx.unusedObject.deleteMany({ where: { key: { in: [...keys] } } })

/** A copy of `data` in which every part has the fields that `change` gives for its path, too. */
export function withParts(data: unknown, change: (path: string) => object): unknown {
  if (!isRecord(data)) return data
  const copy = Object.fromEntries(Object.entries(data).map(([name, inner]) => [name, withParts(inner, change)]))
  return isPart(data) ? { ...copy, ...change(data.path) } : copy
}

/** What is kept of a file besides its bytes, what lies beside it under the addresses that follow from its path. */
export function dataAt(data: object | null, path: string): object | null {
  const placed = (part: string) => ({ path: siblingKey(path, part.slice(stemOf(part).length + 1)) })
  return withParts(data, placed) as object | null
}

/**
 * Gives a finished file the address that its variant's new index makes; its bytes stay where they are.
 * @param base path of the new address without its extension
 */
export async function renameFile(tx: Transaction, file: TrackFile, variant: Pick<Variant, 'index'>, base: string) {
  const path = `${base}${/\.[^./]+$/.exec(file.path ?? '')?.[0] ?? ''}`
  const placed = dataAt(file.data as object | null, path)
  const data = placed === null ? undefined : (placed as Prisma.InputJsonObject)
  const storageKey = file.storageKey ?? file.path
  await tx.trackFile.update({ where: { id: file.id }, data: { path, index: variant.index, storageKey, data } })
}
