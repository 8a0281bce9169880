import type { Services } from '../../../platform/context.ts'
import { batched } from '../../../platform/db/batched.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { oneAtATime } from '../../../platform/one-at-a-time.ts'
import { DAY_MS } from '../../../platform/time.ts'
import { recordEvent } from '../../event/service.ts'
import type { AttemptResult } from './attempt.ts'
import { type ClaimedDelivery, isTest } from './claim.ts'
import { concurrencyAfterFailure } from './concurrency.ts'
import { giveUpPending } from './give-up.ts'
import { delayAfter } from './schedule.ts'
import { type Ended, recordSuccesses } from './success.ts'

/** An endpoint is disabled after five days without a successful delivery (contract, section 7). */
const MAX_FAILING_MS = 5 * DAY_MS
const GONE = 410
/** Successes that one statement records. */
const MAX_TOGETHER = 256
/** Failures that are recorded at once. */
const FAILURE_LANES = 4

export const isSuccess = ({ status }: Pick<AttemptResult, 'status'>) => status !== null && status >= 200 && status < 300

/** Records the result of an attempt. @returns false if the claim has expired */
export type RecordOutcome = (delivery: ClaimedDelivery, result: AttemptResult) => Promise<boolean>

/**
 * Returns a function that records results. Successes that end while others are being recorded are recorded together
 * (group commit), and a locked endpoint does not delay those of others. Occupies at most six connections, because an
 * endpoint can be locked for seconds.
 * @param inTurn runs the statement of a group. Defaults to at once
 */
export function createOutcomeRecorder(
  services: Pick<Services, 'db' | 'clock'>,
  inTurn: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
): RecordOutcome {
  const max = MAX_TOGETHER
  const atOnce = batched<Ended, boolean>(
    (ended) => inTurn(() => recordSuccesses(services, ended, { isLockedSkipped: true })),
    { max },
  )
  const waiting = batched<Ended, boolean>((ended) => recordSuccesses(services, ended), { max })
  // The failures of an endpoint share a lane, because each locks it.
  const lanes = Array.from({ length: FAILURE_LANES }, oneAtATime)
  return async (delivery, result) => {
    if (isSuccess(result)) return (await atOnce({ delivery, result })) || waiting({ delivery, result })
    const lane = lanes[Number.parseInt(delivery.endpointId.slice(-4), 16) % FAILURE_LANES] ?? inTurn
    return lane(() => recordFailure(services, delivery, result))
  }
}

/** Rolls the transaction back. */
class ClaimLost extends Error {
  override name = 'ClaimLost'
}

/**
 * Records a failed attempt in one transaction: the attempt, the state of the delivery and of the endpoint. Locks the
 * endpoint before the delivery, in the same order as the deletion of an endpoint.
 * @returns false if the claim has expired; the worker with the current claim records its own result
 */
async function recordFailure(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  delivery: ClaimedDelivery,
  result: AttemptResult,
): Promise<boolean> {
  const now = clock()
  return db
    .$transaction((tx) => writeFailure(tx, delivery, result, now))
    .then(
      () => true,
      (error) => {
        if (error instanceof ClaimLost) return false
        throw error
      },
    )
}

async function writeFailure(
  tx: Transaction,
  delivery: ClaimedDelivery,
  result: AttemptResult,
  now: Date,
): Promise<void> {
  const { attemptCount, attemptsBefore } = delivery
  const endpoint = isTest(delivery) ? null : await markFailing(tx, delivery, now)
  // Null for what an administrator requested: it is not repeated.
  const failingSince = endpoint?.disabledAt === null ? endpoint.failingSince : null
  const reason = failingSince && reasonToDisable(result, now.getTime() - failingSince.getTime())
  const delay = failingSince && !reason ? delayAfter(attemptCount + 1 - attemptsBefore, result.retryAfterMs) : null
  await write(tx, delivery, result, delay === null ? null : new Date(now.getTime() + delay), now)
  if (failingSince && reason) await disable(tx, delivery, { reason, failingSince, now })
}

/** Locks the endpoint, marks it as failing and reduces its concurrency. */
async function markFailing(tx: Transaction, { endpointId }: ClaimedDelivery, now: Date) {
  const [endpoint] = await tx.$queryRaw<{ failingSince: Date; disabledAt: Date | null }[]>`
    UPDATE webhook_endpoint e SET failing_since = coalesce(e.failing_since, ${now}),
      concurrency = ${concurrencyAfterFailure},
      updated_at = CASE WHEN e.failing_since IS NULL THEN ${now} ELSE e.updated_at END
    WHERE e.id = ${endpointId}::uuid AND e.deleted_at IS NULL
    RETURNING e.failing_since AS "failingSince", e.disabled_at AS "disabledAt"`
  if (!endpoint) throw new ClaimLost()
  return endpoint
}

function reasonToDisable({ status }: AttemptResult, failingMs: number): Disabling['reason'] | null {
  if (status === GONE) return 'gone'
  return failingMs >= MAX_FAILING_MS ? 'failing' : null
}

/** Writes under the claim only. Without a next attempt the delivery has failed. */
async function write(
  tx: Transaction,
  delivery: ClaimedDelivery,
  { status, durationMs, answer }: AttemptResult,
  nextAttemptAt: Date | null,
  createdAt: Date,
) {
  const { id, claimId } = delivery
  const state = nextAttemptAt ? 'pending' : 'failed'
  const [written] = await tx.webhookDelivery.updateManyAndReturn({
    where: { id, claimId },
    data: { state, nextAttemptAt, deliveredAt: null, claimId: null, attemptCount: { increment: 1 } },
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
  await giveUpPending(tx, endpointId, now)
  await recordEvent(tx, organizationId, 'webhook.disabled', {
    organization_id: organizationId,
    webhook_endpoint_id: endpointId,
    disabled_reason: reason,
    failing_since: failingSince.toISOString(),
  })
}
