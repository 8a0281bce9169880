import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { FileSink, Subprocess } from 'bun'
import { gatherEvidence, type ReportedFault } from './evidence.ts'
import { type Marked, markerReader } from './markers.ts'
import { isInProcessNamespace, toChildrenFile, wrapped, yieldToOthers } from './sandbox.ts'
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
  /** Called with the text of standard error as it is written. */
  onMessages?: (text: string) => void
  /** Whether it joins the caller's process group and dies with it. Defaults to a group of its own. */
  isInOurGroup?: boolean
}

export type Plug = 'ignore' | 'pipe'

/** How a program ended. */
export interface EndedProcess {
  /** Null when ended by a signal. */
  exitCode: number | null
  /** Such as `SIGKILL`. Null when it exited. */
  signal: string | null
  /** End of standard error. */
  stderr: string
  /** Whether all commands around the program succeeded, so that the program could read its input. */
  hasStarted: boolean
  /** Fault of the host that explains its messages. */
  hostFault: ReportedFault | null
  /** Whether it was killed on its timeout. */
  timedOut: boolean
  /** CPU time, in milliseconds. */
  cpuMs: number
}

export interface ToolProcess<Input extends Plug = Plug, Output extends Plug = Plug> {
  stdin: Input extends 'pipe' ? FileSink : null
  stdout: Output extends 'pipe' ? ReadableStream<Uint8Array> : null
  /** Resolves when the program and all its descendants are gone. Never rejects. */
  ended: Promise<EndedProcess>
  /** Kills the program and its descendants. */
  kill: () => void
}

/** Time for the commands around a killed program to end. A hijacked program could stop them. */
const GRACE_MS = 2_000

/**
 * Starts ffmpeg or ffprobe in the sandbox, with an empty environment and its own process group, so that a kill also
 * reaches descendants and wrappers.
 * @throws AbortError of the given signal
 */
export function spawnTool<Input extends Plug = 'ignore', Output extends Plug = 'ignore'>(
  tools: Tools,
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  {
    stdin,
    stdout,
    signal,
    timeoutMs,
    cwd,
    maxFileBytes,
    onMessages,
    isInOurGroup = false,
  }: SpawnOptions<Input, Output>,
): ToolProcess<Input, Output> {
  signal?.throwIfAborted()
  const command = wrapped(tools, tools[program], args, { cwd, maxFileBytes })
  const isApart = isInProcessNamespace(command)
  const child = Bun.spawn(command, {
    stdin: stdin ?? 'ignore',
    stdout: stdout ?? 'ignore',
    stderr: 'pipe',
    env: {},
    cwd,
    detached: !isInOurGroup,
  })
  if (!isInOurGroup) void yieldToOthers(child.pid)
  const killAll = () => (isInOurGroup ? child.kill('SIGKILL') : killGroup(child.pid))
  let fallback: Timer | undefined
  let wasKilled = false
  const kill = () => {
    wasKilled = true
    if (isApart && killInside(child)) fallback ??= setTimeout(killAll, GRACE_MS)
    else killAll()
  }
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, timeoutMs)
  signal?.addEventListener('abort', kill, { once: true })
  const markers = markerReader()
  const evidence = gatherEvidence(args)
  const stderr = readTail(child.stderr, (text) => {
    markers.read(text)
    evidence.read(text)
    onMessages?.(text)
  })
  async function end(): Promise<EndedProcess> {
    await child.exited
    clearTimeout(timer)
    clearTimeout(fallback)
    signal?.removeEventListener('abort', kill)
    // Descendants that are left keep the pipes open.
    killAll()
    const how = awaitEnd(child, command, markers.end(await stderr))
    if (wasKilled && !how.hasStarted) return { ...how, exitCode: null, signal: 'SIGKILL', timedOut, hostFault: null }
    return { ...how, timedOut, hostFault: await evidence.end(how.stderr, how.exitCode) }
  }
  return {
    stdin: (child.stdin ?? null) as ToolProcess<Input, Output>['stdin'],
    stdout: (child.stdout ?? null) as ToolProcess<Input, Output>['stdout'],
    ended: end(),
    kill,
  }
}

/**
 * Kills a program in a process namespace, and so everything in it. The commands around it end by themselves, because
 * they have to collect its CPU time: that of a namespace whose first process is killed is lost.
 * @param around the command that created the namespace
 * @returns false when it has not started
 */
function killInside(around: Subprocess): boolean {
  if (around.exitCode !== null || around.signalCode !== null) return false
  try {
    const first = startedBy(around.pid)
    const programs = first.flatMap(startedBy)
    for (const pid of programs.length > 0 ? programs : first) process.kill(pid, 'SIGKILL')
    return first.length > 0
  } catch {
    // One of them has just ended.
    return false
  }
}

const startedBy = (pid: number) => (readFileSync(toChildrenFile(pid), 'utf8').match(/\d+/g) ?? []).map(Number)

/**
 * Returns how a program ended, from the exit status of the commands around it.
 * @param command of `wrapped`
 */
export function awaitEnd(
  child: Subprocess,
  command: readonly string[],
  { messages: stderr, hasStarted, hasEnded }: Marked,
): Omit<EndedProcess, 'timedOut' | 'hostFault'> {
  const inside = isInProcessNamespace(command) && hasStarted ? findSignal(child.exitCode, hasEnded) : null
  const signal = child.signalCode === null ? inside : String(child.signalCode)
  const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000
  return { exitCode: signal ? null : child.exitCode, signal, stderr, cpuMs, hasStarted }
}

/**
 * Returns the signal that ended a program in a process namespace. Null when the program exited: ffmpeg has no status in
 * this range.
 * @param hasEnded false when the first process was killed, for which the commands around it have no status
 */
function findSignal(exitCode: number | null, hasEnded: boolean): string | null {
  if (!hasEnded) return 'SIGKILL'
  return Object.entries(constants.signals).find(([, number]) => exitCode === 128 + number)?.[0] ?? null
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

/** Longest wait for the end of killed processes. On a host without an init process, orphans stay in their group. */
const GROUP_END_MS = 1_000
const GROUP_POLL_MS = 5

/** Resolves when a killed process group is empty: the kernel ends its processes a little later. */
export async function untilGroupEnds(leader: number): Promise<void> {
  const deadline = performance.now() + GROUP_END_MS
  while (hasMembers(leader) && performance.now() < deadline) await Bun.sleep(GROUP_POLL_MS)
}

function hasMembers(leader: number): boolean {
  try {
    return process.kill(-leader, 0)
  } catch {
    return false
  }
}

const MAX_OUTPUT_CHARS = 1 << 20

/**
 * Returns the end of a stream: an untrusted file can make a program print gigabytes.
 * @param onText called with all of it, piece by piece
 */
export async function readTail(stream: ReadableStream<Uint8Array>, onText?: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    const piece = decoder.decode(chunk, { stream: true })
    onText?.(piece)
    text += piece
    if (text.length > 2 * MAX_OUTPUT_CHARS) text = text.slice(-MAX_OUTPUT_CHARS)
  }
  return text
}
