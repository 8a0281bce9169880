import type { Transaction } from '../../../platform/db/client.ts'
import type { Job } from '../../../platform/db/generated/client/client.ts'
import type { JobState } from '../../../platform/db/generated/client/enums.ts'
import { lockTrack } from '../../track/service.ts'
import { unendedStates } from '../job-states.ts'

export const hasEnded = ({ state }: Pick<Job, 'state'>) => !unendedStates.includes(state)

/**
 * Condition of everything that an attempt writes to its job. A worker that is cut off from the database may still run an
 * attempt while the next one has begun: the row counts the newest.
 */
export const inAttempt = ({ id, attempts }: Pick<Job, 'id' | 'attempts'>) => ({
  id,
  attempts,
  state: 'running' as const,
})

/**
 * Locks a job in the caller's transaction, which writes the result of an attempt.
 * @returns false if the job has ended or a later attempt has begun: the result must not be written then
 */
export async function lockAttempt(tx: Transaction, { id, attempts }: Pick<Job, 'id' | 'attempts'>): Promise<boolean> {
  const newest = await tx.$queryRaw<unknown[]>`
    SELECT id FROM job WHERE id = ${id}::uuid AND attempts = ${attempts}::int AND state = 'running' FOR UPDATE`
  return newest.length > 0
}

/** End of a job, with the stable code of its failure. */
export interface Ending {
  state: Extract<JobState, 'done' | 'failed' | 'cancelled'>
  error?: string | null
}

/** End of a job whose track was deleted while it waited or ran. A deleted upload leaves nothing to process. */
export const endingAfterDeletion = ({ kind }: Pick<Job, 'kind'>): Ending =>
  kind === 'process_track' ? { state: 'done' } : { state: 'cancelled', error: INTERRUPTED }

/** Code of a job that was cancelled because its track was deleted. */
export const INTERRUPTED = 'track_deleted'
/** Its code after the restoration of the track has queued the work again. */
export const RESUMED = 'track_restored'

/** Jobs that the deletion of their track has cancelled. */
export const interrupted = { state: 'cancelled', error: INTERRUPTED } as const

/**
 * Ends a job whose track was deleted.
 * @returns null if the track was restored since: the job goes on
 */
export async function endIfDeleted(
  tx: Transaction,
  job: Pick<Job, 'id' | 'batchId' | 'kind'>,
  trackId: string,
  now: Date,
): Promise<Ending | null> {
  // The job before its track, as transactions that publish. The lock on the track lets its restoration see this end.
  await tx.$queryRaw`SELECT id FROM job WHERE id = ${job.id}::uuid FOR UPDATE`
  const { deletedAt } = await lockTrack(tx, trackId)
  if (!deletedAt) return null
  const ending = endingAfterDeletion(job)
  await endJob(tx, job, ending, now)
  return ending
}

/**
 * Ends a job, and its batch with the last job, in the caller's transaction. Call it last, because it locks the batch.
 * @param from states that the job may be in
 * @returns false for a job that has ended already
 */
export async function endJob(
  tx: Transaction,
  { id, batchId }: Pick<Job, 'id' | 'batchId'>,
  { state, error = null }: Ending,
  now: Date,
  from: JobState[] = unendedStates,
): Promise<boolean> {
  const { count } = await tx.job.updateMany({
    where: { id, state: { in: from } },
    data: { state, error, finishedAt: now },
  })
  if (count > 0 && batchId) await settleBatch(tx, batchId, now)
  return count > 0
}

/**
 * Ends a batch whose jobs have all ended, and stores their counts. Call it last in a transaction, because it locks the
 * batch.
 */
export async function settleBatch(tx: Transaction, id: string, now: Date): Promise<void> {
  // The last of these jobs calls this function too.
  if (await tx.job.findFirst({ where: { batchId: id, state: 'queued' }, select: { id: true } })) return
  // A separate statement, so that the next one sees the jobs that ended while this one waited for the lock.
  const open = await tx.$queryRaw<unknown[]>`
    SELECT id FROM batch WHERE id = ${id}::uuid AND finished_at IS NULL AND filled_at IS NOT NULL FOR UPDATE`
  if (open.length === 0) return
  const unended = { batchId: id, state: { in: unendedStates } }
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
