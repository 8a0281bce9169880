import type { Transaction } from '../../../platform/db/client.ts'
import type { Job } from '../../../platform/db/generated/client/client.ts'
import type { JobState } from '../../../platform/db/generated/client/enums.ts'

export const hasEnded = ({ state }: Pick<Job, 'state'>) => state !== 'queued' && state !== 'running'

/** How a job ends: with an error's stable word where it failed. */
export interface Ending {
  state: Extract<JobState, 'done' | 'failed' | 'cancelled'>
  error?: string | null
}

/**
 * Ends a job, and with the last of them its batch, in the caller's transaction.
 * @param from states that it may be in
 * @returns false where it had ended already
 */
export async function endJob(
  tx: Transaction,
  { id, batchId }: Pick<Job, 'id' | 'batchId'>,
  { state, error = null }: Ending,
  now: Date,
  from: JobState[] = ['queued', 'running'],
): Promise<boolean> {
  const { count } = await tx.job.updateMany({
    where: { id, state: { in: from } },
    data: { state, error, finishedAt: now },
  })
  if (count > 0 && batchId) await settleBatch(tx, batchId, now)
  return count > 0
}

/**
 * Ends a batch whose jobs have all ended, and keeps what became of them: once, however many of them end together.
 * To be called behind everything else of a transaction, for it locks the batch.
 */
export async function settleBatch(tx: Transaction, id: string, now: Date): Promise<void> {
  // Whichever of these runs last comes here too.
  if (await tx.job.findFirst({ where: { batchId: id, state: 'queued' }, select: { id: true } })) return
  // Locked by a statement of its own: the next one then sees the jobs that ended while it waited.
  const open = await tx.$queryRaw<unknown[]>`
    SELECT id FROM batch WHERE id = ${id}::uuid AND finished_at IS NULL AND filled_at IS NOT NULL FOR UPDATE`
  if (open.length === 0) return
  const unended = { batchId: id, state: { in: ['queued' as const, 'running' as const] } }
  if (await tx.job.findFirst({ where: unended, select: { id: true } })) return
  await tx.$executeRaw`
    UPDATE batch SET finished_at = ${now}::timestamptz, total = ended.total, done_count = ended.done,
      failed_count = ended.failed, cancelled_count = ended.cancelled
    FROM (
      SELECT count(*)::int AS total, count(*) FILTER (WHERE state = 'done')::int AS done,
        count(*) FILTER (WHERE state = 'failed')::int AS failed,
        count(*) FILTER (WHERE state = 'cancelled')::int AS cancelled
      FROM job WHERE batch_id = ${id}::uuid
    ) ended
    WHERE id = ${id}::uuid`
}
