import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { DeliveryState } from '../../../platform/db/generated/client/enums.ts'
import { DAY_MS } from '../../../platform/time.ts'
import { recordEvent } from '../../event/service.ts'
import type { AttemptResult } from './attempt.ts'
import type { ClaimedDelivery } from './claim.ts'
import { giveUpPending } from './give-up.ts'
import { delayAfter } from './schedule.ts'

/** How long an endpoint may take nothing before it is switched off (contract, section 7). */
const PATIENCE_MS = 5 * DAY_MS
const GONE = 410

export const isSuccess = ({ status }: Pick<AttemptResult, 'status'>) => status !== null && status >= 200 && status < 300

/**
 * Writes what an attempt came to, in one transaction: the attempt, what becomes of the delivery, and of the endpoint.
 * The endpoint comes first, in the order in which its deletion locks them.
 * @returns false where the claim had run out meanwhile: then whoever has it now writes
 */
export async function recordOutcome(
  services: Pick<Services, 'db' | 'clock'>,
  delivery: ClaimedDelivery,
  result: AttemptResult,
): Promise<boolean> {
  const now = services.clock()
  const settle = isSuccess(result) ? taken : refused
  return services.db
    .$transaction((tx) => settle(tx, delivery, result, now))
    .then(
      () => true,
      (error) => {
        if (error instanceof ClaimLost) return false
        throw error
      },
    )
}

/** Undoes the transaction. */
class ClaimLost extends Error {
  override name = 'ClaimLost'
}

/** What a test comes to says nothing of the endpoint, and is not repeated. */
const isTest = ({ event }: ClaimedDelivery) => event.type === 'webhook.test'

async function taken(tx: Transaction, delivery: ClaimedDelivery, result: AttemptResult, now: Date): Promise<void> {
  if (!isTest(delivery)) {
    const where = { id: delivery.endpointId, failingSince: { not: null } }
    await tx.webhookEndpoint.updateMany({ where, data: { failingSince: null } })
  }
  await write(tx, delivery, result, { state: 'delivered', nextAttemptAt: null, deliveredAt: now }, now)
}

async function refused(tx: Transaction, delivery: ClaimedDelivery, result: AttemptResult, now: Date): Promise<void> {
  const { endpointId: id, attemptCount, attemptsBefore } = delivery
  await tx.$queryRaw`SELECT id FROM webhook_endpoint WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  const endpoint = await tx.webhookEndpoint.findUnique({ where: { id } })
  if (!endpoint) throw new ClaimLost()
  const failingSince = endpoint.failingSince ?? now
  if (!isTest(delivery) && !endpoint.failingSince)
    await tx.webhookEndpoint.update({ where: { id }, data: { failingSince } })
  // Asked for by hand, and not repeated.
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
  return failingMs >= PATIENCE_MS ? 'failing' : null
}

interface Next {
  state: DeliveryState
  nextAttemptAt: Date | null
  deliveredAt: Date | null
}

/** Only under the claim; one that was given up meanwhile may still turn out to be delivered. */
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

/** Switches an endpoint off and tells the administrator, by an event that the other endpoints are sent too. */
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
