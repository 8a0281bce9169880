import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Event, WebhookDelivery, WebhookEndpoint } from '../../../platform/db/generated/client/client.ts'
import { waitingEndpoints } from './waiting.ts'

/** A claim expires after 30 s, longer than any attempt; the worker is presumed dead. */
const CLAIM_MS = 30_000

/** A delivery that this worker has claimed for its next attempt. */
export interface ClaimedDelivery
  extends Pick<WebhookDelivery, 'id' | 'organizationId' | 'endpointId' | 'attemptCount' | 'attemptsBefore'> {
  claimId: string
  event: Pick<Event, 'id' | 'organizationId' | 'type' | 'createdAt' | 'data' | 'origin'>
  endpoint: Pick<WebhookEndpoint, 'url' | 'secrets' | 'secretsExpireAt' | 'failingSince'>
}

/** The result of a test does not affect the endpoint, and a test is not repeated. */
export const isTest = ({ event }: ClaimedDelivery) => event.type === 'webhook.test'

interface ClaimOptions {
  /** Maximum number of deliveries. */
  limit: number
  /** Exclude failing endpoints. Defaults to false. */
  isFailingLeftOut?: boolean
}

/**
 * Claims due deliveries, so that no other worker attempts them. An endpoint gets at most `concurrency` attempts at once
 * across all workers, a failing one gets one as a probe. Endpoints with the fewest running attempts are served first. A
 * delivery is due again when its claim expires, because a worker can die at any point.
 */
export async function claimDue(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { limit, isFailingLeftOut = false }: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const now = clock()
  return db.$transaction(async (tx) => {
    const endpointIds = await lockDueEndpoints(tx, now, isFailingLeftOut)
    return endpointIds.length === 0 ? [] : claim(tx, now, endpointIds, limit)
  })
}

/**
 * Locks the endpoints with due deliveries, so that no two workers count their running attempts at the same time.
 * Endpoints that another transaction has locked are skipped, and those whose deliveries are being given up.
 */
async function lockDueEndpoints(tx: Transaction, now: Date, isFailingLeftOut: boolean): Promise<string[]> {
  // Only the first delivery of each endpoint is compared with the time.
  const locked = await tx.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE ${waitingEndpoints}
    SELECT e.id FROM webhook_endpoint e
    WHERE e.id IN (SELECT endpoint_id FROM waiting) AND e.deleted_at IS NULL AND e.give_up_before IS NULL
      AND (e.failing_since IS NULL OR NOT ${isFailingLeftOut}::boolean)
      AND (
        SELECT d.next_attempt_at FROM webhook_delivery d WHERE d.endpoint_id = e.id AND d.state = 'pending'
        ORDER BY d.next_attempt_at LIMIT 1
      ) <= ${now}
    FOR NO KEY UPDATE SKIP LOCKED`
  return locked.map(({ id }) => id)
}

/** A statement of its own: it sees what was committed until the locks were taken. */
async function claim(tx: Transaction, now: Date, endpointIds: string[], limit: number): Promise<ClaimedDelivery[]> {
  const lostAt = new Date(now.getTime() + CLAIM_MS)
  const rows = await tx.$queryRaw<ClaimedRow[]>`
    WITH due AS MATERIALIZED (
      SELECT d.id FROM webhook_endpoint e CROSS JOIN LATERAL (
        SELECT count(*) AS running FROM webhook_delivery u
        WHERE u.endpoint_id = e.id AND u.claim_id IS NOT NULL AND u.next_attempt_at > ${now}
      ) u CROSS JOIN LATERAL (
        SELECT f.id, u.running + row_number() OVER (ORDER BY f.next_attempt_at) AS place FROM (
          SELECT d.id, d.next_attempt_at FROM webhook_delivery d
          WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.next_attempt_at <= ${now}
          ORDER BY d.next_attempt_at
          LIMIT greatest(0, CASE WHEN e.failing_since IS NULL THEN e.concurrency ELSE 1 END - u.running)
          FOR UPDATE SKIP LOCKED
        ) f
      ) d
      WHERE e.id = ANY (${endpointIds}::uuid[])
      ORDER BY e.failing_since IS NOT NULL, d.place LIMIT ${limit}::int
    )
    UPDATE webhook_delivery d SET claim_id = gen_random_uuid(), next_attempt_at = ${lostAt}
    FROM due, event v, webhook_endpoint e WHERE d.id = due.id AND v.id = d.event_id AND e.id = d.endpoint_id
    RETURNING d.id, d.claim_id AS "claimId", d.organization_id AS "organizationId", d.endpoint_id AS "endpointId",
      d.attempt_count AS "attemptCount", d.attempts_before AS "attemptsBefore",
      v.id AS "eventId", v.type, v.created_at AS "createdAt", v.data, v.origin,
      e.url, e.secrets, e.secrets_expire_at AS "secretsExpireAt", e.failing_since AS "failingSince"`
  return rows.map(
    ({ eventId, type, createdAt, data, origin, url, secrets, secretsExpireAt, failingSince, ...delivery }) => ({
      ...delivery,
      event: { id: eventId, organizationId: delivery.organizationId, type, createdAt, data, origin },
      endpoint: { url, secrets, secretsExpireAt, failingSince },
    }),
  )
}

type ClaimedRow = Omit<ClaimedDelivery, 'event' | 'endpoint'> &
  Omit<ClaimedDelivery['event'], 'id' | 'organizationId'> &
  ClaimedDelivery['endpoint'] & { eventId: string }

/** Releases a delivery whose attempt this worker aborted. It is due at once, and the attempt is not counted. */
export async function releaseClaim({ db, clock }: Pick<Services, 'db' | 'clock'>, { id, claimId }: ClaimedDelivery) {
  await db.webhookDelivery.updateMany({
    where: { id, claimId, state: 'pending' },
    data: { claimId: null, nextAttemptAt: clock() },
  })
}
