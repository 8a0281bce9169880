import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../platform/time.ts'

/** Pauses between attempts; the first attempt is made at once (contract, section 7). */
const DELAYS_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 10 * HOUR_MS]
/**
 * Maximum variation of a pause in both directions, as a fraction, so that deliveries that failed together do not repeat
 * together.
 */
const JITTER = 0.1
/** Upper bound for the Retry-After of an endpoint. */
const MAX_RETRY_AFTER_MS = DAY_MS

/** Number of attempts in a round. */
export const MAX_ATTEMPTS = DELAYS_MS.length + 1

/**
 * The pause after a failed attempt.
 * @param attempts attempts of this round, 1 or more
 * @param retryAfterMs from the Retry-After of the endpoint; can only lengthen the pause
 * @param random 0 to 1
 * @returns milliseconds; null after the last attempt
 */
export function delayAfter(attempts: number, retryAfterMs: number | null, random = Math.random()): number | null {
  const delay = DELAYS_MS[attempts - 1]
  if (delay === undefined) return null
  return Math.max(Math.round(delay * (1 + JITTER * (2 * random - 1))), Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
}
