import { beforeEach, describe, expect, test } from 'bun:test'
import { recoverJobs, releaseJobs, returnStrayJobs } from '../../../src/platform/jobs/recovery.ts'
import {
  changeEntries,
  deleteEntries,
  lockQueue,
  makeEntriesDue,
  readEntries,
  readEntry,
  readQueueLocks,
} from '../../support/queue.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
const OWN = 'pool-own'
beforeEach(async () => {
  await deleteEntries(service.services.pool)
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
  await changeEntries(service.services.pool, { lockedBy: pool, lockedFor: secondsAgo, attempts }, { id })
  if (queueName) await lockQueue(service.services.pool, queueName, pool)
  return id as string
}

const readJob = (id: string) => readEntry(service.services.pool, { id })

describe('jobs of dead workers', () => {
  test('are requeued with their pools removed, and run', async () => {
    await deadPool('pool-dead')
    await deadPool('pool-x')
    const jobs = [await lockedJob('pool-dead', 60), await lockedJob('pool-dead', 14_000), await lockedJob('pool-x', 60)]
    await recover()
    for (const id of jobs) expect((await readJob(id)).lockedBy).toBeNull()
    expect(await listedPools()).toEqual([OWN])
    await makeEntriesDue(service.services.pool)
    await service.runJobs()
    expect(await readEntries(service.services.pool)).toEqual([])
  })

  test('are due at once, even after the last attempt of the queue', async () => {
    await deadPool('pool-dead')
    await lockedJob('pool-dead', 60, 5)
    await recover()
    expect(await readEntry(service.services.pool)).toMatchObject({ isDue: true, mayRun: true })
  })

  test('are requeued with the queue that they run in', async () => {
    await deadPool('pool-dead')
    await lockedJob('pool-dead', 60, 1, 'one at a time')
    await recover()
    expect(await readQueueLocks(service.services.pool)).toEqual([null])
  })

  test.each([
    { silentFor: 25, isRequeued: false },
    { silentFor: 31, isRequeued: true },
  ])('are requeued: $isRequeued, $silentFor seconds after the last heartbeat', async ({ silentFor, isRequeued }) => {
    await listPool('pool-other', { aliveFor: 3600, silentFor })
    const id = await lockedJob('pool-other', 14_000)
    await recover()
    expect((await readJob(id)).lockedBy === null).toBe(isRequeued)
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
      for (const id of jobs) expect((await readJob(id)).lockedBy === null).toBe(isRequeued)
      expect((await listedPools()).includes('pool-dead')).toBe(!isRequeued)
    },
  )

  test('a worker without a heartbeat takes nothing', async () => {
    await query('DELETE FROM worker_pool WHERE id = $1', [OWN])
    await deadPool('pool-dead')
    const id = await lockedJob('pool-dead', 60)
    await recover()
    expect((await readJob(id)).lockedBy).toBe('pool-dead')
  })

  test('a worker never takes the jobs of its own pools', async () => {
    await listPool(OWN, { aliveFor: 3600, silentFor: 3600 })
    const id = await lockedJob(OWN, 14_000)
    await recover()
    expect((await readJob(id)).lockedBy).toBe(OWN)
    expect(await listedPools()).toEqual([OWN])
  })

  test('concurrent recoveries are safe', async () => {
    const pools = Array.from({ length: 10 }, (_, i) => `pool-${i}`)
    await Promise.all(pools.map(deadPool))
    const jobs = await Promise.all(pools.map((pool) => lockedJob(pool, 60)))
    await Promise.all(Array.from({ length: 8 }, recover))
    await recover()
    const owners = await Promise.all(jobs.map(async (id) => (await readJob(id)).lockedBy))
    expect(owners).toEqual(Array(10).fill(null))
  })

  test('unlocked jobs are unchanged', async () => {
    const [{ id }] = await query(
      `SELECT id FROM graphile_worker.add_job('forget_answers', '{}'::json, run_at => '2040-01-01')`,
    )
    await recover()
    expect(await readJob(id)).toMatchObject({ runAt: new Date('2040-01-01T00:00:00Z'), lockedBy: null })
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
      for (const id of jobs) expect((await readJob(id)).lockedBy === null).toBe(isRequeued)
    },
  )
})

describe('jobs that the own pools have locked but do not run', () => {
  test('are returned to the queue, to be run once more', async () => {
    const id = await lockedJob(OWN, 31, 5, 'one at a time')
    await returnStrayJobs(service.services, [OWN], [])
    expect(await readJob(id)).toMatchObject({ lockedBy: null, attempts: 4 })
    expect(await readQueueLocks(service.services.pool)).toEqual([null])
  })

  test('keep their lock while they run, while it is new, and of other pools', async () => {
    const [running, fresh, foreign] = [
      await lockedJob(OWN, 31),
      await lockedJob(OWN, 25),
      await lockedJob('pool-x', 60),
    ]
    await returnStrayJobs(service.services, [OWN], [running])
    expect((await readJob(running)).lockedBy).toBe(OWN)
    expect((await readJob(fresh)).lockedBy).toBe(OWN)
    expect((await readJob(foreign)).lockedBy).toBe('pool-x')
  })
})

describe('jobs interrupted by a stop', () => {
  test('are due at once, and the attempt does not count', async () => {
    const id = await lockedJob('pool-stopped', 60, 3)
    await changeEntries(service.services.pool, { lockedBy: null, dueIn: 3600 })
    await releaseJobs(service.services, ['pool-stopped'], [id])
    expect(await readJob(id)).toMatchObject({ attempts: 2, isDue: true })
  })

  test('also those whose failure is not written yet', async () => {
    const id = await lockedJob('pool-stopping', 1, 3)
    await releaseJobs(service.services, ['pool-stopping'], [id])
    expect(await readJob(id)).toMatchObject({ lockedBy: null, attempts: 2 })
  })

  test('not those that another worker has taken already', async () => {
    const id = await lockedJob('pool-other', 1, 2)
    await releaseJobs(service.services, ['pool-stopped'], [id])
    expect(await readJob(id)).toMatchObject({ lockedBy: 'pool-other', attempts: 2 })
  })
})
