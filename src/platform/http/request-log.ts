import type { Logger } from 'pino'
import { roundTo } from '../number.ts'
import type { Exchange } from './exchange.ts'

/** Lines a second of successful requests, and the same number of others. A flood of requests must not fill a disk. */
const MAX_LINES = 250
const SECOND_MS = 1000

/**
 * Creates a function that logs one line for each request, at level `info`. Those with a status from 400 are never
 * sampled. Beyond the bound, the next line has the number of `omitted` ones.
 * @param sample share of the successful requests that is logged, 0 to 1. Their lines contain it
 */
export function createRequestLog(log: Logger, sample = 1, random: () => number = Math.random) {
  const successes = createBound()
  const failures = createBound()
  return ({ requestId, route, viewer }: Exchange, method: string, status: number, ms: number): void => {
    if (!log.isLevelEnabled('info')) return
    const isFailure = status >= 400
    if (!isFailure && sample < 1 && random() >= sample) return
    const omitted = (isFailure ? failures : successes)()
    if (omitted === null) return
    const client = viewer?.type === 'key' ? { keyId: viewer.keyId } : { administratorId: viewer?.administratorId }
    const line = { requestId, method, route, status, ms: roundTo(ms, 1), ...client }
    log.info(
      { ...line, ...(!isFailure && sample < 1 && { sample }), ...(omitted > 0 && { omitted }) },
      'request answered',
    )
  }
}

/** @returns a function that returns the number of lines that were omitted before this one, or null to omit it */
function createBound() {
  let second = 0
  let lines = 0
  let omitted = 0
  return (): number | null => {
    const now = Math.floor(performance.now() / SECOND_MS)
    if (now !== second) {
      second = now
      lines = 0
    }
    lines += 1
    if (lines > MAX_LINES) {
      omitted += 1
      return null
    }
    const before = omitted
    omitted = 0
    return before
  }
}
