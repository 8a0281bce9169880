// Reads and changes the queue of graphile-worker. No other test names its private tables.
import type { Pool } from 'pg'
import { ENTRIES, QUEUES, TASKS } from '../../src/platform/jobs/tables.ts'

/** A pool or a client of `pg`. */
type Database = Pick<Pool, 'query'>

/** An entry of the queue: a job as its workers see it. */
export interface QueueEntry {
  id: string
  /** The job key: of jobs of processing the ID of the row in `job`. */
  key: string | null
  task: string
  payload: Record<string, unknown>
  priority: number
  runAt: Date
  /** Seconds until `runAt`; at most 0 when the entry is due. */
  dueIn: number
  isDue: boolean
  attempts: number
  mayRun: boolean
  lastError: string | null
  /** The pool that runs the entry. */
  lockedBy: string | null
}

/** Entries that have all of these. Defaults to every entry. */
export interface EntryFilter {
  id?: string
  key?: string
  task?: string
  isLocked?: boolean
  lockedBy?: string
  isDue?: boolean
}

export interface EntryChange {
  /** Seconds until the entry is due. */
  dueIn?: number
  /** `all`: as many as the entry may have. */
  attempts?: number | 'all'
  priority?: number
  /** The pool that runs the entry; null unlocks it. */
  lockedBy?: string | null
  /** Age of the lock in seconds. Defaults to 0. */
  lockedFor?: number
}

const MATCHES = `($1::bigint IS NULL OR entry.id = $1)
  AND ($2::text IS NULL OR entry.key = $2)
  AND ($3::text IS NULL OR entry.task_id = (SELECT id FROM ${TASKS} WHERE identifier = $3))
  AND ($4::boolean IS NULL OR (entry.locked_at IS NOT NULL) = $4)
  AND ($5::text IS NULL OR entry.locked_by = $5)
  AND ($6::boolean IS NULL OR (entry.run_at <= now()) = $6)`
const listFilterValues = ({ id, key, task, isLocked, lockedBy, isDue }: EntryFilter) => [
  id,
  key,
  task,
  isLocked,
  lockedBy,
  isDue,
]

/** Returns entries in the order in which workers take them. */
export async function readEntries(database: Database, filter: EntryFilter = {}): Promise<QueueEntry[]> {
  const { rows } = await database.query<QueueEntry>(
    `SELECT entry.id, key, identifier AS task, payload, priority, run_at AS "runAt",
       extract(epoch FROM run_at - now())::float AS "dueIn", run_at <= now() AS "isDue",
       attempts, attempts < max_attempts AS "mayRun", last_error AS "lastError", locked_by AS "lockedBy"
     FROM ${ENTRIES} entry JOIN ${TASKS} task ON task.id = entry.task_id
     WHERE ${MATCHES} ORDER BY priority, run_at, entry.id`,
    listFilterValues(filter),
  )
  return rows
}

/** @throws when not exactly one entry matches */
export async function readEntry(database: Database, filter: EntryFilter = {}): Promise<QueueEntry> {
  const [entry, ...others] = await readEntries(database, filter)
  if (!entry || others.length > 0) throw new Error(`${entry ? 1 + others.length : 0} entries, expected one`)
  return entry
}

/** Changes entries as no worker would. */
export async function changeEntries(database: Database, change: EntryChange, filter: EntryFilter = {}): Promise<void> {
  const { dueIn, attempts, priority, lockedBy, lockedFor = 0 } = change
  await database.query(
    `UPDATE ${ENTRIES} entry SET
       run_at = coalesce(now() + make_interval(secs => $7), run_at),
       attempts = CASE WHEN $8 THEN max_attempts ELSE coalesce($9::int, attempts) END,
       priority = coalesce($10::int, priority),
       locked_by = CASE WHEN $11 THEN $12 ELSE locked_by END,
       locked_at = CASE WHEN $11 AND $12::text IS NOT NULL THEN now() - make_interval(secs => $13)
         WHEN $11 THEN NULL ELSE locked_at END
     WHERE ${MATCHES}`,
    [
      ...listFilterValues(filter),
      dueIn,
      attempts === 'all',
      attempts === 'all' ? null : attempts,
      priority,
      lockedBy !== undefined,
      lockedBy,
      lockedFor,
    ],
  )
}

/** Makes delayed entries due. */
export const makeEntriesDue = (database: Database, filter: EntryFilter = {}) =>
  changeEntries(database, { dueIn: 0 }, filter)

export async function deleteEntries(database: Database, filter: EntryFilter = {}): Promise<void> {
  await database.query(`DELETE FROM ${ENTRIES} entry WHERE ${MATCHES}`, listFilterValues(filter))
}

/** Locks a queue of entries that run one at a time, as a pool does that runs one of them. */
export async function lockQueue(database: Database, queueName: string, lockedBy: string): Promise<void> {
  await database.query(`UPDATE ${QUEUES} SET locked_by = $2, locked_at = now() WHERE queue_name = $1`, [
    queueName,
    lockedBy,
  ])
}

/** Returns the pools that have locked queues, null for a queue without a lock. */
export async function readQueueLocks(database: Database): Promise<(string | null)[]> {
  const { rows } = await database.query<{ lockedBy: string | null }>(`SELECT locked_by AS "lockedBy" FROM ${QUEUES}`)
  return rows.map(({ lockedBy }) => lockedBy)
}
