import type { EndedProcess } from './spawn.ts'
import type { Tools } from './tools.ts'

/** Wall time relative to CPU time: a busy machine leaves a program of low priority little of it. */
const PATIENCE = 20
const MAX_WALL_SECONDS = 12 * 3600
const MAX_DURATION_SECONDS = 12 * 3600

/** Maximum length of a recording, in seconds. */
export const maxSecondsFor = ({ maxSeconds = MAX_DURATION_SECONDS }: Pick<Tools, 'maxSeconds'>) => maxSeconds
/** CPU seconds between the signal of the soft limit and the kill: the first process of a namespace may ignore the signal. */
const GRACE_SECONDS = 10
/** The kernel samples CPU time, and killed a program at 91 % of its limit on a busy machine. */
const SPENT_SHARE = 0.8

/**
 * Wall time in milliseconds of programs that may compute for `cpuSeconds`. It ends programs that wait or starve, which is
 * a fault of the host. A program that computes too long is ended by the limit of its CPU time; on a host without such a
 * limit, wall time is the only one.
 */
export function wallMsFor({ sandbox }: Pick<Tools, 'sandbox'>, cpuSeconds: number): number {
  const patience = sandbox.some((word) => word.startsWith('--cpu=')) ? PATIENCE : 1
  return Math.min(MAX_WALL_SECONDS, patience * cpuSeconds) * 1000
}

/** Tools whose programs are ended after so much CPU time each, on hosts that allow it. */
export function withCpuLimit<T extends Pick<Tools, 'sandbox'>>(tools: T, cpuSeconds: number): T {
  const limit = Math.ceil(cpuSeconds)
  const bound = `--cpu=${limit}:${limit + GRACE_SECONDS}`
  return { ...tools, sandbox: tools.sandbox.map((word) => (word.startsWith('--cpu=') ? bound : word)) }
}

/** Whether a program has used up its CPU time. ffmpeg ends itself with an exit status then, others by a signal. */
export const isSpent = ({ cpuMs, signal }: Pick<EndedProcess, 'cpuMs' | 'signal'>, cpuSeconds: number) =>
  signal === 'SIGXCPU' || cpuMs >= SPENT_SHARE * cpuSeconds * 1000
