import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { enqueue } from '../../../platform/task.ts'
import { pullSource } from './schema.ts'

/**
 * Queues that a new track's recording is taken from the web. Of an organization one at a time: slow sources of one must
 * not hold all workers.
 */
export async function queuePull(
  { signing }: Services,
  tx: Transaction,
  { id: trackId, organizationId }: { id: string; organizationId: string },
  { sourceUrl, isFileNameGiven }: { sourceUrl: string; isFileNameGiven: boolean },
): Promise<void> {
  await tx.sourcePull.create({ data: { trackId, sealedUrl: signing.seal(sourceUrl), isFileNameGiven } })
  const queueName = `pull:${organizationId}`
  await enqueue(tx, pullSource, { trackId }, { jobKey: `pull:${trackId}`, queueName })
}
