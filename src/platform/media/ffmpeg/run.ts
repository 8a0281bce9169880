import { checkHost } from './host-fault.ts'
import { mediaError } from './reasons.ts'
import { readTail, spawnTool } from './spawn.ts'
import type { Tools } from './tools.ts'

export { hostileInput } from './hostile-input.ts'
export { MediaError } from './reasons.ts'
export { type Scratch, withScratch } from './scratch.ts'
export { findTools, type Tools } from './tools.ts'

export interface RunOptions {
  /** Wall time after which it is killed. */
  timeoutMs: number
  signal?: AbortSignal
  /** Is told, about twice a second, how many seconds of the result there are; for ffmpeg with `progressArgs`. */
  onSeconds?: (seconds: number) => void
}

/** Makes ffmpeg say how far it is, on standard output, in lines that are the same in every version. */
export const progressArgs = ['-progress', 'pipe:1'] as const
/** Microseconds, whatever its name says: later versions keep it for the sake of who knows it. */
const progressLine = /^out_time_ms=(\d+)$/gm

/**
 * Runs ffmpeg or ffprobe with the host's bounds, an empty environment and no input.
 * @returns what it wrote to standard output and error, and its exit status (null when it was killed)
 * @throws MediaError `timed_out`; HostFault; AbortError of the given signal
 */
export async function runTool(
  tools: Tools,
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  { timeoutMs, signal, onSeconds }: RunOptions,
): Promise<{ stdout: string; stderr: string; exitCode: number | null }> {
  const child = spawnTool(tools, program, args, { stdout: 'pipe', timeoutMs, signal })
  const [stdout, ended] = await Promise.all([
    onSeconds ? readProgress(child.stdout, onSeconds) : readTail(child.stdout),
    child.ended,
  ])
  signal?.throwIfAborted()
  checkHost([ended], timeoutMs)
  if (ended.timedOut) throw mediaError('timed_out')
  const { stderr, exitCode } = ended
  return { stdout, stderr, exitCode }
}

/** Reads what `progressArgs` ask for. @returns the unfinished line at its end */
async function readProgress(stream: ReadableStream<Uint8Array>, onSeconds: (seconds: number) => void): Promise<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const text = rest + decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf('\n') + 1
    const last = [...text.slice(0, end).matchAll(progressLine)].at(-1)
    if (last) onSeconds(Number(last[1]) / 1e6)
    rest = text.slice(end)
  }
  return rest
}
