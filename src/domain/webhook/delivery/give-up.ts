import { z } from 'zod'
import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { enqueue, type TaskDefinition } from '../../../platform/jobs/task.ts'

const payload = z.object({ endpointId: z.string() })

/** Gives up the remaining deliveries of a disabled endpoint, and removes a deleted endpoint with its deliveries. */
export const clearWebhookEndpoint: TaskDefinition<z.infer<typeof payload>> = {
  name: 'clear_webhook_endpoint',
  payload,
  maxAttempts: 25,
}

/** Most deliveries that one statement gives up or deletes. */
export const DELIVERY_CHUNK = 2000

/**
 * Fails the pending deliveries of a disabled endpoint. `redeliverFailedWebhooks` sends them again. The claim of a
 * running attempt remains valid, so that its result is recorded. Of more than 2,000, a task fails the rest; until then no
 * delivery of the endpoint is claimed.
 */
export async function giveUpPending(tx: Transaction, endpointId: string, now: Date): Promise<void> {
  const count = await tx.$executeRaw`
    UPDATE webhook_delivery SET state = 'failed', next_attempt_at = NULL WHERE id IN (
      SELECT id FROM webhook_delivery WHERE endpoint_id = ${endpointId}::uuid AND state = 'pending' LIMIT ${DELIVERY_CHUNK})`
  if (count < DELIVERY_CHUNK) return
  await tx.webhookEndpoint.update({ where: { id: endpointId }, data: { giveUpBefore: now } })
  await clearLater(tx, endpointId)
}

/**
 * Deletes an endpoint: no client reads it any more, and nothing is sent to it. A task removes its rows.
 * @returns false if there is no such endpoint
 */
export async function deleteEndpoint(
  tx: Transaction,
  { organizationId, id }: { organizationId: string; id: string },
  now: Date,
): Promise<boolean> {
  const deleted = await tx.$executeRaw`
    UPDATE webhook_endpoint SET deleted_at = ${now}, disabled_at = coalesce(disabled_at, ${now})
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND deleted_at IS NULL`
  if (deleted === 0) return false
  await clearLater(tx, id)
  return true
}

const clearLater = (tx: Transaction, endpointId: string) =>
  enqueue(tx, clearWebhookEndpoint, { endpointId }, { jobKey: `clear_webhook_endpoint:${endpointId}` })

/**
 * Does the next chunk of what marks on an endpoint leave to do. Each chunk is one transaction; repeated calls end in the
 * same state.
 * @returns whether there may be more
 */
export async function clearSome({ db }: Pick<Services, 'db'>, endpointId: string): Promise<boolean> {
  const select = { deletedAt: true, giveUpBefore: true } as const
  const endpoint = await db.webhookEndpoint.findUnique({ where: { id: endpointId }, select })
  if (endpoint?.deletedAt) return deleteSome(db, endpointId)
  if (!endpoint?.giveUpBefore) return false
  const { giveUpBefore } = endpoint
  // Events of an endpoint that was enabled again, and requested deliveries, remain pending.
  const count = await db.$executeRaw`
    UPDATE webhook_delivery SET state = 'failed', next_attempt_at = NULL WHERE id IN (
      SELECT d.id FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint_id
      WHERE d.endpoint_id = ${endpointId}::uuid AND d.state = 'pending'
        AND (d.requested_at IS NULL OR d.requested_at < ${giveUpBefore})
        AND (e.disabled_at IS NOT NULL OR d.created_at <= ${giveUpBefore})
      LIMIT ${DELIVERY_CHUNK})`
  if (count === DELIVERY_CHUNK) return true
  const ended = await db.$executeRaw`
    UPDATE webhook_endpoint SET give_up_before = NULL WHERE id = ${endpointId}::uuid AND give_up_before = ${giveUpBefore}`
  // It may have been disabled again at the same moment.
  return ended === 0
}

/** Attempts are deleted by cascade. The row of the endpoint is the last. */
async function deleteSome(db: Services['db'], endpointId: string): Promise<boolean> {
  const count = await db.$executeRaw`
    DELETE FROM webhook_delivery WHERE id IN (
      SELECT id FROM webhook_delivery WHERE endpoint_id = ${endpointId}::uuid LIMIT ${DELIVERY_CHUNK})`
  if (count === DELIVERY_CHUNK) return true
  await db.webhookEndpoint.deleteMany({ where: { id: endpointId } })
  return false
}
