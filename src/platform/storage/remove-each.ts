import { type RemovalFailure, StorageError } from './storage.ts'

/** Objects that are removed at once. */
const PARALLEL = 8

/** Removes objects one by one. A failure does not keep the others. @returns the failures */
export async function removeEach(
  keys: readonly string[],
  remove: (key: string) => Promise<unknown>,
): Promise<RemovalFailure[]> {
  const failures: RemovalFailure[] = []
  const queue = keys.values()
  const work = async () => {
    for (const key of queue) {
      await remove(key).catch((error) => {
        if (!(error instanceof StorageError)) throw error
        failures.push({ key, error })
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, keys.length) }, work))
  return failures
}
