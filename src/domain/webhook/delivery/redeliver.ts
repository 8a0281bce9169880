import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { WebhookEndpoint } from '../../../platform/db/generated/client/client.ts'
import { notFound } from '../../../platform/errors.ts'
import { parse } from '../../../platform/schema/input.ts'
import { administratorScope } from '../../access/viewer.ts'
import { recordEvent } from '../../event/service.ts'
import { deliveryId, redeliverFailedInput, testInput } from './schema.ts'

/** Few enough for one statement; whoever has more asks again. */
const MAX_AT_ONCE = 10_000

/**
 * Sends an event of type `webhook.test` to one endpoint, switched off or not, whatever it is told of otherwise: one
 * attempt, which says nothing of the endpoint. Owners and admins.
 * @param rawEndpointId the first endpoint unless told
 * @returns the delivery's id
 * @throws AppError `not_found`
 */
export async function sendTestWebhook(ctx: Context, rawEndpointId?: string): Promise<{ id: string }> {
  const { organizationId } = administratorScope(ctx)
  const { endpointId } = parse(testInput, { endpointId: rawEndpointId })
  return ctx.db.$transaction(async (tx) => {
    const endpoint = await hold(tx, organizationId, endpointId)
    const event = await recordEvent(tx, organizationId, 'webhook.test', {
      organization_id: organizationId,
      webhook_endpoint_id: endpoint.id,
    })
    const now = ctx.clock()
    return tx.webhookDelivery.create({
      data: { organizationId, endpointId: endpoint.id, eventId: event.id, nextAttemptAt: now, createdAt: now },
      select: { id: true },
    })
  })
}

/**
 * Sends an event to its endpoint once more, delivered or not, at once and with the whole schedule behind it; to an
 * endpoint that is switched off once only. Owners and admins.
 * @throws AppError `not_found`
 */
export async function redeliverWebhook(ctx: Context, rawId: string): Promise<{ id: string }> {
  const { organizationId } = administratorScope(ctx)
  const id = parse(deliveryId, { webhookDeliveryId: rawId }).webhookDeliveryId
  // An attempt that is under way keeps its claim no longer: that it may arrive twice is what was asked for.
  const count = await ctx.db.$executeRaw`
    UPDATE webhook_delivery SET state = 'pending', next_attempt_at = ${ctx.clock()}, claim_id = NULL,
      delivered_at = NULL, attempts_before = attempt_count
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid`
  if (count === 0) throw notFound('webhookDeliveryId')
  return { id }
}

/** What a redelivery of all that failed came to. */
export interface Redelivered {
  endpointId: string
  /** How many were planned, 10,000 at most. */
  count: number
}

/**
 * Sends everything again that an endpoint has not taken since a time: what was given up, and what happened while it was
 * switched off. The oldest first. Owners and admins.
 * @param raw endpointId (the first endpoint unless told), since
 * @throws AppError `not_found`
 */
export async function redeliverFailedWebhooks(ctx: Context, raw: unknown): Promise<Redelivered> {
  const { organizationId } = administratorScope(ctx)
  const { endpointId, since } = parse(redeliverFailedInput, raw)
  return ctx.db.$transaction(async (tx) => {
    const { id, eventTypes, createdAt } = await hold(tx, organizationId, endpointId)
    const now = ctx.clock()
    const count = await tx.$executeRaw`
      INSERT INTO webhook_delivery (id, organization_id, endpoint_id, event_id, next_attempt_at, created_at)
      SELECT gen_random_uuid(), e.organization_id, ${id}::uuid, e.id, ${now}::timestamptz, ${now}::timestamptz
      FROM event e LEFT JOIN webhook_delivery d ON d.event_id = e.id AND d.endpoint_id = ${id}::uuid
      WHERE e.organization_id = ${organizationId}::uuid AND e.created_at >= greatest(${since}::timestamptz, ${createdAt}::timestamptz) AND e.type <> 'webhook.test'
        AND (d.state = 'failed' OR (
          d.id IS NULL AND (cardinality(${eventTypes}::text[]) = 0 OR e.type = ANY (${eventTypes}::text[]))))
      ORDER BY e.seq LIMIT ${MAX_AT_ONCE}::int
      ON CONFLICT (endpoint_id, event_id) DO UPDATE SET state = 'pending', next_attempt_at = excluded.next_attempt_at,
        claim_id = NULL, attempts_before = webhook_delivery.attempt_count
      WHERE webhook_delivery.state = 'failed'`
    return { endpointId: id, count }
  })
}

/** Finds an endpoint and keeps it from being deleted or switched off meanwhile. */
async function hold(tx: Transaction, organizationId: string, id: string | undefined): Promise<WebhookEndpoint> {
  const [found] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM webhook_endpoint
    WHERE organization_id = ${organizationId}::uuid AND (${id ?? null}::uuid IS NULL OR id = ${id ?? null}::uuid)
    ORDER BY created_at, id LIMIT 1 FOR NO KEY UPDATE`
  if (!found) throw notFound('endpointId')
  return tx.webhookEndpoint.findUniqueOrThrow({ where: { id: found.id } })
}
