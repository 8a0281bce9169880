import type { Transaction } from '../../../platform/db/client.ts'

/**
 * Plans no more attempts for an endpoint that was switched off; `redeliverFailedWebhooks` takes them up again. The claim
 * of an attempt that is under way stays: what it comes to is still written down.
 */
export async function giveUpPending(tx: Transaction, endpointId: string): Promise<void> {
  await tx.webhookDelivery.updateMany({
    where: { endpointId, state: 'pending' },
    data: { state: 'failed', nextAttemptAt: null },
  })
}
