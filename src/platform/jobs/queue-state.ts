import type { Pool, QueryConfig } from 'pg'

/**
 * `waiting`: due and not begun; `later`: its time has not come, as after a failure; `running`; `exhausted`: all attempts
 * of the queue are used.
 */
export type EntryState = 'waiting' | 'later' | 'running' | 'exhausted'

/** Jobs of one task in one state. */
export interface QueueCount {
  task: string
  state: EntryState
  jobs: number
  /** Seconds since the oldest was due. */
  seconds: number
}

/** Counts the jobs of the queue with one scan of it. */
export async function readQueue(pool: Pool, timeoutMs: number): Promise<QueueCount[]> {
  const text = `
    SELECT task.identifier AS task, state, count(*)::int AS jobs,
      greatest(extract(epoch FROM now() - min(run_at)), 0)::float AS seconds
    FROM (
      SELECT task_id, run_at, CASE
        WHEN locked_at IS NOT NULL THEN 'running'
        WHEN attempts >= max_attempts THEN 'exhausted'
        WHEN run_at > now() THEN 'later'
        ELSE 'waiting' END AS state
      FROM graphile_worker._private_jobs
    ) entry JOIN graphile_worker._private_tasks task ON task.id = entry.task_id
    GROUP BY 1, 2`
  const { rows } = await pool.query<QueueCount>({ text, query_timeout: timeoutMs } as QueryConfig)
  return rows
}
