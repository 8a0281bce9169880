import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { DeliveryState } from '../../../platform/db/generated/client/enums.ts'
import { recordEvent } from '../../event/service.ts'
import type { AttemptResult } from './attempt.ts'
import type { ClaimedDelivery } from './claim.ts'
import { giveUpPending } from './give-up.ts'
import { delayAfter } from './schedule.ts'

/** An endpoint is disabled after five days without a successful delivery (contract, section 7). */
const MAX_FAILING_MS = 5 * 86_400_000
const GONE = 410

export const isSuccess = ({ status }: Pick<AttemptResult, 'status'>) => status !== null && status >= 200 && status < 300

/**
 * Records the result of an attempt in one transaction: the attempt, the state of the delivery and of the endpoint.
 * Locks the endpoint before the delivery, in the same order as the deletion of an endpoint.
 * @returns false if the claim has expired; the worker with the current claim records its own result
 */
export async function recordOutcome(
  services: Pick<Services, 'db' | 'clock'>,
  delivery: ClaimedDelivery,
  result: AttemptResult,
): Promise<boolean> {
  const now = services.clock()
  const record = isSuccess(result) ? recordSuccess : recordFailure
  return services.db
    .$transaction((tx) => record(tx, delivery, result, now))
    .then(
      () => true,
      (error) => {
        if (error instanceof ClaimLost) return false
        throw error
      },
    )
}

/** Rolls the transaction back. */
class ClaimLost extends Error {
  override name = 'ClaimLost'
}

/** The result of a test does not affect the endpoint, and a test is not repeated. */
const isTest = ({ event }: ClaimedDelivery) => event.type === 'webhook.test'

async function recordSuccess(
  tx: Transaction,
  delivery: ClaimedDelivery,
  result: AttemptResult,
  now: Date,
): Promise<void> {
  if (!isTest(delivery)) {
    const where = { id: delivery.endpointId, failingSince: { not: null } }
    await tx.webhookEndpoint.updateMany({ where, data: { failingSince: null } })
  }
  await write(tx, delivery, result, { state: 'delivered', nextAttemptAt: null, deliveredAt: now }, now)
}

async function recordFailure(
  tx: Transaction,
  delivery: ClaimedDelivery,
  result: AttemptResult,
  now: Date,
): Promise<void> {
  const { endpointId: id, attemptCount, attemptsBefore } = delivery
  await tx.$queryRaw`SELECT id FROM webhook_endpoint WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  const endpoint = await tx.webhookEndpoint.findUnique({ where: { id } })
  if (!endpoint) throw new ClaimLost()
  const failingSince = endpoint.failingSince ?? now
  if (!isTest(delivery) && !endpoint.failingSince) {
    await tx.webhookEndpoint.update({ where: { id }, data: { failingSince } })
  }
  // Requested by an administrator, and not repeated.
  const isSingle = isTest(delivery) || endpoint.disabledAt !== null
  const reason = isSingle ? null : reasonToDisable(result, now.getTime() - failingSince.getTime())
  const delay = isSingle || reason ? null : delayAfter(attemptCount + 1 - attemptsBefore, result.retryAfterMs)
  await write(
    tx,
    delivery,
    result,
    delay === null
      ? { state: 'failed', nextAttemptAt: null, deliveredAt: null }
      : { state: 'pending', nextAttemptAt: new Date(now.getTime() + delay), deliveredAt: null },
    now,
  )
  if (reason) await disable(tx, delivery, { reason, failingSince, now })
}

function reasonToDisable({ status }: AttemptResult, failingMs: number): Disabling['reason'] | null {
  if (status === GONE) return 'gone'
  return failingMs >= MAX_FAILING_MS ? 'failing' : null
}

interface Next {
  state: DeliveryState
  nextAttemptAt: Date | null
  deliveredAt: Date | null
}

/** Writes under the claim only. A delivery that has been given up can still become `delivered`. */
async function write(tx: Transaction, delivery: ClaimedDelivery, result: AttemptResult, next: Next, createdAt: Date) {
  const { id, claimId } = delivery
  const { status, durationMs, answer } = result
  const [written] = await tx.webhookDelivery.updateManyAndReturn({
    where: { id, claimId },
    data: { ...next, claimId: null, attemptCount: { increment: 1 } },
    select: { attemptCount: true },
  })
  if (!written) throw new ClaimLost()
  const attempt = { deliveryId: id, number: written.attemptCount, status, durationMs, answer, createdAt }
  await tx.webhookAttempt.create({ data: attempt })
}

interface Disabling {
  reason: 'gone' | 'failing'
  failingSince: Date
  now: Date
}

/** Disables an endpoint and records an event, which is also sent to the other endpoints. */
async function disable(
  tx: Transaction,
  { endpointId, organizationId }: ClaimedDelivery,
  { reason, failingSince, now }: Disabling,
) {
  await tx.webhookEndpoint.update({ where: { id: endpointId }, data: { disabledAt: now, disabledReason: reason } })
  await giveUpPending(tx, endpointId)
  await recordEvent(tx, organizationId, 'webhook.disabled', {
    organization_id: organizationId,
    webhook_endpoint_id: endpointId,
    disabled_reason: reason,
    failing_since: failingSince.toISOString(),
  })
}
