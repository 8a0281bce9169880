import type { Services } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'

/** To one endpoint, over all workers. While nothing gets through, each attempt is a probe. */
const AT_ONCE = 4
const AT_ONCE_WHILE_FAILING = 1
/** Longer than an attempt can take: whoever has not said by then how it ended does not live any more. */
const CLAIM_MS = 30_000

const withAll = { event: true, endpoint: true } satisfies Prisma.WebhookDeliveryInclude

/** A delivery whose next attempt is ours to make. */
export type ClaimedDelivery = Prisma.WebhookDeliveryGetPayload<{ include: typeof withAll }> & { claimId: string }

/**
 * Takes deliveries that are due, so that no other worker makes their attempt. An attempt of which nothing was heard
 * until its claim ran out is due again: a worker may die at any point.
 * @param limit how many at most
 * @param isFailingLeftOut only those to endpoints that take what they are sent
 */
export async function claimDue(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { limit, isFailingLeftOut = false }: { limit: number; isFailingLeftOut?: boolean },
): Promise<ClaimedDelivery[]> {
  const now = clock()
  const lostAt = new Date(now.getTime() + CLAIM_MS)
  // `waiting` steps from endpoint to endpoint along the index, however much is pending at each. The lock on an
  // endpoint keeps two workers from counting at the same time what is under way to it.
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
        SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.next_attempt_at <= ${now}
      ) AND (e.failing_since IS NULL OR NOT ${isFailingLeftOut}::boolean)
      FOR NO KEY UPDATE SKIP LOCKED
    ), due AS MATERIALIZED (
      SELECT d.id FROM target t CROSS JOIN LATERAL (
        SELECT d.id, d.next_attempt_at FROM webhook_delivery d
        WHERE d.endpoint_id = t.id AND d.state = 'pending' AND d.next_attempt_at <= ${now}
        ORDER BY d.next_attempt_at
        LIMIT greatest(0, CASE WHEN t.is_failing THEN ${AT_ONCE_WHILE_FAILING}::int ELSE ${AT_ONCE}::int END - (
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
    include: withAll,
  })
  return deliveries.flatMap(({ claimId, ...rest }) => (claimId === null ? [] : [{ ...rest, claimId }]))
}

/** Gives a delivery back whose attempt was broken off by us: it is due at once, and that attempt does not count. */
export async function releaseClaim({ db, clock }: Pick<Services, 'db' | 'clock'>, { id, claimId }: ClaimedDelivery) {
  await db.webhookDelivery.updateMany({
    where: { id, claimId, state: 'pending' },
    data: { claimId: null, nextAttemptAt: clock() },
  })
}
