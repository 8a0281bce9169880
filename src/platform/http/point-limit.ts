import { LRUCache } from 'lru-cache'
import { type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Services, Viewer } from '../context.ts'
import { AppError } from '../errors.ts'
import { createSharedLimiter } from './shared-limiter.ts'

const WINDOW_SECONDS = 60
/** Points per minute: of a viewer, and of an address without one. 100 per allowed request. */
const pointLimits = { key: 600_000, address: 60_000 } as const
type Kind = keyof typeof pointLimits

/** Maximum number of viewers whose balance is cached. */
const MAX_KNOWN = 10_000

/** Balance of a viewer: remaining points, and seconds until all are available again. */
export interface Standing {
  remaining: number
  resetSeconds: number
}

interface Cached {
  remaining: number
  resetsAt: number
}

export type PointLimits = ReturnType<typeof createPointLimits>

/**
 * Limits points per viewer over all replicas. They are counted in PostgreSQL concurrently with the operation, so that
 * the answer does not wait for the counter. The cached balance decides, so a replica without a recent balance runs one
 * operation too many at most, and rejects from then on.
 */
export function createPointLimits({
  config,
  pool,
  log,
  metrics,
}: Pick<Services, 'config' | 'pool' | 'log' | 'metrics'>) {
  const limiter = (kind: Kind) =>
    createSharedLimiter(pool, { keyPrefix: `points_${kind}`, points: pointLimits[kind], duration: WINDOW_SECONDS })
  const limiters = config.isRateLimited ? { key: limiter('key'), address: limiter('address') } : null
  const balances = new LRUCache<string, Cached>({ max: MAX_KNOWN })

  function cachedOf(kind: Kind, id: string): Cached {
    const last = balances.get(`${kind}:${id}`)
    if (last && last.resetsAt > Date.now()) return last
    const fresh = { remaining: pointLimits[kind], resetsAt: Date.now() + WINDOW_SECONDS * 1000 }
    balances.set(`${kind}:${id}`, fresh)
    return fresh
  }

  return {
    /**
     * Takes points.
     * @param address block of the client, used without a viewer
     * @returns the new balance, which is known a little later; null unless points are limited
     * @throws AppError `rate_limited`; then no points are taken
     */
    take(viewer: Viewer | null, address: string, points: number): Promise<Standing> | null {
      if (!limiters) return null
      const { kind, id } = payerOf(viewer, address)
      const standing = cachedOf(kind, id)
      if (points > standing.remaining) {
        metrics.rateLimited.inc({ limit: `points_${kind}` })
        const { remaining, resetSeconds } = standingOf(standing)
        const message = `query: asks for ${points} points, ${remaining} of ${pointLimits[kind]} a minute are left`
        throw new AppError('rate_limited', message, { retryAfterSeconds: Math.max(1, resetSeconds) })
      }
      standing.remaining -= points
      return count(limiters[kind], id, points, standing)
    },

    /** Takes points for work that was done, at most all that remain. @returns as `take` */
    takeMore(viewer: Viewer | null, address: string, points: number): Promise<Standing> | null {
      if (!limiters) return null
      const { kind, id } = payerOf(viewer, address)
      const standing = cachedOf(kind, id)
      standing.remaining = Math.max(0, standing.remaining - points)
      return count(limiters[kind], id, points, standing)
    },

    /** Returns the cached balance. Null unless points are limited. */
    standing(viewer: Viewer | null, address: string): Standing | null {
      const { kind, id } = payerOf(viewer, address)
      return limiters && standingOf(cachedOf(kind, id))
    },
  }

  async function count(limiter: RateLimiterPostgres, id: string, points: number, standing: Cached): Promise<Standing> {
    try {
      const result = points > 0 ? await limiter.consume(id, points) : null
      if (result) update(standing, result)
    } catch (error) {
      // Other replicas have taken the points.
      if (error instanceof RateLimiterRes) update(standing, error)
      else log.warn({ err: error }, 'points could not be counted')
    }
    return standingOf(standing)
  }
}

function payerOf(viewer: Viewer | null, address: string): { kind: Kind; id: string } {
  if (!viewer) return { kind: 'address', id: address }
  return { kind: 'key', id: viewer.type === 'key' ? viewer.keyId : viewer.administratorId }
}

/** The cached balance includes points taken since the query, so the smaller one is right. */
function update(standing: Cached, { remainingPoints, msBeforeNext }: RateLimiterRes): void {
  standing.remaining = Math.min(standing.remaining, Math.max(0, remainingPoints))
  standing.resetsAt = Date.now() + msBeforeNext
}

const standingOf = ({ remaining, resetsAt }: Cached): Standing => ({
  remaining,
  resetSeconds: Math.max(0, Math.ceil((resetsAt - Date.now()) / 1000)),
})
