import type { RateLimiterRes } from 'rate-limiter-flexible'
import type { Services, Viewer } from '../context.ts'
import { AppError } from '../errors.ts'
import { createFoldedLimit } from './folded-limit.ts'
import { createSharedLimiter } from './shared-limiter.ts'

const WINDOW_SECONDS = 60
/** Points per minute: of a viewer, of its organization, and of an address without a viewer. 100 per allowed request. */
const pointLimits = { key: 600_000, organization: 6_000_000, address: 60_000 } as const
type Kind = keyof typeof pointLimits

/** Whose points an operation takes. */
interface Payer {
  kind: Kind
  id: string
}

/** Balance of a viewer: remaining points, and seconds until all are available again. */
export interface Standing {
  remaining: number
  resetSeconds: number
}

export type PointLimits = ReturnType<typeof createPointLimits>

/** Limits points per viewer over all replicas, counted in the way of requests (`folded-limit.ts`). */
export function createPointLimits({
  config,
  pool,
  log,
  metrics,
}: Pick<Services, 'config' | 'pool' | 'log' | 'metrics'>) {
  const foldedLimit = (kind: Kind) => {
    const max = pointLimits[kind]
    const shared = createSharedLimiter(pool, { keyPrefix: `points_${kind}`, points: max, duration: WINDOW_SECONDS })
    return createFoldedLimit(shared, { log }, { max, windowSeconds: WINDOW_SECONDS })
  }
  const limits = config.isRateLimited
    ? { key: foldedLimit('key'), organization: foldedLimit('organization'), address: foldedLimit('address') }
    : null

  function refusal({ kind }: Payer, points: number, result: RateLimiterRes): AppError {
    metrics.rateLimited.inc({ limit: `points_${kind}` })
    const { remaining, resetSeconds } = toStanding(result)
    const message = `query: asks for ${points} points, ${remaining} of ${pointLimits[kind]} a minute are left`
    return new AppError('rate_limited', message, { retryAfterSeconds: Math.max(1, resetSeconds) })
  }

  return {
    /**
     * Takes points.
     * @param address block of the client, used without a viewer
     * @returns the new balance; null unless points are limited
     * @throws AppError `rate_limited`
     */
    take(viewer: Viewer | null, address: string, points: number): Standing | null {
      if (!limits) return null
      const results = findPayers(viewer, address).map((payer) => {
        const { isAllowed, result } = limits[payer.kind].count(payer.id, points)
        if (!isAllowed) throw refusal(payer, points, result)
        return result
      })
      return lowest(results)
    },

    /** Takes points for work that was done, even if fewer remain. @returns as `take` */
    takeMore(viewer: Viewer | null, address: string, points: number): Standing | null {
      return limits && lowest(findPayers(viewer, address).map(({ kind, id }) => limits[kind].countUsed(id, points)))
    },

    /** Returns the balance. Null unless points are limited. */
    standing(viewer: Viewer | null, address: string): Standing | null {
      return limits && lowest(findPayers(viewer, address).map(({ kind, id }) => limits[kind].read(id)))
    },
  }
}

function findPayers(viewer: Viewer | null, address: string): Payer[] {
  if (!viewer) return [{ kind: 'address', id: address }]
  return [
    { kind: 'key', id: viewer.type === 'key' ? viewer.keyId : viewer.administratorId },
    { kind: 'organization', id: viewer.organizationId },
  ]
}

/** The balance that decides: the one with the fewest points. */
const lowest = (results: RateLimiterRes[]): Standing =>
  results.map(toStanding).reduce((least, standing) => (standing.remaining < least.remaining ? standing : least))

const toStanding = ({ remainingPoints, msBeforeNext }: RateLimiterRes): Standing => ({
  remaining: remainingPoints,
  resetSeconds: Math.max(0, Math.ceil(msBeforeNext / 1000)),
})
