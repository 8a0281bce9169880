import { Client } from 'pg'
import type { Services } from '../../platform/context.ts'
import { lockClasses } from '../../platform/db/locks.ts'

/**
 * Age of a job lock before its pool may count as dead: a pool may lock jobs shortly before it holds its advisory lock.
 */
const MIN_AGE = '15 seconds'
const RECONNECT_MS = 1000

/**
 * Locks a session advisory lock for each of these worker pools for as long as they live; PostgreSQL releases it with
 * the connection. Without it, graphile-worker keeps the jobs of a killed process locked for four hours.
 */
export async function announceAlive(
  services: Services,
  pools: readonly string[],
): Promise<{ end: () => Promise<void> }> {
  let isEnded = false
  let client: Client | undefined

  async function connect(): Promise<void> {
    const next = new Client({ ...services.pool.options, keepAlive: true })
    // The `end` event follows every error.
    next.on('error', () => {})
    await next.connect()
    await next.query('SELECT pg_advisory_lock($1, hashtext(pool)) FROM unnest($2::text[]) AS own(pool)', [
      lockClasses.workerPool,
      pools,
    ])
    client = next
    next.once('end', reconnect)
    if (isEnded) await next.end()
  }
  function reconnect(): void {
    if (isEnded) return
    setTimeout(() => {
      connect().catch((error) => {
        services.log.warn({ err: error }, 'the worker could not lock its liveness lock')
        reconnect()
      })
    }, RECONNECT_MS)
  }

  await connect()
  return {
    end: async () => {
      isEnded = true
      await client?.end().catch(() => {})
    },
  }
}

/**
 * Returns the jobs of dead pools to the queue. A pool whose lock is free is dead.
 * @param ownPools excluded, because their locks are free for a moment after a lost connection
 */
export async function recoverJobs({ pool, log }: Services, ownPools: readonly string[] = []): Promise<void> {
  const { rows } = await pool.query<{ pool_id: string; jobs: string[] }>(
    `SELECT locked_by AS pool_id, jobs FROM (
       SELECT locked_by, array_agg(id) AS jobs FROM graphile_worker._private_jobs
       WHERE locked_by IS NOT NULL AND locked_by <> ALL ($3::text[])
       GROUP BY locked_by HAVING min(locked_at) < now() - $2::interval
     ) locked WHERE pg_try_advisory_xact_lock($1, hashtext(locked_by))`,
    [lockClasses.workerPool, MIN_AGE, ownPools],
  )
  if (rows.length === 0) return
  const dead = rows.map((row) => row.pool_id)
  await pool.query('SELECT graphile_worker.force_unlock_workers($1::text[])', [dead])
  // The queue counts an attempt when a job starts, and never runs a job again that has used all attempts.
  await pool.query(
    `SELECT graphile_worker.reschedule_jobs(ARRAY[id], attempts => max_attempts - 1)
     FROM graphile_worker._private_jobs WHERE id = ANY($1::bigint[]) AND locked_at IS NULL AND attempts >= max_attempts`,
    [rows.flatMap(({ jobs }) => jobs)],
  )
  log.warn({ pools: dead }, 'requeued the jobs of dead workers')
}

/**
 * Returns jobs that a stop has interrupted to the front of the queue, without counting the attempt. Unlocks them first,
 * so that a failure that the library records concurrently has no effect.
 */
export async function releaseJobs(
  { pool }: Services,
  pools: readonly string[],
  jobIds: readonly string[],
): Promise<void> {
  await pool.query('SELECT graphile_worker.force_unlock_workers($1::text[])', [pools])
  await pool.query(
    `SELECT graphile_worker.reschedule_jobs(ARRAY[id], run_at => now(), attempts => greatest(attempts - 1, 0))
     FROM graphile_worker._private_jobs WHERE id = ANY($1::bigint[]) AND locked_at IS NULL`,
    [jobIds],
  )
}
