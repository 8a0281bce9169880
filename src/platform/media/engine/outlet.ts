import type { ToolProcess } from '../ffmpeg/spawn.ts'

/** What may wait for one program: enough for all cores to have something to do, little beside a recording. */
const MAX_WAITING_BYTES = 1 << 20

/** The way to a program's standard input. One that has ended is told nothing more, and holds nobody up. */
export function outletTo({ stdin, ended }: Pick<ToolProcess<'pipe'>, 'stdin' | 'ended'>) {
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
      if (bytes < MAX_WAITING_BYTES) makeRoom()
    }
    pumping = null
  }

  return {
    push(chunk: Uint8Array): void {
      if (hasEnded) return
      waiting.push(chunk)
      bytes += chunk.length
      // What it is told while it ends cannot be written; how it ended, it says itself.
      pumping ??= pump().catch(stop)
    },
    /** Is fulfilled when it can take more. */
    async room(): Promise<void> {
      if (hasEnded || bytes < MAX_WAITING_BYTES) return
      await new Promise<void>((resolve) => {
        makeRoom = resolve
      })
    },
    /** Is fulfilled when all was handed over. */
    async end(): Promise<void> {
      await pumping
      await Promise.resolve(stdin.end()).catch(stop)
    },
  }
}
