import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { Recent } from '../recent.ts'

/** Time after a read by a thread for which a file may be read on the event loop. */
const AWAKE_MS = 2_000
/** About 2 MB. */
const MAX_AWAKE = 10_000
/** Files that threads are reading. More of them mean that the disk does not answer. */
const MAX_READING = 1_000

/**
 * Knows the files whose disk has just answered. A read on the event loop is faster than one by a thread while the bytes
 * are in the page cache, but a network file system that hangs, or a failing disk, would stop the API, the health checks
 * and the heartbeat with it.
 * @param pathOf path of an object
 * @param answerMs time limit of a read by a thread
 */
export function createAwakeFiles(pathOf: (key: string) => string, answerMs: number, now = () => performance.now()) {
  const awake = new Recent<number>(MAX_AWAKE)
  const reading = new Map<string, Promise<Stats>>()

  async function read(key: string): Promise<Stats> {
    await using file = await open(pathOf(key), 'r')
    const stats = await file.stat()
    if (stats.isFile()) await file.read(Buffer.allocUnsafe(1), 0, 1, 0)
    awake.set(key, now())
    return stats
  }

  return {
    /** Whether the file may be read on the event loop. */
    isAwake: (key: string): boolean => now() - (awake.get(key) ?? Number.NEGATIVE_INFINITY) < AWAKE_MS,

    /**
     * Reads the first byte of the file by a thread. Calls for one file share a read.
     * @throws the error of the disk, or ETIMEDOUT
     */
    async wake(key: string): Promise<Stats> {
      const late = Object.assign(new Error('the disk does not answer'), { code: 'ETIMEDOUT' })
      if (!reading.has(key)) {
        if (reading.size >= MAX_READING) throw late
        const result = read(key)
        reading.set(key, result)
        const forget = () => reading.delete(key)
        result.then(forget, forget)
      }
      const { promise, reject } = Promise.withResolvers<never>()
      const timer = setTimeout(() => reject(late), answerMs)
      try {
        return await Promise.race([reading.get(key) as Promise<Stats>, promise])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
