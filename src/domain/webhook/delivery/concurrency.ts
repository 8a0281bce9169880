import { Prisma } from '../../../platform/db/generated/client/client.ts'

/** Range of the concurrent attempts to an endpoint. A check of `webhook_endpoint` has it too. */
export const MIN_CONCURRENCY = 4
export const MAX_CONCURRENCY = 256
/**
 * A success within this time lets the concurrency grow. Requests that wait within the endpoint become slow, so it gets
 * at most what it answers in a second (Little's law).
 */
const FAST_MS = 1000
/** The concurrency grows beyond this only while successes are very fast: at most about 1,000 deliveries per second. */
const MODERATE_CONCURRENCY = 64
const VERY_FAST_MS = 250

/**
 * SQL of the concurrency of the endpoint `e` after `g.attempts` successes, the slowest of `g.slowest_ms`. Grows by one
 * for each success while at least half of it is used; halves when one was slow. The number of attempts that one statement
 * claims and records grows with it.
 * @see decision 0011
 */
export const concurrencyAfterSuccess = Prisma.sql`CASE
  WHEN g.slowest_ms > ${FAST_MS}::int THEN greatest(${MIN_CONCURRENCY}::int, e.concurrency / 2)
  WHEN e.concurrency = ${MAX_CONCURRENCY}::int OR e.concurrency > 2 * (
    SELECT count(*) FROM webhook_delivery u WHERE u.endpoint_id = e.id AND u.claim_id IS NOT NULL
  ) THEN e.concurrency
  WHEN g.slowest_ms > ${VERY_FAST_MS}::int
    THEN least(greatest(${MODERATE_CONCURRENCY}::int, e.concurrency), e.concurrency + g.attempts)
  ELSE least(${MAX_CONCURRENCY}::int, e.concurrency + g.attempts)
END`

/** SQL of the concurrency of the endpoint `e` after a failure. */
export const concurrencyAfterFailure = Prisma.sql`greatest(${MIN_CONCURRENCY}::int, e.concurrency / 2)`
