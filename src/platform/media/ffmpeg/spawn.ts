import type { FileSink } from 'bun'
import { wrapped, yieldToOthers } from './sandbox.ts'
import type { Tools } from './tools.ts'

export interface SpawnOptions<Input extends Plug, Output extends Plug> {
  /** Defaults to `ignore`. */
  stdin?: Input
  /** Defaults to `ignore`. */
  stdout?: Output
  /** Kills the program. */
  signal?: AbortSignal
  /** Wall time after which it is killed, in milliseconds. */
  timeoutMs: number
  /** Scratch folder. The program sees only this folder and the files that its arguments name. */
  cwd?: string
  /** Maximum size of a written file, in bytes. */
  maxFileBytes?: number
  /** Whether it joins the caller's process group and dies with it. Defaults to a group of its own. */
  isInOurGroup?: boolean
}

export type Plug = 'ignore' | 'pipe'

/** How a program ended. */
export interface Ended {
  /** Null when ended by a signal. */
  exitCode: number | null
  /** Such as `SIGKILL`. Null when it exited. */
  signal: string | null
  /** End of standard error. */
  stderr: string
  /** Whether it was killed on its timeout. */
  timedOut: boolean
  /** CPU time, in milliseconds. */
  cpuMs: number
}

export interface ToolProcess<Input extends Plug = Plug, Output extends Plug = Plug> {
  stdin: Input extends 'pipe' ? FileSink : null
  stdout: Output extends 'pipe' ? ReadableStream<Uint8Array> : null
  /** Resolves when the program and all its descendants are gone. Never rejects. */
  ended: Promise<Ended>
  /** Kills the program and its descendants. */
  kill: () => void
}

/**
 * Starts ffmpeg or ffprobe in the sandbox, with an empty environment and its own process group, so that a kill also
 * reaches descendants and wrappers.
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
    // Descendants that are left keep the pipes open.
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
    // The group is empty.
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

const MAX_OUTPUT_CHARS = 1 << 20

/** Returns the end of a stream: an untrusted file can make a program print gigabytes. */
export async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > 2 * MAX_OUTPUT_CHARS) text = text.slice(-MAX_OUTPUT_CHARS)
  }
  return text
}
