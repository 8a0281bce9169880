import type { Services } from '../../src/platform/context.ts'
import type { TaskRun } from '../../src/platform/task.ts'
import { tasks } from '../../src/roles/worker/tasks.ts'

/** Runs the body of a task by its name, as a worker would. */
export async function runTask(services: Services, name: string, payload: unknown = {}, run: Partial<TaskRun> = {}) {
  const found = tasks.find(({ definition }) => definition.name === name)
  if (!found) throw new Error(`no task ${name}`)
  await found.run(services, payload, {
    signal: new AbortController().signal,
    attempt: 1,
    isLastAttempt: false,
    ...run,
  })
}

/** Storage that fails at its nth `put`, as a process that is killed there. */
export function dyingAt(nth: number, services: Services): Services {
  let puts = 0
  const { storage } = services
  const put: typeof storage.put = async (...args) => {
    puts += 1
    if (puts >= nth) throw new Error('killed')
    return storage.put(...args)
  }
  return { ...services, storage: { ...storage, put } }
}
