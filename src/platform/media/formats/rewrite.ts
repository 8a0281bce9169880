import { type FileHandle, open, rename, rm } from 'node:fs/promises'

const CHUNK_BYTES = 1 << 20

/**
 * Writes a new version of a file to a sibling file and renames it when complete.
 * @param make yields the new bytes; each chunk is written before the next is requested
 */
export async function rewrite(file: string, make: (source: FileHandle) => AsyncIterable<Uint8Array>): Promise<void> {
  const unfinished = `${file}.tagged`
  const source = await open(file, 'r')
  try {
    const target = await open(unfinished, 'w')
    try {
      for await (const chunk of make(source)) await writeAll(target, chunk)
    } finally {
      await target.close()
    }
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  } finally {
    await source.close()
  }
}

/** Writes all bytes. @param at offset in the file. Defaults to its current position */
export async function writeAll(target: FileHandle, bytes: Uint8Array, at: number | null = null): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const place = at === null ? null : at + done
    done += (await target.write(bytes, done, bytes.length - done, place)).bytesWritten
  }
}

/** Yields the bytes of a range in chunks that share one buffer. `to` defaults to the end of the file. */
export async function* bytesFrom(source: FileHandle, from: number, to = Number.POSITIVE_INFINITY) {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let at = from; at < to; ) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, to - at), at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** Reads up to `length` bytes; fewer at the end of the file. */
export async function readAt(source: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await source.read(bytes, 0, length, at)
  return bytes.subarray(0, bytesRead)
}
