const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Between one attempt and the next; the first is made at once (contract, section 7). */
const DELAYS_MS = [
  5 * SECOND_MS,
  ...[5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 10 * HOUR_MS],
]
/** Either way, so that what failed together does not come back together. */
const JITTER = 0.1
/** However long a receiver asks us to wait. */
const MAX_WISH_MS = 24 * HOUR_MS

/** Attempts in all. */
export const MAX_ATTEMPTS = DELAYS_MS.length + 1

/**
 * How long to wait after an attempt that failed.
 * @param made attempts of this round, 1 or more
 * @param wishMs what the receiver asked for; it only ever makes the wait longer
 * @param random 0 to 1
 * @returns milliseconds, or null behind the last attempt
 */
export function delayAfter(made: number, wishMs: number | null, random = Math.random()): number | null {
  const delay = DELAYS_MS[made - 1]
  if (delay === undefined) return null
  return Math.max(Math.round(delay * (1 + JITTER * (2 * random - 1))), Math.min(wishMs ?? 0, MAX_WISH_MS))
}
