/**
 * Version of graphile-worker that this file was compared with. Its private tables may change with any release, so only this
 * file names them: `tables.test.ts` fails for another version, and where a table lacks a column.
 */
export const COMPARED_VERSION = '0.18.0'

/** Entries of jobs: `key` is the job key, `locked_by` the pool that runs the entry. */
export const ENTRIES = 'graphile_worker._private_jobs'
/** Queues of entries that run one at a time. */
export const QUEUES = 'graphile_worker._private_job_queues'
/** Names of tasks. */
export const TASKS = 'graphile_worker._private_tasks'

/** Columns that statements use, by table. */
export const queueColumns: Readonly<Record<string, readonly string[]>> = {
  [ENTRIES]: [
    'id',
    'job_queue_id',
    'task_id',
    'priority',
    'run_at',
    'attempts',
    'max_attempts',
    'key',
    'locked_at',
    'locked_by',
    'flags',
  ],
  [QUEUES]: ['id', 'locked_at', 'locked_by'],
  [TASKS]: ['id', 'identifier'],
}

/** A subquery of the entries that a worker may take now: `id`, `key`, `priority` and `run_at`. */
export const WAITING_ENTRIES = `(
  SELECT id, key, priority, run_at FROM ${ENTRIES}
  WHERE locked_at IS NULL AND run_at <= now() AND attempts < max_attempts)`
