import type { Transaction } from '../../../platform/db/client.ts'

/**
 * Fails the pending deliveries of a disabled endpoint. `redeliverFailedWebhooks` sends them again. The claim of a
 * running attempt remains valid, so that its result is recorded.
 */
export async function giveUpPending(tx: Transaction, endpointId: string): Promise<void> {
  await tx.webhookDelivery.updateMany({
    where: { endpointId, state: 'pending' },
    data: { state: 'failed', nextAttemptAt: null },
  })
}
