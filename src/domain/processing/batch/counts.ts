import type { Pool } from 'pg'
import type { Context } from '../../../platform/context.ts'
import { batched } from '../../../platform/db/batched.ts'
import type { Batch } from '../../../platform/db/generated/client/client.ts'
import type { JobState } from '../../../platform/db/generated/client/enums.ts'

/** Number of jobs of a batch by state. */
export type JobCounts = Record<JobState, number>

const none: JobCounts = { queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 }

type CountJobs = (id: string) => Promise<JobCounts>
const counters = new WeakMap<Pool, CountJobs>()

/** A finished batch has stored its counts. Batches that are counted at the same time share a statement. */
export async function readCounts({ pool }: Context, batch: Batch): Promise<JobCounts> {
  const { finishedAt, doneCount, failedCount, cancelledCount } = batch
  if (finishedAt) return { ...none, done: doneCount, failed: failedCount, cancelled: cancelledCount }
  const count = counters.get(pool) ?? batched((ids: readonly string[]) => countJobs(pool, ids), { turns: 1 })
  counters.set(pool, count)
  return count(batch.id)
}

async function countJobs(pool: Pool, ids: readonly string[]): Promise<JobCounts[]> {
  const { rows } = await pool.query<{ id: string; state: JobState; count: number }>({
    name: 'count_batches',
    text: `SELECT batch_id AS id, state, count(*)::int AS count FROM job WHERE batch_id = ANY($1::uuid[]) GROUP BY 1, 2`,
    values: [ids],
  })
  const rowsByBatch = Map.groupBy(rows, ({ id }) => id)
  const countsFor = (id: string) =>
    Object.fromEntries((rowsByBatch.get(id) ?? []).map(({ state, count }) => [state, count]))
  return ids.map((id) => ({ ...none, ...countsFor(id) }))
}

export type BatchState = 'queued' | 'running' | 'done' | 'cancelled'

export function toBatchState({ cancelledAt, finishedAt }: Batch, { running, done, failed }: JobCounts): BatchState {
  if (cancelledAt) return 'cancelled'
  if (finishedAt) return 'done'
  return running + done + failed > 0 ? 'running' : 'queued'
}

/** Percentage of jobs that have ended. While a batch is being filled, of the jobs created so far. */
export function computeProgress(
  { finishedAt }: Batch,
  { queued, running, done, failed, cancelled }: JobCounts,
): number {
  const ended = done + failed + cancelled
  const all = ended + queued + running
  if (finishedAt) return 100
  return all === 0 ? 0 : Math.min(99, Math.floor((ended * 100) / all))
}
