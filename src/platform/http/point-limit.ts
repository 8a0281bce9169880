import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Services, Viewer } from '../context.ts'
import { AppError } from '../errors.ts'

const WINDOW_SECONDS = 60
/** Points a minute: of a viewer, and of an address without one. A hundred for each request that they are allowed. */
const pointLimits = { key: 600_000, address: 60_000 } as const
type Kind = keyof typeof pointLimits

/** Viewers whose last known standing is kept; of others the database knows. */
const MAX_KNOWN = 10_000

/** Where a viewer stands: points left, and seconds until all are there again. */
export interface Standing {
  remaining: number
  resetSeconds: number
}

interface Known {
  remaining: number
  resetsAt: number
}

export type PointLimits = ReturnType<typeof createPointLimits>

/**
 * Points per viewer over all replicas, counted in Postgres beside the work that they pay for: the answer never waits
 * for the counter first. What refuses is the last known standing, so that a replica which has not heard of a viewer
 * for a while carries out what it has begun, and refuses from then on.
 */
export function createPointLimits({ config, pool, log }: Pick<Services, 'config' | 'pool' | 'log'>) {
  const limiter = (kind: Kind) =>
    new RateLimiterPostgres({
      storeClient: pool,
      tableName: 'rate_limit',
      tableCreated: true,
      keyPrefix: `points_${kind}`,
      points: pointLimits[kind],
      duration: WINDOW_SECONDS,
      insuranceLimiter: new RateLimiterMemory({ points: pointLimits[kind], duration: WINDOW_SECONDS }),
    })
  const limiters = config.isRateLimited ? { key: limiter('key'), address: limiter('address') } : null
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN })

  function knownOf(kind: Kind, id: string): Known {
    const last = known.get(`${kind}:${id}`)
    if (last && last.resetsAt > Date.now()) return last
    const fresh = { remaining: pointLimits[kind], resetsAt: Date.now() + WINDOW_SECONDS * 1000 }
    known.set(`${kind}:${id}`, fresh)
    return fresh
  }

  return {
    /**
     * Takes points.
     * @param address of the client, where no viewer is known
     * @returns where the viewer stands then, which is known a little later; null where nothing is limited
     * @throws AppError `rate_limited`; nothing is taken then
     */
    take(viewer: Viewer | null, address: string, points: number): Promise<Standing> | null {
      if (!limiters) return null
      const { kind, id } = payerOf(viewer, address)
      const standing = knownOf(kind, id)
      if (points > standing.remaining) {
        const { remaining, resetSeconds } = standingOf(standing)
        const message = `query: asks for ${points} points, ${remaining} of ${pointLimits[kind]} a minute are left`
        throw new AppError('rate_limited', message, { retryAfterSeconds: Math.max(1, resetSeconds) })
      }
      standing.remaining -= points
      return count(limiters[kind], id, points, standing)
    },

    /** Where the viewer was last known to stand; null where nothing is limited. */
    standing(viewer: Viewer | null, address: string): Standing | null {
      const { kind, id } = payerOf(viewer, address)
      return limiters && standingOf(knownOf(kind, id))
    },
  }

  async function count(limiter: RateLimiterPostgres, id: string, points: number, standing: Known): Promise<Standing> {
    try {
      const result = points > 0 ? await limiter.consume(id, points) : null
      if (result) learn(standing, result)
    } catch (error) {
      // Other replicas have taken what was thought to be left.
      if (error instanceof RateLimiterRes) learn(standing, error)
      else log.warn({ err: error }, 'points could not be counted')
    }
    return standingOf(standing)
  }
}

function payerOf(viewer: Viewer | null, address: string): { kind: Kind; id: string } {
  if (!viewer) return { kind: 'address', id: address }
  return { kind: 'key', id: viewer.type === 'key' ? viewer.keyId : viewer.administratorId }
}

/** Points taken meanwhile are in our own figure alone: the smaller one is right. */
function learn(standing: Known, { remainingPoints, msBeforeNext }: RateLimiterRes): void {
  standing.remaining = Math.min(standing.remaining, Math.max(0, remainingPoints))
  standing.resetsAt = Date.now() + msBeforeNext
}

const standingOf = ({ remaining, resetsAt }: Known): Standing => ({
  remaining,
  resetSeconds: Math.max(0, Math.ceil((resetsAt - Date.now()) / 1000)),
})
