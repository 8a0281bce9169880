import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory. Absent on macOS, and small in most containers. */
export const MEMORY = '/dev/shm'
/** Ample for the databases, services and recordings of the files that run at once. */
const NEEDED_BYTES = 4 * 2 ** 30

/**
 * Creates the folder for temporary files of a test run: in memory if that is large enough, because a suite creates some
 * 300 databases of 12 MB, which take 2 to 4 times as long on a disk.
 */
export async function createScratch(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => null)
  const isAmple = memory !== null && memory.bavail * memory.bsize >= NEEDED_BYTES
  return mkdtemp(join(isAmple ? MEMORY : tmpdir(), 'tonearm-run-'))
}
