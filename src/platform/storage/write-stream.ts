import type { FileHandle } from 'node:fs/promises'
import { type AppendOptions, TooLargeError } from './storage.ts'

/** Bytes written at once, of which each upload has two buffers. One of 1 MiB is no faster (`bun run bench upload`). */
const WRITE_BYTES = 256 << 10
/** Written bytes after which the kernel is made to start writing back, so that the closing fsync is short. */
const SYNC_BYTES = 64 << 20
/** How often somebody who wants to know is told what is safe. */
const TELL_MS = 1000

export interface WriteOptions extends AppendOptions {
  /** Where in the file the first byte goes. */
  start?: number
  /** Sees each chunk as it comes. */
  onChunk?: (chunk: Uint8Array) => void
}

/**
 * Writes a stream into an open file and makes it durable.
 * @returns how many bytes came
 * @throws TooLargeError as soon as more than `maxBytes` have come
 */
export async function writeStream(file: FileHandle, body: AsyncIterable<Uint8Array>, options: WriteOptions) {
  const { start = 0, maxBytes, onChunk, beforeWrite, onSafe } = options
  let bytes = 0
  let written = 0
  let sinceSync = 0
  let told = performance.now()
  const isDue = () => onSafe !== undefined && performance.now() - told > TELL_MS
  // One fills while the other is written, for the whole upload: fresh ones would be garbage faster than it is collected.
  let filling = Buffer.allocUnsafeSlow(WRITE_BYTES)
  let resting = Buffer.allocUnsafeSlow(WRITE_BYTES)
  let filled = 0
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
    told = performance.now()
  }
  const flush = async () => {
    const chunk = filling.subarray(0, filled)
    await writing
    ;[filling, resting] = [resting, filling]
    filled = 0
    writing = write(chunk)
    // A failure surfaces at the next await; until then it must not count as unhandled.
    writing.catch(() => {})
  }
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw new TooLargeError(`more than ${maxBytes} bytes`)
      onChunk?.(chunk)
      for (let offset = 0; offset < chunk.byteLength; ) {
        const part = chunk.subarray(offset, offset + WRITE_BYTES - filled)
        filling.set(part, filled)
        filled += part.byteLength
        offset += part.byteLength
        if (filled === WRITE_BYTES) await flush()
      }
      if (filled > 0 && isDue()) await flush()
      collectChunks(chunk.byteLength)
    }
    if (filled > 0) await flush()
    await writing
    await file.sync()
  } finally {
    await writing.catch(() => {})
  }
  return bytes
}

const COLLECT_BYTES = 24 << 20
let uncollected = 0

/**
 * Has the chunks of all uploads collected in time: their bytes lie outside the heap, which alone decides when Bun
 * collects, so that a fast upload would otherwise hold hundreds of megabytes of them. At once, for a collection that is
 * only asked for comes too late; it takes some 20 ms.
 */
function collectChunks(bytes: number): void {
  uncollected += bytes
  if (uncollected < COLLECT_BYTES) return
  uncollected = 0
  Bun.gc(true)
}

async function writeFully(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    offset += (await file.write(chunk, offset, chunk.byteLength - offset, position + offset)).bytesWritten
  }
}
