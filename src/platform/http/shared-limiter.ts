import type { Pool, QueryConfig } from 'pg'
import { type IRateLimiterPostgresOptions, RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'

type Options = Pick<IRateLimiterPostgresOptions, 'keyPrefix' | 'inMemoryBlockOnConsumed'> & {
  points: number
  /** Seconds. */
  duration: number
}

/** Time for an answer of the database. Each request waits for it before its own statements. */
const ANSWER_MS = 2_000

/**
 * Creates a rate limiter of all processes, with its counters in PostgreSQL. While that is unavailable, each process
 * counts for itself.
 */
export const createSharedLimiter = (pool: Pool, options: Options) =>
  new RateLimiterPostgres({
    ...options,
    storeType: 'pool',
    storeClient: {
      query: (statement: QueryConfig) => pool.query({ query_timeout: ANSWER_MS, ...statement } as QueryConfig),
    },
    tableName: 'rate_limit',
    tableCreated: true,
    insuranceLimiter: new RateLimiterMemory({ points: options.points, duration: options.duration }),
  })
