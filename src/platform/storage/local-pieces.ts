import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Incoming, PiecewiseUploads } from './storage.ts'
import { writeStream } from './write-stream.ts'

/**
 * Uploads that come in pieces, in a folder: each is one file, which grows.
 * @param handleOf how a whole file becomes an object of storage
 */
export function createLocalPieces(
  folder: string,
  ready: Promise<unknown>,
  handleOf: (file: string) => Pick<Incoming, 'commit' | 'discard'>,
): PiecewiseUploads {
  const pathOf = (id: string) => join(folder, `${id}.part`)

  return {
    async append(id, start, body, options) {
      await ready
      const file = await open(pathOf(id), constants.O_RDWR | constants.O_CREAT, 0o600)
      try {
        // Behind it may lie what was never checked, or never counted.
        await file.truncate(start)
        return await writeStream(file, body, { ...options, start })
      } finally {
        await file.close()
      }
    },

    async size(id) {
      return (await stat(pathOf(id)).catch(() => null))?.size ?? 0
    },

    async finish(id, bytes) {
      const path = pathOf(id)
      const file = await open(path, 'r+')
      try {
        await file.truncate(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      const hash = createHash('sha256')
      for await (const chunk of Bun.file(path).stream()) hash.update(chunk)
      return { bytes, sha256: hash.digest('hex'), ...handleOf(path) }
    },

    async discard(id) {
      await rm(pathOf(id), { force: true })
    },
  }
}
