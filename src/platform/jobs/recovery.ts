import type { Services } from '../context.ts'
import { DEAD } from './liveness.ts'
import { ENTRIES, QUEUES } from './tables.ts'

/**
 * Returns the jobs of dead pools to the queue and removes the pools. Does nothing until the own heartbeats have been
 * without interruption for as long as a pool takes to count as dead: after an outage of the database, all others have
 * had the same time to connect again.
 *
 * A process may have been killed before its first heartbeat: a pool that has no row is dead when it has locked a job for
 * as long.
 */
export async function recoverJobs({ pool, log }: Services, ownPools: readonly string[]): Promise<void> {
  const { rows } = await pool.query<{ pools: string[]; jobs: string[] | null }>(
    `WITH observer AS (
       SELECT FROM worker_pool WHERE id = ANY($1::text[]) AND alive_since < now() - $2::interval LIMIT 1
     ), silent AS (
       DELETE FROM worker_pool
       WHERE id <> ALL($1::text[]) AND beat_at < now() - $2::interval AND EXISTS (SELECT FROM observer)
       RETURNING id
     ), dead AS (
       SELECT id FROM silent
       UNION ALL SELECT locked_by FROM ${ENTRIES}
       WHERE locked_by <> ALL($1::text[]) AND EXISTS (SELECT FROM observer)
         AND NOT EXISTS (SELECT FROM worker_pool WHERE worker_pool.id = locked_by)
       GROUP BY locked_by HAVING min(locked_at) < now() - $2::interval
     )
     SELECT array_agg(id) AS pools, graphile_worker.force_unlock_workers(array_agg(id)),
       (SELECT array_agg(id) FROM ${ENTRIES} WHERE locked_by IN (SELECT id FROM dead)) AS jobs
     FROM dead HAVING count(*) > 0`,
    [ownPools, DEAD],
  )
  const [dead] = rows
  if (!dead) return
  // The queue counts an attempt when a job starts, and never runs a job again that has used all attempts.
  await pool.query(
    `SELECT graphile_worker.reschedule_jobs(ARRAY[id], attempts => max_attempts - 1)
     FROM ${ENTRIES} WHERE id = ANY($1::bigint[]) AND locked_at IS NULL AND attempts >= max_attempts`,
    [dead.jobs ?? []],
  )
  log.warn({ pools: dead.pools, jobs: dead.jobs?.length ?? 0 }, 'requeued the jobs of dead workers')
}

/**
 * Returns jobs to the queue that the own pools have locked but do not run: the queue could not record their end while
 * the database was out of reach.
 * @param running IDs of the jobs that the process runs
 */
export async function returnStrayJobs(
  { pool, log }: Services,
  ownPools: readonly string[],
  running: readonly string[],
): Promise<void> {
  const { rows } = await pool.query<{ jobs: number }>(
    `WITH stray AS (
       UPDATE ${ENTRIES}
       SET locked_by = NULL, locked_at = NULL, attempts = least(attempts, max_attempts - 1)
       WHERE locked_by = ANY($1::text[]) AND locked_at < now() - $3::interval AND id <> ALL($2::bigint[])
       RETURNING job_queue_id
     ), queues AS (
       UPDATE ${QUEUES} SET locked_by = NULL, locked_at = NULL
       WHERE locked_by = ANY($1::text[]) AND id IN (SELECT job_queue_id FROM stray)
     )
     SELECT count(*)::int AS jobs FROM stray`,
    [ownPools, running, DEAD],
  )
  const jobs = rows[0]?.jobs ?? 0
  if (jobs > 0) log.warn({ jobs }, 'requeued jobs whose end was not recorded')
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
     FROM ${ENTRIES} WHERE id = ANY($1::bigint[]) AND locked_at IS NULL`,
    [jobIds],
  )
}
