import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/time.ts'

/** Pauses after failures grow to this and stay there, so that work goes on soon after a long outage. */
const LONGEST_FAILURE_PAUSE = 10 * MINUTE_MS

/**
 * Pause after the nth failure of storage, database or host: doubles from 5 s to 10 minutes.
 * @returns milliseconds
 */
export const failurePauseMs = (failures: number) => Math.min(LONGEST_FAILURE_PAUSE, 5 * SECOND_MS * 2 ** (failures - 1))

/** Time after the first failure or crash at which work is given up, however long its attempts took (contract, section 4). */
export const GIVE_UP_MS = 25 * HOUR_MS

/** Whether an attempt that fails now is the last. @param failingSince time of the first failure or crash */
export const isLastFailure = (failingSince: Date, now: Date) => now.getTime() - failingSince.getTime() >= GIVE_UP_MS

/** Shortens a pause, so that the last attempt begins when work is given up. */
export const pauseUntilEnd = (pauseMs: number, failingSince: Date, now: Date) =>
  Math.max(0, Math.min(pauseMs, failingSince.getTime() + GIVE_UP_MS - now.getTime()))

/**
 * Pauses after the 5th, 6th, … attempt that ended with its worker; none before, so that a few restarts delay nothing.
 * They grow faster than those after failures: a recording that ends its worker takes the jobs next to it along.
 */
const crashPauses = [
  15 * SECOND_MS,
  30 * SECOND_MS,
  1 * MINUTE_MS,
  2 * MINUTE_MS,
  4 * MINUTE_MS,
  8 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  1 * HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
]
const LONGEST_CRASH_PAUSE = 9 * HOUR_MS
const CRASHES_WITHOUT_PAUSE = 4

/** Pause after the nth attempt that ended with its worker, in milliseconds. */
export function crashPauseMs(crashes: number): number {
  if (crashes <= CRASHES_WITHOUT_PAUSE) return 0
  return crashPauses[crashes - CRASHES_WITHOUT_PAUSE - 1] ?? LONGEST_CRASH_PAUSE
}
