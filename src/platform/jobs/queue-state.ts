import type { Pool, QueryConfig } from 'pg'
import { ENTRIES, TASKS } from './tables.ts'

/**
 * `waiting`: due and not begun; `later`: its time has not come, as after a failure; `running`; `exhausted`: all attempts
 * of the queue are used.
 */
export type EntryState = 'waiting' | 'later' | 'running' | 'exhausted'

/**
 * Jobs of the same organization that were ahead of a job when it was queued or got its turn: 0, 1 to 9, 10 to 99, more.
 * Organizations themselves are not labels of metrics, because their number has no bound.
 */
export type TurnClass = 'next' | 'few' | 'many' | 'bulk'

/** Jobs of one task, state and class. */
export interface QueueCount {
  task: string
  state: EntryState
  turn: TurnClass
  jobs: number
  /** Seconds since the oldest was due. */
  seconds: number
}

/**
 * Counts the jobs of the queue with one scan of it.
 * @param priorityStep distance of the priorities of tasks: the rest of a division by it is the turn
 */
export async function readQueue(pool: Pool, priorityStep: number, timeoutMs: number): Promise<QueueCount[]> {
  const text = `
    SELECT task.identifier AS task, state, turn, count(*)::int AS jobs,
      greatest(extract(epoch FROM now() - min(run_at)), 0)::float AS seconds
    FROM (
      SELECT task_id, run_at, CASE
        WHEN priority % $1 < 1 THEN 'next'
        WHEN priority % $1 < 10 THEN 'few'
        WHEN priority % $1 < 100 THEN 'many'
        ELSE 'bulk' END AS turn, CASE
        WHEN locked_at IS NOT NULL THEN 'running'
        WHEN attempts >= max_attempts THEN 'exhausted'
        WHEN run_at > now() THEN 'later'
        ELSE 'waiting' END AS state
      FROM ${ENTRIES}
    ) entry JOIN ${TASKS} task ON task.id = entry.task_id
    GROUP BY 1, 2, 3`
  const { rows } = await pool.query<QueueCount>({
    text,
    values: [priorityStep],
    query_timeout: timeoutMs,
  } as QueryConfig)
  return rows
}
