import type { Ended } from './spawn.ts'
import { isSpent } from './time-limit.ts'

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
 * ffmpeg's reports that an output is incomplete. Many builds exit with 0 all the same when only the last bytes, which
 * they write at the end, are lost.
 */
const lostOutput =
  /^(?:\[(?:out|[av]ost)#\S+ @ \w+\] )?(?:Error (?:writing|closing|muxing|submitting)|Could not write header|av_interleaved_write_frame\(\)).*: (?:No space left on device|Disk quota exceeded|Read-only file system|Input\/output error)/im

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
 * @param cpuSeconds limit of the CPU time of each program. A program that has used it up is not the host's fault.
 * @throws HostFault when the host ended one of them: killed from outside (out of memory), not started, disk full, or a
 * timeout on a busy machine
 */
export function checkHost(programs: readonly Ended[], cpuSeconds: number): void {
  const spent = programs.filter((program) => isSpent(program, cpuSeconds))
  for (const program of programs) {
    const { signal, exitCode, stderr, timedOut } = program
    if (lostOutput.test(stderr)) throw new HostFault('disk_full', stderr)
    // Other messages may be about parts of the recording that it can do without.
    if (exitCode === 0 || spent.includes(program)) continue
    if (timedOut) {
      // It may have waited for the one that computed.
      if (spent.length > 0) continue
      throw new HostFault('deadline_missed', `${Math.round(program.cpuMs)} of ${cpuSeconds * 1000} ms of CPU time`)
    }
    if (signal === 'SIGKILL' || killedInside.test(stderr)) throw new HostFault('killed', stderr)
    if (NOT_STARTED.includes(exitCode ?? 0) || wrapperMessage.test(stderr)) throw new HostFault('not_started', stderr)
    const code = hostMessages.find(([pattern]) => pattern.test(stderr))?.[1]
    if (code) throw new HostFault(code, stderr)
  }
}
