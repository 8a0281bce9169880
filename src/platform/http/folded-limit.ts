import { LRUCache } from 'lru-cache'
import { type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Services } from '../context.ts'

/** Maximum number of clients whose requests are counted in memory. */
const MAX_CLIENTS = 10_000
/** Shares of the limit that a process counts before it reports them to the others. */
const STEPS = 100
/** Time in milliseconds after which it reports fewer. */
const REPORT_MS = 1000

interface Counted {
  /** Of the limit, when the counter of all processes was last read. */
  remaining: number
  /** Requests or points since then. */
  pending: number
  resetsAt: number
  reportedAt: number
  isReporting: boolean
}

export type FoldedLimit = ReturnType<typeof createFoldedLimit>

/**
 * Counts requests or points in memory, and adds them to the counter of all processes once a second or for each hundredth of
 * the limit, so that no request waits for the database. Each process allows a hundredth of the limit too much at most,
 * and what it counts while a report is on its way.
 * @param limiter has the counter of all processes
 * @param windowSeconds for which the limit applies
 */
export function createFoldedLimit(
  limiter: RateLimiterPostgres,
  { log }: Pick<Services, 'log'>,
  { max, windowSeconds }: { max: number; windowSeconds: number },
) {
  const clients = new LRUCache<string, Counted>({ max: MAX_CLIENTS })
  const step = Math.max(1, Math.floor(max / STEPS))

  function current(id: string, now: number): Counted {
    const counted = clients.get(id)
    if (counted && counted.resetsAt > now) return counted
    const resetsAt = now + windowSeconds * 1000
    const fresh = { remaining: max, pending: 0, resetsAt, reportedAt: 0, isReporting: false }
    clients.set(id, fresh)
    return fresh
  }

  async function report(id: string, counted: Counted, now: number): Promise<void> {
    const { pending } = counted
    counted.isReporting = true
    counted.reportedAt = now
    try {
      const result = await limiter.consume(id, pending).catch((error) => {
        // Above the limit, with the requests of other processes.
        if (error instanceof RateLimiterRes) return error
        throw error
      })
      counted.remaining = Math.max(0, result.remainingPoints)
      counted.resetsAt = Date.now() + result.msBeforeNext
      counted.pending -= pending
    } catch (error) {
      log.warn({ err: error }, 'a rate limit could not be counted')
    } finally {
      counted.isReporting = false
    }
  }

  function add(id: string, amount: number, now: number): void {
    const counted = current(id, now)
    counted.pending += amount
    const isDue = counted.pending >= step || now - counted.reportedAt > REPORT_MS
    if (amount > 0 && isDue && !counted.isReporting) void report(id, counted, now)
  }

  function toResult({ remaining, pending, resetsAt }: Counted, now: number): RateLimiterRes {
    return new RateLimiterRes(Math.max(0, remaining - pending), resetsAt - now)
  }

  return {
    /**
     * Counts a request, or its points.
     * @returns what remains; `isAllowed` is false, and nothing is counted, for more than that
     */
    count(id: string, amount = 1): { isAllowed: boolean; result: RateLimiterRes } {
      const now = Date.now()
      const counted = current(id, now)
      const isAllowed = amount <= counted.remaining - counted.pending
      if (isAllowed) add(id, amount, now)
      return { isAllowed, result: toResult(counted, now) }
    },

    /** Counts what was used already, even if more than what remains. @returns what remains */
    countUsed(id: string, amount: number): RateLimiterRes {
      const now = Date.now()
      add(id, amount, now)
      return toResult(current(id, now), now)
    },

    /** Returns what remains, without counting. */
    read(id: string): RateLimiterRes {
      const now = Date.now()
      return toResult(current(id, now), now)
    },
  }
}
