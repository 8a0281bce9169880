import type { Services } from '../../../platform/context.ts'
import { Prisma } from '../../../platform/db/generated/client/client.ts'
import type { AttemptResult } from './attempt.ts'
import { type ClaimedDelivery, isTest } from './claim.ts'
import { concurrencyAfterSuccess } from './concurrency.ts'

/** A delivery and the result of its attempt. */
export interface Ended {
  delivery: ClaimedDelivery
  result: AttemptResult
}

/**
 * Records successful attempts in one statement: the attempts, the states of the deliveries and of their endpoints. Locks
 * the endpoints in the order of their IDs, and each before its deliveries, as its deletion and disabling do. A delivery
 * that has been given up can still become `delivered`.
 * @param isLockedSkipped does not wait for endpoints that another transaction has locked. Defaults to false
 * @returns for each, false if its claim has expired, so that the worker with the current claim records its own result,
 *   or if its endpoint was skipped
 */
export async function recordSuccesses(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  ended: readonly Ended[],
  { isLockedSkipped = false } = {},
): Promise<boolean[]> {
  const now = clock()
  const attemptRows = ended.map(({ delivery, result: { status, durationMs, answer } }) => {
    const { id, claimId, endpointId } = delivery
    return {
      id,
      claimId,
      endpointId,
      isTest: isTest(delivery),
      attemptId: Bun.randomUUIDv7(),
      status,
      durationMs,
      answer,
    }
  })
  const recorded = await db.$queryRaw<{ id: string }[]>`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(attemptRows)}::jsonb) AS g("id" uuid, "claimId" uuid,
        "endpointId" uuid, "isTest" boolean, "attemptId" uuid, "status" int, "durationMs" int, "answer" text)
    ), locked AS MATERIALIZED (
      SELECT e.id, ${concurrencyAfterSuccess} AS concurrency FROM webhook_endpoint e JOIN (
        SELECT "endpointId", count(*) FILTER (WHERE NOT "isTest")::int AS attempts,
          max("durationMs") FILTER (WHERE NOT "isTest") AS slowest_ms
        FROM given GROUP BY 1
      ) g ON g."endpointId" = e.id
      WHERE e.deleted_at IS NULL
      ORDER BY e.id FOR NO KEY UPDATE OF e ${isLockedSkipped ? Prisma.sql`SKIP LOCKED` : Prisma.empty}
    ), delivered AS (
      UPDATE webhook_delivery d SET state = 'delivered', next_attempt_at = NULL, delivered_at = ${now}, claim_id = NULL,
        attempt_count = d.attempt_count + 1
      FROM given g JOIN locked l ON l.id = g."endpointId"
      WHERE d.id = g.id AND d.claim_id = g."claimId"
      RETURNING d.id, d.endpoint_id, d.attempt_count, g."isTest", g."attemptId", g."status", g."durationMs", g."answer"
    ), endpoint AS (
      UPDATE webhook_endpoint e SET failing_since = NULL, concurrency = l.concurrency,
        updated_at = CASE WHEN e.failing_since IS NULL THEN e.updated_at ELSE ${now} END
      FROM locked l
      WHERE e.id = l.id AND (e.failing_since IS NOT NULL OR e.concurrency <> l.concurrency)
        AND e.id IN (SELECT endpoint_id FROM delivered WHERE NOT "isTest")
    )
    INSERT INTO webhook_attempt (id, delivery_id, number, status, duration_ms, answer, created_at)
    SELECT "attemptId", id, attempt_count, "status", "durationMs", "answer", ${now} FROM delivered
    RETURNING delivery_id AS id`
  const ids = new Set(recorded.map(({ id }) => id))
  return ended.map(({ delivery }) => ids.has(delivery.id))
}
