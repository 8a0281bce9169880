import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { enqueue } from '../../../platform/jobs/task.ts'
import { pullSource } from './schema.ts'

/** Creates the pull of a new track's recording and queues its first attempt. */
export async function queuePull(
  { signing }: Services,
  tx: Transaction,
  { id: trackId, organizationId }: { id: string; organizationId: string },
  { sourceUrl, isFileNameGiven }: { sourceUrl: string; isFileNameGiven: boolean },
): Promise<void> {
  await tx.sourcePull.create({ data: { trackId, sealedUrl: signing.seal(sourceUrl), isFileNameGiven } })
  await queueAttempt(tx, organizationId, trackId)
}

/**
 * Queues an attempt. One attempt of an organization runs at a time: its slow sources must not occupy all workers.
 * @param runAt defaults to now
 */
export const queueAttempt = (tx: Transaction, organizationId: string, trackId: string, runAt?: Date) =>
  enqueue(tx, pullSource, { trackId }, { jobKey: `pull:${trackId}`, queueName: `pull:${organizationId}`, runAt })
