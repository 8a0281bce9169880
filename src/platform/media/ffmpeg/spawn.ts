import type { FileSink } from 'bun'
import { wrapped, yieldToOthers } from './sandbox.ts'
import type { Tools } from './tools.ts'

export interface SpawnOptions<Input extends Plug, Output extends Plug> {
  /** Whether there is something to write to; nothing unless told. */
  stdin?: Input
  /** Whether there is something to read; nothing unless told. */
  stdout?: Output
  /** Kills it. */
  signal?: AbortSignal
  /** Wall time after which it is killed. */
  timeoutMs: number
  /** Its scratch folder. Besides it, it sees only the files that its arguments name. */
  cwd?: string
  /** The largest file that it may write. */
  maxFileBytes?: number
  /** Whether it belongs to the group of whoever starts it, and dies with that; it has one of its own unless told. */
  isInOurGroup?: boolean
}

export type Plug = 'ignore' | 'pipe'

/** How a program ended. */
export interface Ended {
  /** Null when a signal ended it. */
  exitCode: number | null
  /** Such as `SIGKILL`; null when it ended by itself. */
  signal: string | null
  /** The end of what it said. */
  stderr: string
  /** Whether it was killed for its wall time. */
  timedOut: boolean
  /** CPU time that it used, in milliseconds. */
  cpuMs: number
}

export interface ToolProcess<Input extends Plug = Plug, Output extends Plug = Plug> {
  stdin: Input extends 'pipe' ? FileSink : null
  stdout: Output extends 'pipe' ? ReadableStream<Uint8Array> : null
  /** Settles when it and all that it started are gone; never rejects. */
  ended: Promise<Ended>
  /** Ends it and all that it started, at once. */
  kill: () => void
}

/**
 * Starts ffmpeg or ffprobe with the host's bounds, an empty environment and a process group of its own, so that what
 * is killed is killed with everything that it or a wrapper started.
 * @throws AbortError of the given signal
 */
export function spawnTool<Input extends Plug = 'ignore', Output extends Plug = 'ignore'>(
  tools: Tools,
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  { stdin, stdout, signal, timeoutMs, cwd, maxFileBytes, isInOurGroup = false }: SpawnOptions<Input, Output>,
): ToolProcess<Input, Output> {
  signal?.throwIfAborted()
  const child = Bun.spawn(wrapped(tools, tools[program], args, { cwd, maxFileBytes }), {
    stdin: stdin ?? 'ignore',
    stdout: stdout ?? 'ignore',
    stderr: 'pipe',
    env: {},
    cwd,
    detached: !isInOurGroup,
  })
  if (!isInOurGroup) void yieldToOthers(child.pid)
  const kill = () => (isInOurGroup ? child.kill('SIGKILL') : killGroup(child.pid))
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, timeoutMs)
  signal?.addEventListener('abort', kill, { once: true })
  const stderr = readTail(child.stderr)
  async function end(): Promise<Ended> {
    await child.exited
    clearTimeout(timer)
    signal?.removeEventListener('abort', kill)
    // Whatever it left behind holds the pipes open.
    kill()
    const killedBy = child.signalCode === null ? null : String(child.signalCode)
    const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000
    return { exitCode: killedBy ? null : child.exitCode, signal: killedBy, stderr: await stderr, timedOut, cpuMs }
  }
  return {
    stdin: (child.stdin ?? null) as ToolProcess<Input, Output>['stdin'],
    stdout: (child.stdout ?? null) as ToolProcess<Input, Output>['stdout'],
    ended: end(),
    kill,
  }
}

/** Kills a process group. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    // Nobody is left.
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

const MAX_OUTPUT_CHARS = 1 << 20

/** The end of what a program says: a hostile file can make it say gigabytes. */
export async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > 2 * MAX_OUTPUT_CHARS) text = text.slice(-MAX_OUTPUT_CHARS)
  }
  return text
}
