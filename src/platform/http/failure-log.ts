import type { Logger } from 'pino'
import type { AppError } from '../errors.ts'

/** Interval of log lines while database or storage is unavailable, when every request fails alike. */
const INTERVAL_MS = 10_000

const states = new WeakMap<Logger, { loggedMs: number; omitted: number }>()

/**
 * Logs a failure of the service. Of failures with the code `unavailable`, one in ten seconds, with the number of those
 * before it that were not logged.
 * @param nowMs time of a monotonic clock
 */
export function logFailure(
  log: Logger,
  { code }: Pick<AppError, 'code'>,
  details: { err: unknown; requestId: string },
  message: string,
  nowMs = performance.now(),
): void {
  if (code !== 'unavailable') {
    log.error(details, message)
    return
  }
  const state = states.get(log)
  if (state && nowMs - state.loggedMs < INTERVAL_MS) {
    state.omitted += 1
    return
  }
  log.error({ ...details, omitted: state?.omitted ?? 0 }, message)
  states.set(log, { loggedMs: nowMs, omitted: 0 })
}
