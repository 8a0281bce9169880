import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { WebhookEndpoint } from '../../../platform/db/generated/client/client.ts'
import { notFound } from '../../../platform/errors.ts'
import { administratorScope } from '../../access/viewer.ts'
import { recordEvent } from '../../event/service.ts'
import type { RedeliverFailed } from './record.ts'

/** Bounds one statement. A client with more events calls the mutation again. */
const MAX_REDELIVERIES = 10_000

/**
 * Sends an event of type `webhook.test` to one endpoint, also to a disabled one, regardless of its event types. It is
 * attempted once and does not change the endpoint. Owners and admins only.
 * @param endpointId defaults to the first endpoint
 * @returns the ID of the delivery
 * @throws AppError `not_found`
 */
export async function sendTestWebhook(ctx: Context, endpointId?: string): Promise<{ id: string }> {
  const { organizationId } = administratorScope(ctx)
  return ctx.db.$transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, organizationId, endpointId)
    const event = await recordEvent(tx, organizationId, 'webhook.test', {
      organization_id: organizationId,
      webhook_endpoint_id: endpoint.id,
    })
    const now = ctx.clock()
    return tx.webhookDelivery.create({
      data: {
        organizationId,
        endpointId: endpoint.id,
        eventId: event.id,
        nextAttemptAt: now,
        requestedAt: now,
        createdAt: now,
      },
      select: { id: true },
    })
  })
}

/**
 * Sends an event to its endpoint again, at once and with the whole schedule of attempts, even if it was delivered. A
 * disabled endpoint gets one attempt. Owners and admins only.
 * @throws AppError `not_found`
 */
export async function redeliverWebhook(ctx: Context, id: string): Promise<{ id: string }> {
  const { organizationId } = administratorScope(ctx)
  // Removes the claim of a running attempt. The event may then arrive twice, as the caller requested.
  const count = await ctx.db.$executeRaw`
    UPDATE webhook_delivery SET state = 'pending', next_attempt_at = ${ctx.clock()}, claim_id = NULL,
      delivered_at = NULL, attempts_before = attempt_count, requested_at = ${ctx.clock()}
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid
      AND endpoint_id IN (SELECT id FROM webhook_endpoint WHERE deleted_at IS NULL)`
  if (count === 0) throw notFound('webhookDeliveryId')
  return { id }
}

/** The result of redelivering failed events. */
export interface Redelivered {
  endpointId: string
  /** Number of planned deliveries. At most 10,000. */
  count: number
}

/**
 * Sends the undelivered events since a time to an endpoint again, oldest first: failed deliveries, and events that
 * happened while the endpoint was disabled. Owners and admins only.
 * @throws AppError `not_found`
 */
export async function redeliverFailedWebhooks(
  ctx: Context,
  { endpointId, since }: RedeliverFailed,
): Promise<Redelivered> {
  const { organizationId } = administratorScope(ctx)
  return ctx.db.$transaction(async (tx) => {
    const { id, eventTypes, createdAt } = await lockEndpoint(tx, organizationId, endpointId)
    const now = ctx.clock()
    const count = await tx.$executeRaw`
      INSERT INTO webhook_delivery (
        id, organization_id, endpoint_id, event_id, next_attempt_at, requested_at, created_at)
      SELECT gen_random_uuid(), e.organization_id, ${id}::uuid, e.id, ${now}::timestamptz, ${now}::timestamptz,
        ${now}::timestamptz
      FROM event e LEFT JOIN webhook_delivery d ON d.event_id = e.id AND d.endpoint_id = ${id}::uuid
      WHERE e.organization_id = ${organizationId}::uuid
        AND e.created_at >= greatest(${since}::timestamptz, ${createdAt}::timestamptz) AND e.type <> 'webhook.test'
        AND (d.state = 'failed' OR (
          d.id IS NULL AND (cardinality(${eventTypes}::text[]) = 0 OR e.type = ANY (${eventTypes}::text[]))))
      ORDER BY e.seq LIMIT ${MAX_REDELIVERIES}::int
      ON CONFLICT (endpoint_id, event_id) DO UPDATE SET state = 'pending', next_attempt_at = excluded.next_attempt_at,
        requested_at = excluded.requested_at, claim_id = NULL, attempts_before = webhook_delivery.attempt_count
      WHERE webhook_delivery.state = 'failed'`
    return { endpointId: id, count }
  })
}

/** Locks an endpoint, by default the first, against deletion and disabling until the transaction ends. */
async function lockEndpoint(tx: Transaction, organizationId: string, id: string | undefined): Promise<WebhookEndpoint> {
  const [lockedEndpoint] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM webhook_endpoint
    WHERE organization_id = ${organizationId}::uuid AND deleted_at IS NULL AND (${id ?? null}::uuid IS NULL OR id = ${id ?? null}::uuid)
    ORDER BY created_at, id LIMIT 1 FOR NO KEY UPDATE`
  if (!lockedEndpoint) throw notFound('endpointId')
  return tx.webhookEndpoint.findUniqueOrThrow({ where: { id: lockedEndpoint.id } })
}
