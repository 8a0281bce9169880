import { checkHost } from './host-fault.ts'
import { mediaError } from './reasons.ts'
import { readTail, spawnTool } from './spawn.ts'
import { isSpent, wallMsFor, withCpuLimit } from './time-limit.ts'
import type { Tools } from './tools.ts'

export { hostileInput } from './hostile-input.ts'
export { MediaError } from './reasons.ts'
export { type Scratch, withScratch } from './scratch.ts'
export { findTools, type Tools } from './tools.ts'

export interface RunOptions {
  /** CPU time after which it is ended. */
  cpuSeconds: number
  /** Maximum size of a written file, in bytes. */
  maxFileBytes?: number
  signal?: AbortSignal
  /** Called about twice a second with the number of seconds of the result; for ffmpeg with `progressArgs`. */
  onSeconds?: (seconds: number) => void
}

/** Makes ffmpeg report progress on standard output, in lines that are the same in every version. */
export const progressArgs = ['-progress', 'pipe:1'] as const
/** Microseconds despite the name, which later versions keep for compatibility. */
const progressLine = /^out_time_ms=(\d+)$/gm

/**
 * Runs ffmpeg or ffprobe in the sandbox, with an empty environment and no input.
 * @returns standard output and error, and the exit status (null when it was killed)
 * @throws MediaError `timed_out`, `output_too_large`; HostFault; AbortError of the given signal
 */
export async function runTool(
  tools: Tools,
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  { cpuSeconds, maxFileBytes, signal, onSeconds }: RunOptions,
): Promise<{ stdout: string; stderr: string; exitCode: number | null }> {
  const options = { stdout: 'pipe', timeoutMs: wallMsFor(tools, cpuSeconds), maxFileBytes, signal } as const
  const child = spawnTool(withCpuLimit(tools, cpuSeconds), program, args, options)
  const [stdout, ended] = await Promise.all([
    onSeconds ? readProgress(child.stdout, onSeconds) : readTail(child.stdout),
    child.ended,
  ])
  signal?.throwIfAborted()
  checkHost([ended], cpuSeconds)
  const { stderr, exitCode } = ended
  if (ended.signal === 'SIGXFSZ') throw mediaError('output_too_large')
  if (exitCode !== 0 && isSpent(ended, cpuSeconds)) throw mediaError('timed_out')
  return { stdout, stderr, exitCode }
}

/** Reads the lines of `progressArgs`. @returns the unfinished line at the end */
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
