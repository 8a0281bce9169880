import { EventEmitter } from 'node:events'
import {
  parseCronItems,
  run as runWorker,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker'
import type { Services } from '../../platform/context.ts'
import type { Lane, Task, TaskRun } from '../../platform/jobs/task.ts'
import { removeAbandonedScratch } from '../../platform/media/ffmpeg/scratch.ts'
import { announceAlive, recoverJobs, releaseJobs } from './recovery.ts'

/** A running worker. */
export interface Worker {
  /** Stops taking jobs, gives running ones `graceMs`, then aborts them and returns them to the queue. */
  stop: (graceMs: number) => Promise<void>
}

/** Number of jobs that run at once in the lanes next to processing. */
const TRANSFERS = 8
const UPKEEP = 4

const RECOVERY_INTERVAL_MS = 15_000
/** Disables the library's own abort: `stop` waits for jobs itself. */
const LIBRARY_ABORT_MS = 3_600_000

/** Runs jobs until stopped, and requeues those of dead workers. */
export async function startWorker(services: Services, tasks: readonly Task[]): Promise<Worker> {
  const { pool, log, config } = services
  const stopping = new AbortController()
  const running = new Map<string, Promise<unknown>>()

  const toTaskList = (lane: Lane): TaskList =>
    Object.fromEntries(
      tasks
        .filter(({ definition }) => (definition.lane ?? 'upkeep') === lane)
        .map((task) => [
          task.definition.name,
          (payload, { job }) => {
            const info = { signal: stopping.signal, attempt: job.attempts }
            const done = runTask(services, task, payload, info)
            running.set(
              job.id,
              done.catch(() => {}),
            )
            return done.finally(() => stopping.signal.aborted || running.delete(job.id))
          },
        ]),
    )

  const crons = tasks.flatMap(({ cron, definition }) => (cron ? [{ match: cron, task: definition.name }] : []))
  async function startLane(lane: Lane, concurrency: number) {
    const events = new EventEmitter() as WorkerEvents
    const { promise: poolId, resolve: poolCreated } = Promise.withResolvers<string>()
    events.once('pool:create', ({ workerPool }) => poolCreated(workerPool.id))
    const runner = await runWorker({
      events,
      pgPool: pool,
      concurrency,
      taskList: toTaskList(lane),
      parsedCronItems: parseCronItems(lane === 'upkeep' ? crons : []),
      noHandleSignals: true,
      preset: { worker: { gracefulShutdownAbortTimeout: LIBRARY_ABORT_MS } },
      // runTask logs failed jobs.
      logger: new WorkerLogger(() => (level, message) => (level === 'error' ? log.debug(message) : undefined)),
    })
    return { runner, poolId: await poolId }
  }
  const lanes = [
    await startLane('upkeep', UPKEEP),
    await startLane('transfers', TRANSFERS),
    await startLane('processing', config.workers),
  ]
  const ownPools = lanes.map(({ poolId }) => poolId)
  const alive = await announceAlive(services, ownPools)
  await recoverJobs(services, ownPools)
  await removeAbandonedScratch(services.clock().getTime()).catch((error) =>
    log.warn({ err: error }, 'scratch folders of dead workers could not be removed'),
  )
  const recovery = setInterval(
    () =>
      recoverJobs(services, ownPools).catch((error) =>
        log.warn({ err: error }, 'jobs of dead workers could not be recovered'),
      ),
    RECOVERY_INTERVAL_MS,
  )

  return {
    stop: async (graceMs) => {
      clearInterval(recovery)
      const stopped = Promise.all(lanes.map(({ runner }) => runner.stop())).catch((error) =>
        log.warn({ err: error }, 'the worker did not stop cleanly'),
      )
      const all = Promise.all(running.values()).then(() => true)
      const isDone = await Promise.race([all, Bun.sleep(graceMs).then(() => false)])
      const unfinished = isDone ? [] : [...running.keys()]
      stopping.abort(new Error('the process stops'))
      await all
      await stopped
      if (unfinished.length > 0) await releaseJobs(services, ownPools, unfinished)
      await alive.end()
    },
  }
}

async function runTask(services: Services, task: Task, payload: unknown, run: TaskRun): Promise<void> {
  const { log, metrics } = services
  const { name } = task.definition
  try {
    await task.run(services, payload, run)
    metrics.jobs.inc({ task: name, outcome: 'done' })
  } catch (error) {
    metrics.jobs.inc({ task: name, outcome: run.signal.aborted ? 'aborted' : 'failed' })
    if (!run.signal.aborted) log.error({ err: error, task: name, payload, attempt: run.attempt }, 'a job failed')
    throw error
  }
}
