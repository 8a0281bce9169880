import type { FileHandle } from 'node:fs/promises'
import { type AppendOptions, TooLargeError } from './storage.ts'

/**
 * Bytes per write, initially and at most. Each upload has two buffers of this size. 1 MiB is not faster (`bun run bench
 * upload`).
 */
const FIRST_BYTES = 16 << 10
const MOST_BYTES = 256 << 10
/** A buffer that is filled faster is replaced by one of twice its size. */
const FAST_MS = 50
/** Limit for the growth of the buffers of all uploads together. */
const GROWTH_BYTES = 64 << 20
let grown = 0
/** Bytes after which write-back is started, so that the final fsync is short. */
const SYNC_BYTES = 64 << 20
/** Interval of `onSafe`. */
const REPORT_MS = 1000

export interface WriteOptions extends AppendOptions {
  /** Offset of the first byte in the file. Defaults to 0. */
  start?: number
  /** Called with each received chunk. */
  onChunk?: (chunk: Uint8Array) => void
}

/**
 * Writes a stream into an open file and makes it durable.
 * @returns number of received bytes
 * @throws TooLargeError as soon as more than `maxBytes` have arrived
 */
export async function writeStream(file: FileHandle, body: AsyncIterable<Uint8Array>, options: WriteOptions) {
  const { start = 0, maxBytes, onChunk, beforeWrite, onSafe } = options
  let bytes = 0
  let written = 0
  let sinceSync = 0
  let reportedAt = performance.now()
  const isDue = () => onSafe !== undefined && performance.now() - reportedAt > REPORT_MS
  // One is filled while the other is written. They are kept: new ones would become garbage faster than it is collected.
  let size = FIRST_BYTES
  let filling = Buffer.allocUnsafeSlow(size)
  let spare = Buffer.allocUnsafeSlow(size)
  let filled = 0
  let flushedAt = performance.now()
  let writing: Promise<unknown> = Promise.resolve()

  const write = async (chunk: Uint8Array) => {
    await beforeWrite?.()
    await writeFully(file, chunk, start + written)
    written += chunk.byteLength
    sinceSync += chunk.byteLength
    const isTime = isDue()
    if (!isTime && sinceSync < SYNC_BYTES) return
    sinceSync = 0
    await file.datasync()
    if (!isTime) return
    await onSafe?.(written)
    reportedAt = performance.now()
  }
  const flush = async () => {
    const chunk = filling.subarray(0, filled)
    await writing
    ;[filling, spare] = [spare, filling]
    filled = 0
    const now = performance.now()
    const isFast = now - flushedAt < FAST_MS && chunk.byteLength === size
    flushedAt = now
    if (isFast && size < MOST_BYTES && grown + 2 * size <= GROWTH_BYTES) {
      grown += 2 * size
      size *= 2
    }
    if (filling.byteLength < size) filling = Buffer.allocUnsafeSlow(size)
    writing = write(chunk)
    // A failure surfaces at the next await and must not count as unhandled until then.
    writing.catch(() => {})
  }
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw new TooLargeError(`more than ${maxBytes} bytes`)
      onChunk?.(chunk)
      for (let offset = 0; offset < chunk.byteLength; ) {
        const part = chunk.subarray(offset, offset + filling.byteLength - filled)
        filling.set(part, filled)
        filled += part.byteLength
        offset += part.byteLength
        if (filled === filling.byteLength) await flush()
      }
      if (filled > 0 && isDue()) await flush()
    }
    if (filled > 0) await flush()
    await writing
    await file.sync()
  } finally {
    grown -= 2 * (size - FIRST_BYTES)
    await writing.catch(() => {})
  }
  return bytes
}

/** Writes all bytes of a chunk at a position of an open file. */
export async function writeFully(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    offset += (await file.write(chunk, offset, chunk.byteLength - offset, position + offset)).bytesWritten
  }
}
