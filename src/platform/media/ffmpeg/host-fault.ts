import type { Ended } from './spawn.ts'

export type HostFaultCode =
  | 'disk_full'
  | 'killed'
  | 'deadline_missed'
  | 'file_not_visible'
  | 'not_started'
  | 'images_unavailable'

/** A fault of the host that runs a media program, not of the recording. The same run may succeed later. */
export class HostFault extends Error {
  override name = 'HostFault'
  readonly code: HostFaultCode

  /** @param detail output of the program, for the log */
  constructor(code: HostFaultCode, detail: string) {
    super(`${code}: ${detail.trim().slice(-500)}`)
    this.code = code
  }
}

/**
 * Minimum share of its wall time that a run must have spent computing for a timeout to count as the recording's fault.
 */
const OWN_CPU_SHARE = 0.5

/**
 * ffmpeg's reports that an output is incomplete. Many builds exit with 0 all the same when only the last bytes, which
 * they write at the end, are lost.
 */
const lostOutput =
  /^(?:\[(?:out|[av]ost)#\S+ @ \w+\] )?(?:Error (?:writing|closing|muxing|submitting)|Could not write header|av_interleaved_write_frame\(\)).*: (?:No space left on device|Disk quota exceeded|Read-only file system|Input\/output error)/im

/**
 * Share of the limit of CPU time from which on a kill counts as the kernel's for this limit: it samples the time, and
 * killed programs at 91 % of it on a busy machine.
 */
const SPENT_SHARE = 0.8

/** util-linux exits with 1 and this message after SIGKILL ended the program in a process namespace. */
const killedInside = /^unshare: sigprocmask unblock failed/m

/** Exit statuses of wrapper commands that cannot start the next one (POSIX, "env", exit status). */
const NOT_STARTED = [126, 127]

/** Messages of the sandbox's wrapper commands; a program whose sandbox fails has not seen the recording. */
const wrapperMessage = /^(?:\/\S+\/)?(?:unshare|mount|mkdir|prlimit|nice|ionice|setpriv|sh): /m

// Messages of ffmpeg and ffprobe that only a fault of the host can cause.
const unopened =
  'No such file or directory|Permission denied|Too many open files(?: in system)?|Stale (?:NFS )?file handle'
const hostMessages: [pattern: RegExp, code: HostFaultCode][] = [
  [/No space left on device|Disk quota exceeded|Read-only file system/i, 'disk_full'],
  // Files that the service passed to the program; a recording cannot make it open others. Input/output error is not
  // one of these: demuxers report it for truncated recordings.
  [new RegExp(`^(?:file:)?/.*: (?:${unopened})$`, 'm'), 'file_not_visible'],
  [new RegExp(`Error opening input: (?:${unopened})`), 'file_not_visible'],
  [/(?:pthread_create|fork)\b.*(?:failed|Resource temporarily unavailable)/i, 'not_started'],
]

/**
 * Checks the exit of all programs of a run.
 * @param timeoutMs wall time of the run
 * @param cpuSeconds CPU time after which a program is killed. Defaults to no limit.
 * @throws HostFault when the host ended one of them: killed from outside (out of memory), not started, disk full, or a
 * timeout on a busy machine
 */
export function checkHost(programs: readonly Ended[], timeoutMs: number, cpuSeconds = Number.POSITIVE_INFINITY): void {
  for (const { signal, exitCode, stderr, timedOut, cpuMs } of programs) {
    if (lostOutput.test(stderr)) throw new HostFault('disk_full', stderr)
    // Other messages may be about parts of the recording that it can do without.
    if (exitCode === 0) continue
    // The service sends SIGKILL only on a timeout, or on an abort, which is reported earlier. The kernel sends it after
    // too much CPU time.
    const isKilled = signal === 'SIGKILL' || killedInside.test(stderr)
    const isSpent = cpuMs >= SPENT_SHARE * cpuSeconds * 1000
    if (isKilled && isSpent) continue
    if (isKilled && !timedOut) throw new HostFault('killed', stderr)
    if (NOT_STARTED.includes(exitCode ?? 0) || wrapperMessage.test(stderr)) throw new HostFault('not_started', stderr)
    const code = hostMessages.find(([pattern]) => pattern.test(stderr))?.[1]
    if (code) throw new HostFault(code, stderr)
  }
  const cpuMs = programs.reduce((sum, program) => sum + program.cpuMs, 0)
  const isLate = programs.some(({ timedOut }) => timedOut)
  if (isLate && cpuMs < OWN_CPU_SHARE * timeoutMs) {
    throw new HostFault('deadline_missed', `${Math.round(cpuMs)} ms of CPU in ${timeoutMs} ms`)
  }
}
