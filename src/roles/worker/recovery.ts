import { Client } from 'pg'
import type { Services } from '../../platform/context.ts'
import { lockClasses } from '../../platform/db/locks.ts'

/** A pool locks its first jobs a moment before it can say that it is alive. */
const MIN_AGE = '15 seconds'
const RECONNECT_MS = 1000

/**
 * Says for as long as this process lives that its worker pool does: a session advisory lock, which PostgreSQL drops
 * with the connection. graphile-worker by itself leaves the jobs of a killed process locked for four hours.
 */
export async function announceAlive(services: Services, poolId: string): Promise<{ end: () => Promise<void> }> {
  let isEnded = false
  let client: Client | undefined

  async function connect(): Promise<void> {
    const next = new Client({ ...services.pool.options, keepAlive: true })
    // What it says of its end comes as `end` too.
    next.on('error', () => {})
    await next.connect()
    await next.query('SELECT pg_advisory_lock($1, hashtext($2))', [lockClasses.workerPool, poolId])
    client = next
    next.once('end', reconnect)
    if (isEnded) await next.end()
  }
  function reconnect(): void {
    if (isEnded) return
    setTimeout(() => {
      connect().catch((error) => {
        services.log.warn({ err: error }, 'the worker could not say that it is alive')
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
 * @param ownPool never taken over: its lock is free for a moment after its connection broke
 */
export async function recoverJobs({ pool, log }: Services, ownPool?: string): Promise<void> {
  const { rows } = await pool.query<{ pool_id: string; jobs: string[] }>(
    `SELECT locked_by AS pool_id, jobs FROM (
       SELECT locked_by, array_agg(id) AS jobs FROM graphile_worker._private_jobs
       WHERE locked_by IS NOT NULL AND locked_by IS DISTINCT FROM $3
       GROUP BY locked_by HAVING min(locked_at) < now() - $2::interval
     ) locked WHERE pg_try_advisory_xact_lock($1, hashtext(locked_by))`,
    [lockClasses.workerPool, MIN_AGE, ownPool ?? null],
  )
  if (rows.length === 0) return
  const dead = rows.map((row) => row.pool_id)
  await pool.query('SELECT graphile_worker.force_unlock_workers($1::text[])', [dead])
  // The queue counts an attempt when a job is taken, and never takes one again that has used up all of them.
  await pool.query(
    `SELECT graphile_worker.reschedule_jobs(ARRAY[id], attempts => max_attempts - 1)
     FROM graphile_worker._private_jobs WHERE id = ANY($1::bigint[]) AND locked_at IS NULL AND attempts >= max_attempts`,
    [rows.flatMap(({ jobs }) => jobs)],
  )
  log.warn({ pools: dead }, 'took over the jobs of workers that died')
}

/**
 * Puts jobs that a stop cut off back at the front of the queue; that attempt does not count. Unlocked first: whether
 * the library has written their failure already or still means to, it then has nothing more to say.
 */
export async function releaseJobs({ pool }: Services, poolId: string, jobIds: readonly string[]): Promise<void> {
  await pool.query('SELECT graphile_worker.force_unlock_workers($1::text[])', [[poolId]])
  await pool.query(
    `SELECT graphile_worker.reschedule_jobs(ARRAY[id], run_at => now(), attempts => greatest(attempts - 1, 0))
     FROM graphile_worker._private_jobs WHERE id = ANY($1::bigint[]) AND locked_at IS NULL`,
    [jobIds],
  )
}
