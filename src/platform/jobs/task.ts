import { runMigrations } from 'graphile-worker'
import { Pool } from 'pg'
import { z } from 'zod'
import type { Services } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { readOrigin, type StoredOrigin, storedOrigin } from '../origin.ts'
import { ENTRIES } from './tables.ts'

/**
 * Where a task runs. Each lane has slots of its own, so that the tasks of one never wait for those of another:
 * `processing` uses the processor, `transfers` waits for hosts of others, `speech` for the server that transcribes, `upkeep` is
 * short.
 */
export type Lane = 'processing' | 'transfers' | 'speech' | 'upkeep'

/** A kind of job: its name and the schema of its payload. Its body is in a separate `*.task.ts`. */
export interface TaskDefinition<P> {
  name: string
  payload: z.ZodType<P>
  /** Maximum number of attempts. */
  maxAttempts: number
  /** Defaults to `upkeep`. */
  lane?: Lane
  /** The lowest number runs first, within a lane. Defaults to 0. */
  priority?: number
}

/** A scheduled task without a payload. */
export const periodic = (name: string): TaskDefinition<unknown> => ({ name, payload: z.unknown(), maxAttempts: 3 })

/** The entry of a job in the queue, as a pool of workers has locked it. */
export interface Entry {
  id: string
  lockedBy: string | null
}

/** Input of a task's body in addition to its payload. */
export interface TaskRun {
  /** Fires when the process has to stop. */
  signal: AbortSignal
  /** Number of the attempt, from 1. */
  attempt: number
  /** Absent for a run outside of the queue. */
  entry?: Entry
}

/**
 * Result of an attempt, for metrics. `delayed`: it has failed for a fault of the service or the host, and is repeated later;
 * `given_up`: it was the last that failed so; `requeued`: the job has made room or waits for its track; `superseded`: another
 * attempt has ended the job or runs now.
 */
export type TaskOutcome = 'done' | 'failed' | 'cancelled' | 'delayed' | 'given_up' | 'requeued' | 'superseded'

/** Returns a job to the queue, so that another organization finds a slot: reason of an abort, or thrown by the job itself. */
export class SlotReturned extends Error {
  override name = 'SlotReturned'
}

/** Failure of an attempt that is repeated after a pause of a given length or more. */
export class Postponed extends Error {
  override name = 'Postponed'
  readonly pauseMs: number

  constructor(message: string, pauseMs: number, cause: unknown) {
    super(message, { cause })
    this.pauseMs = pauseMs
  }
}

/** A task with its body. Bodies are idempotent: any of them may run twice, or be killed at any point. */
export interface Task {
  definition: TaskDefinition<unknown>
  /** Schedule in cron syntax, UTC. Only for scheduled tasks. */
  cron?: string
  run: (services: Services, payload: unknown, run: TaskRun) => Promise<TaskOutcome>
}

/**
 * Combines a definition and its body. The payload is parsed again when the task runs.
 * @param run a body without a result is `done` when it returns
 */
export function task<P>(
  definition: TaskDefinition<P>,
  run: (services: Services, payload: P, run: TaskRun) => Promise<TaskOutcome> | Promise<void>,
  cron?: string,
): Task {
  return {
    definition,
    cron,
    run: async (services, payload, info) => (await run(services, definition.payload.parse(payload), info)) ?? 'done',
  }
}

/** Field of a payload with the request that has queued the job. Schemas of payloads ignore it. */
const ORIGIN = '_origin'

function writePayload<P>(definition: TaskDefinition<P>, payload: P): string {
  const origin = storedOrigin()
  return JSON.stringify({ ...definition.payload.parse(payload), ...(origin && { [ORIGIN]: origin }) })
}

/** Separates a payload from the request that has queued the job. */
export function readPayload(json: unknown): { payload: unknown; origin: StoredOrigin } {
  const { [ORIGIN]: origin, ...payload } = (json ?? {}) as Record<string, unknown>
  return { payload, origin: readOrigin(origin) }
}

export interface EnqueueOptions {
  jobKey: string
  runAt?: Date
  queueName?: string
  turn?: number
  flags?: readonly string[]
}

/**
 * Queues a job in a transaction, so that it exists if and only if the change does.
 * @param options `jobKey`: the public `job_id`. Replaces a waiting job with the same key; a running one keeps running, and
 * another is queued. `queueName`: jobs with the same name run one at a time. `turn`: added to the priority. `flags`:
 * workers may leave out the jobs that have one of them
 */
export async function enqueue<P>(
  tx: Transaction,
  definition: TaskDefinition<P>,
  payload: P,
  options: EnqueueOptions,
): Promise<void> {
  const json = writePayload(definition, payload)
  await tx.$executeRaw`
    SELECT graphile_worker.add_job(
      identifier => ${definition.name}, payload => ${json}::json, job_key => ${options.jobKey},
      queue_name => ${options.queueName ?? null}::text,
      max_attempts => ${definition.maxAttempts}::int, run_at => ${options.runAt ?? null}::timestamptz,
      priority => ${(definition.priority ?? 0) + (options.turn ?? 0)}::int, flags => ${options.flags ?? null}::text[])`
}

/**
 * Queues many jobs of a kind with one statement.
 * @param jobs each added to the priority with its turn
 * @param flags as those of `enqueue`, of every job
 */
export async function enqueueMany<P>(
  tx: Transaction,
  definition: TaskDefinition<P>,
  jobs: readonly { jobKey: string; payload: P; turn: number }[],
  flags: readonly string[] = [],
): Promise<void> {
  const texts = jobs.map(({ payload }) => writePayload(definition, payload))
  await tx.$executeRaw`
    SELECT count(*) FROM graphile_worker.add_jobs((
      SELECT array_agg(row(${definition.name}, payload, null, null, ${definition.maxAttempts}, key,
        ${definition.priority ?? 0} + turn, ${flags}::text[])::graphile_worker.job_spec)
      FROM unnest(${jobs.map(({ jobKey }) => jobKey)}::text[], ${texts}::json[], ${jobs.map(({ turn }) => turn)}::int[])
        AS job(key, payload, turn)))`
}

/**
 * Returns the jobs that the queue will not run again: their entry is missing or has used all attempts.
 * @param jobKeys as passed to `enqueue`
 */
export async function findUnqueued(pool: Pool, jobKeys: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT key FROM unnest($1::text[]) AS job(key) WHERE NOT EXISTS (
       SELECT FROM ${ENTRIES} entry
       WHERE entry.key = job.key AND (entry.locked_at IS NOT NULL OR entry.attempts < entry.max_attempts))`,
    [jobKeys],
  )
  return new Set(rows.map(({ key }) => key))
}

/**
 * Locks the entry until the end of the transaction, if its pool has it still. The pool has lost it when it counted as dead,
 * so that another worker may run the job.
 * @returns whether the pool has it
 */
export async function lockEntry(tx: Transaction, { id, lockedBy }: Entry): Promise<boolean> {
  const text = `SELECT id FROM ${ENTRIES} WHERE id = $1::bigint AND locked_by = $2 FOR SHARE`
  return (await tx.$queryRawUnsafe<unknown[]>(text, id, lockedBy)).length > 0
}

/** Returns the number of the last migration of the queue's tables. 0 without tables. */
export async function readQueueMigration(pool: Pick<Pool, 'query'>): Promise<number> {
  const table = await pool.query<{ exists: boolean }>(
    `SELECT to_regclass('graphile_worker.migrations') IS NOT NULL AS exists`,
  )
  if (!table.rows[0]?.exists) return 0
  const { rows } = await pool.query<{ id: number }>('SELECT max(id) AS id FROM graphile_worker.migrations')
  return rows[0]?.id ?? 0
}

/** Returns whether the queue has a job. Its tables must exist. */
export async function hasJobs(pool: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await pool.query(`SELECT FROM ${ENTRIES} LIMIT 1`)
  return rows.length > 0
}

/** Migrates the tables of the queue. */
export async function migrateQueue(pool: Pool): Promise<void> {
  // Migrations may take longer than the statements of requests.
  const ownPool = new Pool({ ...pool.options, max: 2, statement_timeout: 0 })
  ownPool.on('error', () => {})
  ownPool.on('connect', (client) => client.on('error', () => {}))
  try {
    await runMigrations({ pgPool: ownPool })
  } finally {
    await ownPool.end()
  }
}
