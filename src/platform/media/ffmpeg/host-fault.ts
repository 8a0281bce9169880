import type { EndedProcess } from './spawn.ts'
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

/** Exit statuses of wrapper commands that cannot start the next one (POSIX, "env", exit status). */
const NOT_STARTED = [126, 127]

/**
 * Checks the exit of all programs of a run.
 * @param cpuSeconds limit of the CPU time of each program. A program that has used it up is not the host's fault.
 * @throws HostFault when the host ended one of them: killed from outside (out of memory), not started, disk full, or a
 * timeout on a busy machine
 */
export function checkHost(programs: readonly EndedProcess[], cpuSeconds: number): void {
  const spent = programs.filter((program) => isSpent(program, cpuSeconds))
  for (const program of programs) {
    const { signal, exitCode, stderr, timedOut, hasStarted, hostFault } = program
    if (hostFault === 'disk_full') throw new HostFault(hostFault, stderr)
    // Other messages may be about parts of the recording that it can do without.
    if (exitCode === 0 || spent.includes(program)) continue
    if (timedOut) {
      // It may have waited for the one that computed.
      if (spent.length > 0) continue
      throw new HostFault('deadline_missed', `${Math.round(program.cpuMs)} of ${cpuSeconds * 1000} ms of CPU time`)
    }
    if (signal === 'SIGKILL') throw new HostFault('killed', stderr)
    if ((!hasStarted && exitCode !== null) || NOT_STARTED.includes(exitCode ?? 0))
      throw new HostFault('not_started', stderr)
    if (hostFault) throw new HostFault(hostFault, stderr)
  }
}
