import { beforeEach, describe, expect, test } from 'bun:test'
import { recoverJobs, releaseJobs, returnStrayJobs } from '../../../src/platform/jobs/recovery.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
const OWN = 'pool-own'
beforeEach(async () => {
  await query('DELETE FROM graphile_worker._private_jobs')
  await query('DELETE FROM worker_pool')
  await listPool(OWN, { aliveFor: 31, silentFor: 0 })
})

const query = async (text: string, values: unknown[] = []) => (await service.services.pool.query(text, values)).rows

/** A pool that has beaten without interruption since, and for the last time, these numbers of seconds ago. */
const listPool = (id: string, { aliveFor, silentFor }: { aliveFor: number; silentFor: number }) =>
  query(
    `INSERT INTO worker_pool (id, alive_since, beat_at)
     VALUES ($1, now() - make_interval(secs => $2), now() - make_interval(secs => $3))
     ON CONFLICT (id) DO UPDATE SET alive_since = excluded.alive_since, beat_at = excluded.beat_at`,
    [id, aliveFor, silentFor],
  )
const deadPool = (id: string) => listPool(id, { aliveFor: 3600, silentFor: 31 })
const listedPools = async () => (await query('SELECT id FROM worker_pool ORDER BY id')).map(({ id }) => id)
const recover = () => recoverJobs(service.services, [OWN])

/** A job that a pool locked this number of seconds ago. */
async function lockedJob(pool: string, secondsAgo: number, attempts = 1, queueName: string | null = null) {
  const [{ id }] = await query(
    `SELECT id FROM graphile_worker.add_job('forget_answers', '{}'::json, max_attempts => 5, queue_name => $1)`,
    [queueName],
  )
  await query(
    `UPDATE graphile_worker._private_jobs
     SET locked_by = $2, locked_at = now() - make_interval(secs => $3), attempts = $4 WHERE id = $1`,
    [id, pool, secondsAgo, attempts],
  )
  await query(
    'UPDATE graphile_worker._private_job_queues SET locked_by = $2, locked_at = now() WHERE queue_name = $1',
    [queueName, pool],
  )
  return id as string
}

const holderOf = async (id: string) =>
  (await query('SELECT locked_by, attempts FROM graphile_worker._private_jobs WHERE id = $1', [id]))[0]

describe('jobs of dead workers', () => {
  test('are requeued with their pools removed, and run', async () => {
    await deadPool('pool-dead')
    await deadPool('pool-x')
    const jobs = [await lockedJob('pool-dead', 60), await lockedJob('pool-dead', 14_000), await lockedJob('pool-x', 60)]
    await recover()
    for (const id of jobs) expect((await holderOf(id)).locked_by).toBeNull()
    expect(await listedPools()).toEqual([OWN])
    await query('UPDATE graphile_worker._private_jobs SET run_at = now()')
    await service.runJobs()
    expect(await query('SELECT id FROM graphile_worker._private_jobs')).toEqual([])
  })

  test('are due at once, even after the last attempt of the queue', async () => {
    await deadPool('pool-dead')
    await lockedJob('pool-dead', 60, 5)
    await recover()
    const [job] = await query(
      'SELECT run_at <= now() AS due, attempts < max_attempts AS "mayRun" FROM graphile_worker._private_jobs',
    )
    expect(job).toEqual({ due: true, mayRun: true })
  })

  test('are requeued with the queue that they run in', async () => {
    await deadPool('pool-dead')
    await lockedJob('pool-dead', 60, 1, 'one at a time')
    await recover()
    expect(await query('SELECT locked_by FROM graphile_worker._private_job_queues')).toEqual([{ locked_by: null }])
  })

  test.each([
    { silentFor: 25, isRequeued: false },
    { silentFor: 31, isRequeued: true },
  ])('are requeued: $isRequeued, $silentFor seconds after the last heartbeat', async ({ silentFor, isRequeued }) => {
    await listPool('pool-other', { aliveFor: 3600, silentFor })
    const id = await lockedJob('pool-other', 14_000)
    await recover()
    expect((await holderOf(id)).locked_by === null).toBe(isRequeued)
    expect((await listedPools()).includes('pool-other')).toBe(!isRequeued)
  })

  test.each([
    { aliveFor: 25, isRequeued: false },
    { aliveFor: 31, isRequeued: true },
  ])(
    'are requeued: $isRequeued, by a worker that has beaten without interruption for $aliveFor seconds',
    async ({ aliveFor, isRequeued }) => {
      await listPool(OWN, { aliveFor, silentFor: 0 })
      await deadPool('pool-dead')
      const jobs = [await lockedJob('pool-dead', 60), await lockedJob('pool-unlisted', 60)]
      await recover()
      for (const id of jobs) expect((await holderOf(id)).locked_by === null).toBe(isRequeued)
      expect((await listedPools()).includes('pool-dead')).toBe(!isRequeued)
    },
  )

  test('a worker without a heartbeat takes nothing', async () => {
    await query('DELETE FROM worker_pool WHERE id = $1', [OWN])
    await deadPool('pool-dead')
    const id = await lockedJob('pool-dead', 60)
    await recover()
    expect((await holderOf(id)).locked_by).toBe('pool-dead')
  })

  test('a worker never takes the jobs of its own pools', async () => {
    await listPool(OWN, { aliveFor: 3600, silentFor: 3600 })
    const id = await lockedJob(OWN, 14_000)
    await recover()
    expect((await holderOf(id)).locked_by).toBe(OWN)
    expect(await listedPools()).toEqual([OWN])
  })

  test('concurrent recoveries are safe', async () => {
    const pools = Array.from({ length: 10 }, (_, i) => `pool-${i}`)
    await Promise.all(pools.map(deadPool))
    const jobs = await Promise.all(pools.map((pool) => lockedJob(pool, 60)))
    await Promise.all(Array.from({ length: 8 }, recover))
    await recover()
    const owners = await Promise.all(jobs.map(async (id) => (await holderOf(id)).locked_by))
    expect(owners).toEqual(Array(10).fill(null))
  })

  test('unlocked jobs are unchanged', async () => {
    const [{ id }] = await query(
      `SELECT id FROM graphile_worker.add_job('forget_answers', '{}'::json, run_at => '2040-01-01')`,
    )
    await recover()
    const [job] = await query('SELECT run_at, locked_by FROM graphile_worker._private_jobs WHERE id = $1', [id])
    expect(job).toEqual({ run_at: new Date('2040-01-01T00:00:00Z'), locked_by: null })
  })
})

describe('a pool that was killed before its first heartbeat', () => {
  test.each([
    { secondsAgo: 25, isRequeued: false },
    { secondsAgo: 31, isRequeued: true },
  ])(
    'has its jobs requeued: $isRequeued, $secondsAgo seconds after it locked the first',
    async ({ secondsAgo, isRequeued }) => {
      const jobs = [await lockedJob('pool-new', secondsAgo), await lockedJob('pool-new', 1)]
      await recover()
      for (const id of jobs) expect((await holderOf(id)).locked_by === null).toBe(isRequeued)
    },
  )
})

describe('jobs that the own pools have locked but do not run', () => {
  test('are returned to the queue, to be run once more', async () => {
    const id = await lockedJob(OWN, 31, 5, 'one at a time')
    await returnStrayJobs(service.services, [OWN], [])
    expect(await holderOf(id)).toEqual({ locked_by: null, attempts: 4 })
    expect(await query('SELECT locked_by FROM graphile_worker._private_job_queues')).toEqual([{ locked_by: null }])
  })

  test('keep their lock while they run, while it is new, and of other pools', async () => {
    const [running, fresh, foreign] = [
      await lockedJob(OWN, 31),
      await lockedJob(OWN, 25),
      await lockedJob('pool-x', 60),
    ]
    await returnStrayJobs(service.services, [OWN], [running])
    expect((await holderOf(running)).locked_by).toBe(OWN)
    expect((await holderOf(fresh)).locked_by).toBe(OWN)
    expect((await holderOf(foreign)).locked_by).toBe('pool-x')
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
