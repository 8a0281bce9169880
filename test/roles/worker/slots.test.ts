import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createOrganization } from '../../../src/domain/organization/service.ts'
import { enqueueJob, type JobTask, processTrackJob } from '../../../src/domain/processing/queue/tasks.ts'
import { attempt } from '../../../src/domain/processing/retry.ts'
import { task } from '../../../src/platform/jobs/task.ts'
import { startWorker, type Worker } from '../../../src/roles/worker/run.ts'
import { sql } from '../../support/administrators.ts'
import { deleteEntries } from '../../support/queue.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const PATIENT_MS = 20_000
const service = useTestService()
const ids = { A: '', B: '' }
beforeAll(async () => {
  for (const letter of ['A', 'B'] as const) ids[letter] = (await createOrganization(service.services, letter)).id
})
let worker: Worker | undefined
beforeEach(async () => {
  await deleteEntries(service.services.pool)
  await sql(service, 'DELETE FROM job')
  await sql(service, 'DELETE FROM worker_pool')
})
afterEach(async () => {
  for (const { end } of running) end()
  await worker?.stop(PATIENT_MS)
  worker = undefined
  running.length = 0
})

/** Attempts that run, in the order of their starts. Each ends when the test ends it, or when it is aborted. */
const running: { name: string; end: () => void; isAborted: boolean }[] = []
const names = () => running.map(({ name }) => name)
const nameOf = new Map<string, string>()
const definition: JobTask = { ...processTrackJob, name: 'test_slots' }

const blocking = task(definition, (services, { jobId }, run) =>
  attempt(services, definition, { id: jobId }, run, {
    work: async (job) => {
      const ended = Promise.withResolvers<void>()
      const entry = { name: nameOf.get(jobId) ?? '', end: ended.resolve, isAborted: false }
      run.signal.addEventListener('abort', () => {
        entry.isAborted = true
        ended.reject(run.signal.reason)
      })
      running.push(entry)
      await ended.promise
      await services.db.job.updateMany({ where: { id: job.id }, data: { state: 'done', finishedAt: new Date() } })
    },
    giveUp: async () => {},
  }),
)

async function start(workers: number): Promise<void> {
  const { config } = service.services
  worker = await startWorker({ ...service.services, config: { ...config, workers } }, [blocking], { shareMs: 20 })
}
/** Queues a job. @param name the letter of its organization and a number */
async function add(name: string, turn: number): Promise<void> {
  const organizationId = name.startsWith('A') ? ids.A : ids.B
  const job = await service.services.db.job.create({ data: { organizationId, kind: 'process_track' } })
  nameOf.set(job.id, name)
  await enqueueJob(service.services.db, definition, job, { turn })
}
const untilRunning = (...expected: string[]) =>
  until(`${expected} to run`, PATIENT_MS, () => names().join() === expected.join())
const end = (name: string) => running.find((entry) => entry.name === name)?.end()

test('an organization with two slots returns the later one to another that waits, and gets it back', async () => {
  await add('A1', 0)
  await add('A2', 1)
  await start(2)
  await until('both jobs of A', PATIENT_MS, () => running.length === 2)
  // Two that begin at once may run in the other order.
  const begun = await sql(service, "SELECT id FROM job WHERE state = 'running' ORDER BY started_at, id")
  const later = nameOf.get(begun.rows[1]?.id) ?? ''
  const countRuns = (name: string) => names().filter((one) => one === name).length
  await add('B1', 900)
  await until('the job of B', PATIENT_MS, () => countRuns('B1') === 1)
  expect(running.filter(({ isAborted }) => isAborted).map(({ name }) => name)).toEqual([later])
  end('B1')
  await until('the returned job', PATIENT_MS, () => countRuns(later) === 2)
  const { rows } = await sql(service, 'SELECT attempts, crashes, failures FROM job WHERE organization_id = $1', [ids.A])
  expect(rows.map(({ crashes, failures }) => [crashes, failures])).toEqual([
    [0, 0],
    [0, 0],
  ])
}, 60_000)

test('a slot that ends is not given to the organization that has the other one, while another waits', async () => {
  await add('A1', 0)
  await start(2)
  await untilRunning('A1')
  await add('B1', 0)
  await untilRunning('A1', 'B1')
  await add('A2', 0)
  await add('B2', 900)
  end('B1')
  await untilRunning('A1', 'B1', 'B2')
  end('A1')
  await untilRunning('A1', 'B1', 'B2', 'A2')
  expect(running.some(({ isAborted }) => isAborted)).toBe(false)
}, 60_000)

test('one slot is not returned: the other organization is next', async () => {
  await add('A1', 0)
  await start(1)
  await untilRunning('A1')
  await add('A2', 1)
  await add('B1', 0)
  // Two rounds of sharing.
  const { rows } = await sql(service, 'SELECT beat_at FROM worker_pool LIMIT 1')
  await until('a later heartbeat', PATIENT_MS, async () => {
    const [pool] = (await sql(service, 'SELECT beat_at FROM worker_pool LIMIT 1')).rows
    return pool.beat_at > rows[0].beat_at
  })
  expect(running.map(({ name, isAborted }) => [name, isAborted])).toEqual([['A1', false]])
  end('A1')
  await untilRunning('A1', 'B1')
  end('B1')
  await untilRunning('A1', 'B1', 'A2')
}, 60_000)
