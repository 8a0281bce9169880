import { GIVE_UP_MS } from '../../src/domain/processing/pauses.ts'
import type { Services } from '../../src/platform/context.ts'
import type { TaskRun } from '../../src/platform/jobs/task.ts'
import { StorageError } from '../../src/platform/storage/storage.ts'
import { tasks } from '../../src/roles/worker/tasks.ts'

/** Runs the body of a task by its name, as a worker would. @returns the outcome of the attempt */
export async function runTask(services: Services, name: string, payload: unknown = {}, run: Partial<TaskRun> = {}) {
  const task = tasks.find(({ definition }) => definition.name === name)
  if (!task) throw new Error(`no task ${name}`)
  return task.run(services, payload, {
    signal: new AbortController().signal,
    attempt: 1,
    ...run,
  })
}

/** Services whose storage fails from its nth `put` on. */
export function failingFromPut(nth: number, services: Services): Services {
  let puts = 0
  const { storage } = services
  const put: typeof storage.put = async (...args) => {
    puts += 1
    if (puts >= nth) throw new StorageError('put', null, new Error('no answer'))
    return storage.put(...args)
  }
  return { ...services, storage: { ...storage, put } }
}

/**
 * Runs a task whose worker is killed at its nth `put`: it stores nothing afterwards. A transaction that has begun may
 * still be committed. The promise settles at the moment of the kill.
 */
export async function runKilledAtPut(nth: number, services: Services, name: string, payload: unknown): Promise<void> {
  const killed = Promise.withResolvers<void>()
  let puts = 0
  const { storage } = services
  const put: typeof storage.put = async (...args) => {
    puts += 1
    if (puts < nth) return storage.put(...args)
    killed.resolve()
    return new Promise(() => {})
  }
  const run = runTask({ ...services, storage: { ...storage, put } }, name, payload)
  await Promise.race([killed.promise, run.then(() => Promise.reject(new Error('it ended before it was killed')))])
}

/** Brings a job to its last attempt: the next failure gives it up. */
export async function exhaust({ db, clock }: Services, jobId: string): Promise<void> {
  const failingSince = new Date(clock().getTime() - GIVE_UP_MS)
  await db.job.update({ where: { id: jobId }, data: { state: 'running', failures: 1, failingSince, retryAt: clock() } })
}
