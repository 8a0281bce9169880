import type { Pool } from 'pg'
import { type IRateLimiterPostgresOptions, RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'

type Options = Pick<IRateLimiterPostgresOptions, 'keyPrefix' | 'inMemoryBlockOnConsumed'> & {
  points: number
  /** Seconds. */
  duration: number
}

/**
 * Creates a rate limiter of all processes, with its counters in PostgreSQL. While that is unavailable, each process
 * counts for itself.
 */
export const createSharedLimiter = (pool: Pool, options: Options) =>
  new RateLimiterPostgres({
    ...options,
    storeClient: pool,
    tableName: 'rate_limit',
    tableCreated: true,
    insuranceLimiter: new RateLimiterMemory({ points: options.points, duration: options.duration }),
  })
