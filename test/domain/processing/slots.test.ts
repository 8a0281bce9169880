import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createOrganization } from '../../../src/domain/organization/service.ts'
import { findCrowding } from '../../../src/domain/processing/queue/slots.ts'
import { enqueueJob, processTrackJob } from '../../../src/domain/processing/queue/tasks.ts'
import { sql } from '../../support/administrators.ts'
import { changeEntries, deleteEntries } from '../../support/queue.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
/** Organizations by a letter. */
const ids = { A: '', B: '', C: '' }
type Letter = keyof typeof ids
beforeAll(async () => {
  for (const letter of ['A', 'B', 'C'] as const) ids[letter] = (await createOrganization(service.services, letter)).id
})
beforeEach(async () => {
  await deleteEntries(service.services.pool)
  await sql(service, 'DELETE FROM job')
  await sql(service, 'DELETE FROM worker_pool')
})

const listPool = (id: string, slots: number, silentFor = 0) =>
  sql(service, 'INSERT INTO worker_pool (id, slots, beat_at) VALUES ($1, $2, now() - make_interval(secs => $3))', [
    id,
    slots,
    silentFor,
  ])
/** Jobs of an organization that run, or that wait in the queue. @returns their IDs, the earliest first */
async function addJobs(letter: Letter, state: 'running' | 'queued', count: number): Promise<string[]> {
  const { db } = service.services
  const created: string[] = []
  for (let i = 0; i < count; i++) {
    const startedAt = state === 'running' ? new Date(Date.now() + i) : null
    const job = await db.job.create({ data: { organizationId: ids[letter], kind: 'process_track', state, startedAt } })
    await enqueueJob(db, processTrackJob, job)
    if (state === 'running') {
      await changeEntries(service.services.pool, { lockedBy: 'a' }, { key: job.id })
    }
    created.push(job.id)
  }
  return created
}
const find = () => findCrowding(service.services.direct)

describe('slots of all workers, while another organization waits with one job', () => {
  test.each([
    { slots: 1, running: 1, isFull: true, excess: 0 },
    { slots: 2, running: 1, isFull: true, excess: 0 },
    { slots: 2, running: 2, isFull: true, excess: 1 },
    { slots: 3, running: 1, isFull: false, excess: 0 },
    { slots: 3, running: 2, isFull: true, excess: 0 },
    { slots: 3, running: 3, isFull: true, excess: 1 },
    { slots: 4, running: 1, isFull: false, excess: 0 },
    { slots: 4, running: 2, isFull: true, excess: 0 },
    { slots: 4, running: 3, isFull: true, excess: 0 },
    { slots: 4, running: 4, isFull: true, excess: 1 },
    { slots: 9, running: 4, isFull: true, excess: 0 },
    { slots: 9, running: 9, isFull: true, excess: 1 },
  ])('$running of $slots: starts no more: $isFull; returns $excess', async ({ slots, running, isFull, excess }) => {
    await listPool('a', slots)
    const jobs = await addJobs('A', 'running', running)
    await addJobs('B', 'queued', 1)
    const expected = { organizationId: ids.A, excessJobs: jobs.toReversed().slice(0, excess) }
    expect(await find()).toEqual(isFull ? [expected] : [])
  })
})

describe('slots are returned', () => {
  test('only while another organization waits', async () => {
    await listPool('a', 2)
    await addJobs('A', 'running', 2)
    await addJobs('A', 'queued', 3)
    expect(await find()).toEqual([])
  })

  test('not for jobs whose time has not come', async () => {
    await listPool('a', 2)
    await addJobs('A', 'running', 2)
    const [waiting] = await addJobs('B', 'queued', 1)
    await changeEntries(service.services.pool, { dueIn: 3600 }, { key: waiting })
    expect(await find()).toEqual([])
  })

  test('for as many jobs as wait, down to half, the latest first', async () => {
    await listPool('a', 8)
    const jobs = await addJobs('A', 'running', 8)
    await addJobs('B', 'queued', 2)
    expect((await find())[0]?.excessJobs).toEqual(jobs.slice(6).toReversed())
    await addJobs('C', 'queued', 7)
    expect((await find())[0]?.excessJobs).toEqual(jobs.slice(4).toReversed())
  })

  test('counting those of all live workers, and of no dead one', async () => {
    await listPool('a', 1)
    await listPool('b', 1)
    await listPool('dead', 6, 31)
    const jobs = await addJobs('A', 'running', 2)
    await addJobs('B', 'queued', 1)
    expect(await find()).toEqual([{ organizationId: ids.A, excessJobs: jobs.slice(1) }])
  })
})
