const COLLECT_BYTES = 24 << 20
let uncollected = 0

/**
 * Runs the garbage collector regularly while bodies are received whose chunks cannot be freed by `freeBytes`. The bytes
 * of chunks are outside the heap, but only the heap size triggers a collection, so a fast upload would accumulate
 * hundreds of megabytes. Synchronous, because an asynchronous collection starts too late; it takes about 20 ms.
 * @param bytes size of a received chunk
 */
export function collectGarbage(bytes: number): void {
  uncollected += bytes
  if (uncollected < COLLECT_BYTES) return
  uncollected = 0
  Bun.gc(true)
}
