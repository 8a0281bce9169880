import { beforeEach, describe, expect, test } from 'bun:test'
import { announceAlive, recoverJobs, releaseJobs } from '../../../src/roles/worker/recovery.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const service = useTestService()
beforeEach(() => query('DELETE FROM graphile_worker._private_jobs'))

const query = async (text: string, values: unknown[] = []) => (await service.services.pool.query(text, values)).rows

/** A job that a pool locked this number of seconds ago. */
async function lockedJob(pool: string, secondsAgo: number, attempts = 1): Promise<string> {
  const [{ id }] = await query(
    `SELECT id FROM graphile_worker.add_job('forget_answers', '{}'::json, max_attempts => 5)`,
  )
  await query(
    `UPDATE graphile_worker._private_jobs
     SET locked_by = $2, locked_at = now() - make_interval(secs => $3), attempts = $4 WHERE id = $1`,
    [id, pool, secondsAgo, attempts],
  )
  return id
}

const holderOf = async (id: string) =>
  (await query('SELECT locked_by, attempts FROM graphile_worker._private_jobs WHERE id = $1', [id]))[0]

describe('jobs of dead workers', () => {
  test('are requeued, and run', async () => {
    const jobs = [await lockedJob('pool-dead', 60), await lockedJob('pool-dead', 14_000), await lockedJob('pool-x', 60)]
    await recoverJobs(service.services)
    for (const id of jobs) expect((await holderOf(id)).locked_by).toBeNull()
    await query('UPDATE graphile_worker._private_jobs SET run_at = now()')
    await service.runJobs()
    expect(await query('SELECT id FROM graphile_worker._private_jobs')).toEqual([])
  })

  test('are due at once', async () => {
    const id = await lockedJob('pool-dead', 60)
    await recoverJobs(service.services)
    const [{ due }] = await query('SELECT run_at <= now() AS due FROM graphile_worker._private_jobs WHERE id = $1', [
      id,
    ])
    expect(due).toBe(true)
  })

  test('jobs of a living pool are not requeued, even if they run long', async () => {
    const alive = await announceAlive(service.services, ['pool-alive'])
    try {
      const [living, dead] = [await lockedJob('pool-alive', 14_000), await lockedJob('pool-dead', 14_000)]
      await recoverJobs(service.services)
      expect((await holderOf(living)).locked_by).toBe('pool-alive')
      expect((await holderOf(dead)).locked_by).toBeNull()
    } finally {
      await alive.end()
    }
  })

  test('when the pool ends, its jobs are free', async () => {
    const alive = await announceAlive(service.services, ['pool-ending'])
    const id = await lockedJob('pool-ending', 60)
    await recoverJobs(service.services)
    expect((await holderOf(id)).locked_by).toBe('pool-ending')
    await alive.end()
    const isFree = async () => {
      await recoverJobs(service.services)
      return (await holderOf(id)).locked_by === null
    }
    await until('the job to be free', 20_000, isFree)
  })

  test('a pool that has just started a job has time to lock its liveness lock', async () => {
    const id = await lockedJob('pool-new', 1)
    await recoverJobs(service.services)
    expect((await holderOf(id)).locked_by).toBe('pool-new')
  })

  test('concurrent recoveries are safe', async () => {
    const jobs = await Promise.all(Array.from({ length: 10 }, (_, i) => lockedJob(`pool-${i}`, 60)))
    await Promise.all(Array.from({ length: 8 }, () => recoverJobs(service.services)))
    await recoverJobs(service.services)
    const owners = await Promise.all(jobs.map(async (id) => (await holderOf(id)).locked_by))
    expect(owners).toEqual(Array(10).fill(null))
  })

  test('unlocked jobs are unchanged', async () => {
    const [{ id }] = await query(
      `SELECT id FROM graphile_worker.add_job('forget_answers', '{}'::json, run_at => '2040-01-01')`,
    )
    await recoverJobs(service.services)
    const [job] = await query('SELECT run_at, locked_by FROM graphile_worker._private_jobs WHERE id = $1', [id])
    expect(job).toEqual({ run_at: new Date('2040-01-01T00:00:00Z'), locked_by: null })
  })

  test('a pool with a broken connection locks its liveness lock again, once', async () => {
    const locks = (key: string) =>
      query(
        `SELECT pid, granted FROM pg_locks WHERE locktype = 'advisory' AND objid::bigint = hashtext($1) & 4294967295`,
        [key],
      )
    const alive = await announceAlive(service.services, ['pool-cut'])
    const [{ pid }] = await locks('pool-cut')
    await query('SELECT pg_terminate_backend($1)', [pid])
    try {
      await until('a lock on a new connection', 20_000, async () =>
        (await locks('pool-cut')).some((lock) => lock.pid !== pid),
      )
    } finally {
      await alive.end()
    }
    await until('the lock to end', 20_000, async () => (await locks('pool-cut')).length === 0)
  })
})

describe('jobs interrupted by a stop', () => {
  test('are due at once, and the attempt does not count', async () => {
    const id = await lockedJob('pool-stopped', 60, 3)
    await query(
      `UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL, run_at = now() + interval '1 hour'`,
    )
    await releaseJobs(service.services, ['pool-stopped'], [id])
    const [job] = await query('SELECT attempts, run_at <= now() AS due FROM graphile_worker._private_jobs')
    expect(job).toEqual({ attempts: 2, due: true })
  })

  test('also those whose failure is not written yet', async () => {
    const id = await lockedJob('pool-stopping', 1, 3)
    await releaseJobs(service.services, ['pool-stopping'], [id])
    expect(await holderOf(id)).toEqual({ locked_by: null, attempts: 2 })
  })

  test('not those that another worker has taken already', async () => {
    const id = await lockedJob('pool-other', 1, 2)
    await releaseJobs(service.services, ['pool-stopped'], [id])
    expect(await holderOf(id)).toEqual({ locked_by: 'pool-other', attempts: 2 })
  })
})
