import type { ChosenFile } from '../../upload/files.ts'

/** A recording of the organization. */
export interface Recording {
  trackId: string
  title: string
  collectionTitle: string | null
  bytes: number
  sha256: string | null
}

/** The recording that a file is equal to: one of the organization, or a file before it. */
export type Original = Pick<Recording, 'title' | 'collectionTitle'> & { trackId: string | null }

/** A file that waits for a person, because its recording exists. */
export interface Duplicate {
  id: number
  file: ChosenFile
  collectionId: string
  original: Original
}

/** Sizes of one request: the maximum of the service. */
const MAX_SIZES = 100
/** Larger files are uploaded without a comparison: the browser's hash needs the whole file in memory. */
const MAX_HASHED_BYTES = 256 << 20

/**
 * Finds the files that the organization has already, or that are twice among the files. Only those are read whose size another
 * recording has (decision 0075). Yields each file in order, as soon as it is decided: null for one that is new, or that
 * could not be compared.
 * @param findBySize returns the recordings of the organization that have one of the sizes
 */
export async function* findDuplicates<File extends ChosenFile>(
  files: readonly File[],
  findBySize: (sizes: number[]) => Promise<readonly Recording[]>,
): AsyncGenerator<{ file: File; original: Original | null }> {
  const earlierFiles = new Map<number, EarlierFiles>()
  for (let start = 0; start < files.length; start += MAX_SIZES) {
    const group = files.slice(start, start + MAX_SIZES)
    const sizes = new Set(group.map(({ file }) => file.size))
    const recordings = await findBySize([...sizes]).catch(() => [])
    for (const file of group) {
      const { size } = file.file
      const sameSize = recordings.filter(({ bytes }) => bytes === size)
      const earlier = earlierFiles.get(size) ?? { unread: null, nameByHash: new Map() }
      earlierFiles.set(size, earlier)
      yield { file, original: await findEqual(file, sameSize, earlier) }
    }
  }
}

/** Files of one size before a file. */
interface EarlierFiles {
  /** The first one, as long as no other made it necessary to read it. */
  unread: ChosenFile | null
  nameByHash: Map<string, string>
}

async function findEqual(
  chosen: ChosenFile,
  recordings: readonly Recording[],
  earlier: EarlierFiles,
): Promise<Original | null> {
  const { unread, nameByHash } = earlier
  if (recordings.length + nameByHash.size === 0 && !unread) {
    earlier.unread = chosen
    return null
  }
  if (unread) {
    earlier.unread = null
    await remember(unread, nameByHash)
  }
  const hash = await readHash(chosen.file)
  if (hash === null) return null
  const name = nameByHash.get(hash)
  nameByHash.set(hash, name ?? chosen.name)
  const recording = recordings.find(({ sha256 }) => sha256 === hash)
  if (recording) return recording
  return name === undefined ? null : { trackId: null, title: name, collectionTitle: null }
}

async function remember({ file, name }: ChosenFile, nameByHash: Map<string, string>): Promise<void> {
  const hash = await readHash(file)
  if (hash !== null) nameByHash.set(hash, name)
}

/** @returns SHA-256 in lower-case hexadecimal; null for a large file, one that cannot be read, and on a page without TLS */
async function readHash(file: File): Promise<string | null> {
  if (file.size > MAX_HASHED_BYTES || !globalThis.crypto?.subtle) return null
  try {
    const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  } catch {
    return null
  }
}
