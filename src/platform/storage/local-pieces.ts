import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { asStorageError, guardStorage, type Incoming, type PiecewiseUploads } from './storage.ts'
import { writeStream } from './write-stream.ts'

const READ_BYTES = 1 << 20

/**
 * Stores uploads in pieces in a folder. Each is one file that grows.
 * @param handleOf returns the functions that turn a complete file into an object of storage
 */
export function createLocalPieces(
  folder: string,
  ready: Promise<unknown>,
  handleOf: (file: string, key: string) => Pick<Incoming, 'key' | 'commit' | 'discard'>,
): PiecewiseUploads {
  const toPath = (id: string) => join(folder, `${id}.part`)

  return {
    async append(id, start, body, options) {
      try {
        await ready
        const file = await open(toPath(id), constants.O_RDWR | constants.O_CREAT, 0o600)
        try {
          await options.beforeWrite?.()
          // Bytes after `start` were never acknowledged.
          await file.truncate(start)
          return await writeStream(file, body, { ...options, start })
        } finally {
          await file.close()
        }
      } catch (error) {
        throw asStorageError('append', error)
      }
    },

    async size(id) {
      return (await stat(toPath(id)).catch(() => null))?.size ?? 0
    },

    async finish(id, key, bytes) {
      const path = toPath(id)
      const sha256 = await guardStorage('finish', key, () => complete(path, bytes))
      return { bytes, sha256, ...handleOf(path, key) }
    },

    async discard(id) {
      await rm(toPath(id), { force: true })
    },
  }
}

/** Makes a complete file durable. @returns its SHA-256 */
async function complete(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path, 'r+')
  try {
    // Truncating a shorter file would extend it by zeros.
    const { size } = await file.stat()
    if (size < bytes) throw new Error(`an upload has ${size} of its ${bytes} bytes`)
    await file.truncate(bytes)
    await file.sync()
    // Reuses one buffer: the chunks of a stream would become garbage faster than it is collected.
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
    for (let position = 0; position < bytes; ) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, position)
      if (bytesRead === 0) throw new Error(`an upload has fewer than its ${bytes} bytes`)
      hash.update(buffer.subarray(0, bytesRead))
      position += bytesRead
    }
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}
