import type { Services } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'

/** Concurrent attempts to one endpoint, across all workers. A failing endpoint gets one at a time, as a probe. */
const MAX_CONCURRENT = 4
const MAX_CONCURRENT_FAILING = 1
/** A claim expires after 30 s, longer than any attempt; the worker is presumed dead. */
const CLAIM_MS = 30_000

const withRelations = { event: true, endpoint: true } satisfies Prisma.WebhookDeliveryInclude

/** A delivery that this worker has claimed for its next attempt. */
export type ClaimedDelivery = Prisma.WebhookDeliveryGetPayload<{ include: typeof withRelations }> & { claimId: string }

/**
 * Claims due deliveries, so that no other worker attempts them. A delivery is due again when its claim expires, because
 * a worker can die at any point.
 * @param limit maximum number of deliveries
 * @param isFailingLeftOut exclude failing endpoints. Defaults to false
 */
export async function claimDue(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { limit, isFailingLeftOut = false }: { limit: number; isFailingLeftOut?: boolean },
): Promise<ClaimedDelivery[]> {
  const now = clock()
  const lostAt = new Date(now.getTime() + CLAIM_MS)
  // `waiting` skips from endpoint to endpoint along the index, independent of the number of pending deliveries. The
  // lock on an endpoint prevents two workers from counting its running attempts at the same time.
  const claimed = await db.$queryRaw<{ id: string; claimId: string }[]>`
    WITH RECURSIVE waiting AS (
      (SELECT endpoint_id FROM webhook_delivery WHERE state = 'pending' ORDER BY endpoint_id LIMIT 1)
      UNION ALL
      SELECT (
        SELECT d.endpoint_id FROM webhook_delivery d WHERE d.state = 'pending' AND d.endpoint_id > w.endpoint_id
        ORDER BY d.endpoint_id LIMIT 1
      ) FROM waiting w WHERE w.endpoint_id IS NOT NULL
    ), target AS MATERIALIZED (
      SELECT e.id, e.failing_since IS NOT NULL AS is_failing FROM webhook_endpoint e
      WHERE e.id IN (SELECT endpoint_id FROM waiting) AND EXISTS (
        SELECT 1 FROM webhook_delivery d
        WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.next_attempt_at <= ${now}
      ) AND (e.failing_since IS NULL OR NOT ${isFailingLeftOut}::boolean)
      FOR NO KEY UPDATE SKIP LOCKED
    ), due AS MATERIALIZED (
      SELECT d.id FROM target t CROSS JOIN LATERAL (
        SELECT d.id, d.next_attempt_at FROM webhook_delivery d
        WHERE d.endpoint_id = t.id AND d.state = 'pending' AND d.next_attempt_at <= ${now}
        ORDER BY d.next_attempt_at
        LIMIT greatest(0, CASE WHEN t.is_failing THEN ${MAX_CONCURRENT_FAILING}::int ELSE ${MAX_CONCURRENT}::int END - (
          SELECT count(*) FROM webhook_delivery u
          WHERE u.endpoint_id = t.id AND u.claim_id IS NOT NULL AND u.next_attempt_at > ${now}))
        FOR UPDATE SKIP LOCKED
      ) d ORDER BY t.is_failing, d.next_attempt_at LIMIT ${limit}::int
    )
    UPDATE webhook_delivery SET claim_id = gen_random_uuid(), next_attempt_at = ${lostAt}
    FROM due WHERE webhook_delivery.id = due.id RETURNING webhook_delivery.id, claim_id AS "claimId"`
  if (claimed.length === 0) return []
  const deliveries = await db.webhookDelivery.findMany({
    where: { OR: claimed },
    include: withRelations,
  })
  return deliveries.flatMap(({ claimId, ...rest }) => (claimId === null ? [] : [{ ...rest, claimId }]))
}

/** Releases a delivery whose attempt this worker aborted. It is due at once, and the attempt is not counted. */
export async function releaseClaim({ db, clock }: Pick<Services, 'db' | 'clock'>, { id, claimId }: ClaimedDelivery) {
  await db.webhookDelivery.updateMany({
    where: { id, claimId, state: 'pending' },
    data: { claimId: null, nextAttemptAt: clock() },
  })
}
