import { close, openSync } from 'node:fs'

/** Default number of files. Each takes a descriptor of the process. */
const MAX_OPEN = 512
const SWEEP_MS = 5_000

/**
 * Keeps files open between reads, because opening and closing one takes as long as reading 64 kB of it. A file is closed
 * one to two sweeps after its last read. Until then, a removed one takes space on the disk.
 * @param pathOf path of an object
 * @returns a function that returns the descriptor of an object, valid until the next call. It throws as `openSync`
 */
export function createOpenFiles(
  pathOf: (key: string) => string,
  { maxOpen = MAX_OPEN, sweepMs = SWEEP_MS } = {},
): (key: string) => number {
  let recent = new Map<string, number>()
  /** Not read since the last sweep. */
  let older = new Map<string, number>()
  let sweeping: ReturnType<typeof setInterval> | undefined
  const toClose: number[] = []
  let isClosing = false

  /** Closes by one thread: a network file system that hangs would stop the event loop, or all threads. */
  function closeNext(): void {
    const descriptor = toClose.shift()
    isClosing = descriptor !== undefined
    if (descriptor !== undefined) close(descriptor, closeNext)
  }

  function sweep(): void {
    toClose.push(...older.values())
    if (!isClosing) closeNext()
    older = recent
    recent = new Map()
    if (older.size > 0) return
    clearInterval(sweeping)
    sweeping = undefined
  }

  return (key) => {
    const openDescriptor = recent.get(key)
    if (openDescriptor !== undefined) return openDescriptor
    const descriptor = older.get(key) ?? openSync(pathOf(key), 'r')
    older.delete(key)
    if (recent.size >= maxOpen / 2) sweep()
    recent.set(key, descriptor)
    sweeping ??= setInterval(sweep, sweepMs).unref()
    return descriptor
  }
}
