import { EventEmitter } from 'node:events'
import {
  parseCronItems,
  run as runWorker,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker'
import { findCrowding, slotFlag } from '../../domain/processing/queue/slots.ts'
import type { Services } from '../../platform/context.ts'
import { type HeartbeatTiming, startHeartbeat } from '../../platform/jobs/liveness.ts'
import { recoverJobs, releaseJobs, returnStrayJobs } from '../../platform/jobs/recovery.ts'
import {
  type Lane,
  lockEntry,
  readPayload,
  SlotReturned,
  type Task,
  type TaskOutcome,
  type TaskRun,
} from '../../platform/jobs/task.ts'
import { SWEEP_MS, sweepScratch } from '../../platform/media/ffmpeg/scratch.ts'
import { withOrigin } from '../../platform/origin.ts'
import { HOUR_MS } from '../../platform/time.ts'

/** A running worker. */
export interface Worker {
  /** Stops taking jobs, gives running ones `graceMs`, then aborts them and returns them to the queue. */
  stop: (graceMs: number) => Promise<void>
}

/**
 * Number of jobs that run at once in the lanes next to processing. A transfer waits for its source most of the time, and slow
 * sources of a few organizations must not leave none to others.
 */
const TRANSFERS = 24
const UPKEEP = 4

const RECOVERY_INTERVAL_MS = 10_000
/** Interval at which slots are returned that another organization waits for. */
const SHARE_MS = 3_000
/** Disables the library's own abort: `stop` waits for jobs itself. */
const LIBRARY_ABORT_MS = HOUR_MS

/** Runs jobs until stopped, and requeues those of dead workers. */
export async function startWorker(
  services: Services,
  tasks: readonly Task[],
  timing?: HeartbeatTiming & { shareMs?: number },
): Promise<Worker> {
  const { direct, log, config, metrics } = services
  // A rate does not see the jump of a series that is new.
  for (const { definition } of tasks) {
    for (const outcome of ['done', 'error', 'delayed', 'given_up'])
      metrics.jobs.inc({ task: definition.name, outcome }, 0)
  }
  const stopping = new AbortController()
  /** Aborts the jobs that other workers may take. Replaced after each loss. */
  let losing = new AbortController()
  const running = new Map<string, Promise<unknown>>()
  /** Aborts single jobs of processing, by their keys. */
  const slots = new Map<string, AbortController>()

  const toTaskList = (lane: Lane): TaskList =>
    Object.fromEntries(
      tasks
        .filter(({ definition }) => (definition.lane ?? 'upkeep') === lane)
        .map((task) => [
          task.definition.name,
          (payload, { job }) => {
            const lost = losing.signal
            const entry = { id: job.id, lockedBy: job.locked_by }
            const slot = new AbortController()
            if (lane === 'processing' && job.key) slots.set(job.key, slot)
            const signal = AbortSignal.any([stopping.signal, lost, slot.signal])
            const info = { signal, attempt: job.attempts, entry }
            const done = runTask(services, task, payload, info).then(async (outcome) => {
              // The queue removes the entry of a job that returns, also one that another worker has locked since.
              lost.throwIfAborted()
              if (outcome === 'superseded' && !(await lockEntry(services.db, entry)))
                throw new Error('another worker has the job')
            })
            const ended = done.catch(() => {})
            running.set(job.id, ended)
            return done.finally(() => {
              if (job.key && slots.get(job.key) === slot) slots.delete(job.key)
              if (!stopping.signal.aborted && running.get(job.id) === ended) running.delete(job.id)
            })
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
      pgPool: direct,
      concurrency,
      taskList: toTaskList(lane),
      parsedCronItems: parseCronItems(lane === 'upkeep' ? crons : []),
      noHandleSignals: true,
      ...(lane === 'processing' && { forbiddenFlags: () => findFullFlags(services) }),
      preset: { worker: { gracefulShutdownAbortTimeout: LIBRARY_ABORT_MS } },
      // runTask logs failed jobs.
      logger: new WorkerLogger(() => (level, message) => (level === 'error' ? log.debug(message) : undefined)),
    })
    return { runner, poolId: await poolId }
  }
  const lanes = [
    await startLane('upkeep', UPKEEP),
    await startLane('transfers', TRANSFERS),
    ...(config.transcription ? [await startLane('speech', config.transcription.concurrency)] : []),
    await startLane('processing', config.workers),
  ]
  const ownPools = lanes.map(({ poolId }) => poolId)
  const onLost = (reason: Error) => {
    log.warn({ err: reason, jobs: running.size }, 'other workers may take the jobs of this one: they are aborted here')
    losing.abort(reason)
    losing = new AbortController()
  }
  const ownSlots = Object.fromEntries(lanes.slice(-1).map(({ poolId }) => [poolId, config.workers]))
  const heartbeat = await startHeartbeat(services, ownPools, onLost, timing, ownSlots)
  const sharing = setInterval(() => returnSlots(services, slots), timing?.shareMs ?? SHARE_MS)
  const sweep = () =>
    sweepScratch(services.clock().getTime()).catch((error) =>
      log.warn({ err: error }, 'scratch folders of dead workers could not be removed'),
    )
  await sweep()
  const sweeping = setInterval(sweep, SWEEP_MS)
  async function recover(): Promise<void> {
    try {
      await recoverJobs(services, ownPools)
      await returnStrayJobs(services, ownPools, [...running.keys()])
    } catch (error) {
      log.warn({ err: error }, 'jobs of dead workers could not be recovered')
    }
  }
  const recovery = setInterval(recover, RECOVERY_INTERVAL_MS)

  return {
    stop: async (graceMs) => {
      clearInterval(recovery)
      clearInterval(sharing)
      clearInterval(sweeping)
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
      await heartbeat.end()
    },
  }
}

/** Flags of the jobs that must not start now. */
async function findFullFlags({ direct }: Services): Promise<string[]> {
  return (await findCrowding(direct)).map(({ organizationId }) => slotFlag(organizationId))
}

/**
 * Aborts jobs of an organization that started while no other one waited, so that another one finds a slot. They return
 * to the queue.
 * @param slots running jobs by their keys
 */
async function returnSlots({ direct, log }: Services, slots: ReadonlyMap<string, AbortController>): Promise<void> {
  if (slots.size === 0) return
  try {
    for (const jobId of (await findCrowding(direct)).flatMap(({ excessJobs }) => excessJobs)) {
      const slot = slots.get(jobId)
      if (!slot || slot.signal.aborted) continue
      log.info({ jobId }, 'a job returns its slot, because another organization waits')
      slot.abort(new SlotReturned('another organization waits for a slot'))
    }
  } catch (error) {
    log.warn({ err: error }, 'slots could not be shared between organizations')
  }
}

/** Makes one attempt of a job, as a part of the request that has queued it. @param json its payload in the queue */
export function runTask(services: Services, task: Task, json: unknown, run: TaskRun): Promise<TaskOutcome> {
  const { payload, origin } = readPayload(json)
  const attributes = { 'tonearm.attempt': run.attempt }
  return withOrigin({ requestId: origin.requestId ?? null, span: null }, () =>
    services.tracing.inSpan(`job ${task.definition.name}`, { kind: 'consumer', remote: origin, attributes }, () =>
      attemptTask(services, task, payload, run),
    ),
  )
}

async function attemptTask(services: Services, task: Task, payload: unknown, run: TaskRun): Promise<TaskOutcome> {
  const { log, metrics } = services
  const { name } = task.definition
  const stopTimer = metrics.jobSeconds.startTimer({ task: name })
  try {
    const outcome = await task.run(services, payload, run)
    metrics.jobs.inc({ task: name, outcome })
    return outcome
  } catch (error) {
    metrics.jobs.inc({ task: name, outcome: run.signal.aborted ? 'aborted' : 'error' })
    if (!run.signal.aborted) log.error({ err: error, task: name, payload, attempt: run.attempt }, 'a job failed')
    throw error
  } finally {
    stopTimer()
  }
}
