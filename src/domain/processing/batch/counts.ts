import type { Context } from '../../../platform/context.ts'
import type { Batch } from '../../../platform/db/generated/client/client.ts'
import type { JobState } from '../../../platform/db/generated/client/enums.ts'

/** How many jobs of a batch are in which state. */
export type Counts = Record<JobState, number>

const none = (): Counts => ({ queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 })

interface Gathering {
  ids: Set<string>
  counted: Promise<Map<string, Counts>>
}
const gathering = new WeakMap<Context, Gathering>()

/** Of a finished batch what it has kept; all others that are asked for together are counted by one statement. */
export async function countsOf(ctx: Context, batch: Batch): Promise<Counts> {
  const { finishedAt, doneCount, failedCount, cancelledCount } = batch
  if (finishedAt) return { ...none(), done: doneCount, failed: failedCount, cancelled: cancelledCount }
  const present = gathering.get(ctx) ?? gather(ctx)
  present.ids.add(batch.id)
  return (await present.counted).get(batch.id) ?? none()
}

function gather(ctx: Context): Gathering {
  const ids = new Set<string>()
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, Counts>>()
  // By then every field of the level that is being resolved has named its batch.
  setImmediate(() => {
    gathering.delete(ctx)
    count(ctx, [...ids]).then(resolve, reject)
  })
  const started = { ids, counted: promise }
  gathering.set(ctx, started)
  return started
}

async function count({ pool }: Context, ids: readonly string[]): Promise<Map<string, Counts>> {
  const { rows } = await pool.query<{ id: string; state: JobState; count: number }>({
    name: 'count_batches',
    text: `SELECT batch_id AS id, state, count(*)::int AS count FROM job WHERE batch_id = ANY($1::uuid[]) GROUP BY 1, 2`,
    values: [ids],
  })
  const found = new Map<string, Counts>()
  for (const row of rows) found.set(row.id, { ...(found.get(row.id) ?? none()), [row.state]: row.count })
  return found
}

export type BatchState = 'queued' | 'running' | 'done' | 'cancelled'

export function stateOf({ cancelledAt, finishedAt }: Batch, { running, done, failed }: Counts): BatchState {
  if (cancelledAt) return 'cancelled'
  if (finishedAt) return 'done'
  return running + done + failed > 0 ? 'running' : 'queued'
}

/** Whole percent of the jobs that have ended; of a batch that is being filled, of those known so far. */
export function progressOf({ finishedAt }: Batch, { queued, running, done, failed, cancelled }: Counts): number {
  const ended = done + failed + cancelled
  const all = ended + queued + running
  if (finishedAt) return 100
  return all === 0 ? 0 : Math.min(99, Math.floor((ended * 100) / all))
}
