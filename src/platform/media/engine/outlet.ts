import type { ToolProcess } from '../ffmpeg/spawn.ts'

/** Bytes that may be queued for one program: enough to keep all cores busy, little compared to a recording. */
const MAX_WAITING_BYTES = 1 << 20

/**
 * Queues data for a program's standard input. Data for a program that has ended is dropped, so that it blocks no other.
 * @param maxWaitingBytes size of a full queue
 */
export function outletTo(
  { stdin, ended }: Pick<ToolProcess<'pipe'>, 'stdin' | 'ended'>,
  maxWaitingBytes = MAX_WAITING_BYTES,
) {
  let waiting: Uint8Array[] = []
  let bytes = 0
  let hasEnded = false
  let pumping: Promise<void> | null = null
  let makeRoom = () => {}
  const stop = () => {
    hasEnded = true
    waiting = []
    makeRoom()
  }
  ended.then(stop)

  async function pump(): Promise<void> {
    for (let chunk = waiting.shift(); chunk; chunk = waiting.shift()) {
      stdin.write(chunk)
      await stdin.flush()
      bytes -= chunk.length
      if (bytes < maxWaitingBytes) makeRoom()
    }
    pumping = null
  }

  return {
    push(chunk: Uint8Array): void {
      if (hasEnded) return
      waiting.push(chunk)
      bytes += chunk.length
      // A write to a program that is exiting fails; its exit status reports the cause.
      pumping ??= pump().catch(stop)
    },
    /** Resolves when the queue has room. */
    async room(): Promise<void> {
      if (hasEnded || bytes < maxWaitingBytes) return
      await new Promise<void>((resolve) => {
        makeRoom = resolve
      })
    },
    /** Resolves when everything has been written. */
    async end(): Promise<void> {
      await pumping
      await Promise.resolve(stdin.end()).catch(stop)
    },
  }
}
