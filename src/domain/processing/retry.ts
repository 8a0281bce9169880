import type { Services } from '../../platform/context.ts'
import type { Job } from '../../platform/db/generated/client/client.ts'
import { lockEntry, Postponed, SlotReturned, type TaskOutcome, type TaskRun } from '../../platform/jobs/task.ts'
import { HostFault } from '../../platform/media/ffmpeg/host-fault.ts'
import { StorageError } from '../../platform/storage/storage.ts'
import { unfinishedStates } from '../track/states.ts'
import { endIfDeleted, inAttempt } from './job/end.ts'
import { unendedStates } from './job-states.ts'
import { crashPauseMs, failurePauseMs, isLastFailure, pauseUntilEnd } from './pauses.ts'
import { enqueueJob, type JobTask } from './queue/tasks.ts'
import { type LoadedTrack, loadTrack, RecordingReplaced } from './run/run.ts'

interface Started {
  job: Job
  isAfterCrash: boolean
}

export interface JobAttempt {
  /**
   * Does the work, and ends the job if this attempt is the newest. Faults of the recording end it too; anything thrown
   * is repeated.
   */
  work: (job: Job) => Promise<void>
  /** Ends the job after the last attempt. */
  giveUp: (job: Job) => Promise<void>
}

/**
 * Makes one attempt of a job. What `work` throws is a fault of the service or the host: the job is queued again with
 * growing pauses for 25 hours, and its track says so.
 * @returns how the attempt ended, as its row says
 * @throws the reason of an abort; an error of the database, for which the queue itself repeats the job
 * @see contract, section 4
 */
export async function attempt(
  services: Services,
  definition: JobTask,
  { id }: Pick<Job, 'id'>,
  run: TaskRun,
  { work, giveUp }: JobAttempt,
): Promise<TaskOutcome> {
  const started = await start(services, id, run)
  if (!started) return 'superseded'
  const began = services.clock().getTime()
  const ended = () => addSpentSeconds(services, started.job, (services.clock().getTime() - began) / 1000)
  return makeAttempt(services, definition, started, run, { work, giveUp }).finally(ended)
}

/**
 * Makes one attempt of a job of a track, or ends it if the track was deleted.
 * @param describe the attempt, for the track as it is at its start
 */
export async function attemptOnTrack(
  services: Services,
  definition: JobTask,
  job: Job & { trackId: string },
  run: TaskRun,
  describe: (track: LoadedTrack) => JobAttempt,
): Promise<TaskOutcome> {
  const track = await loadTrack(services.db, job.trackId)
  if (track) return attempt(services, definition, job, run, describe(track))
  const ending = await services.db.$transaction((tx) => endIfDeleted(tx, job, job.trackId, services.clock()))
  // It was restored since.
  return ending?.state ?? attemptOnTrack(services, definition, job, run, describe)
}

/** Adds the time of an attempt to its job, unless a later attempt has begun. A failure is ignored: the time counts in turns only. */
async function addSpentSeconds({ db, log }: Services, { id, attempts }: Job, seconds: number): Promise<void> {
  const data = { spentSeconds: { increment: Math.max(0, seconds) } }
  await db.job.updateMany({ where: { id, attempts }, data }).catch((error) => {
    log.debug({ err: error, jobId: id }, 'the time of an attempt could not be written')
  })
}

async function makeAttempt(
  services: Services,
  definition: JobTask,
  started: Started,
  run: TaskRun,
  { work, giveUp }: JobAttempt,
): Promise<TaskOutcome> {
  const { job, isAfterCrash } = started
  const now = services.clock
  if (isAfterCrash) {
    if (isLastFailure(job.failingSince ?? now(), now())) return end(services, job, giveUp)
    const pauseMs = crashPauseMs(job.crashes)
    const cause = 'the worker that processed it stopped'
    if (pauseMs > 0) return await delay(services, definition, job, { pauseMs, cause })
  }
  try {
    await work(job)
    return await outcomeOfAttempt(services, job)
  } catch (error) {
    if (run.signal.reason instanceof SlotReturned || error instanceof RecordingReplaced)
      return returnToQueue(services, definition, job)
    // After the others that wait: it will take as many turns again.
    if (error instanceof SlotReturned) return returnToQueue(services, definition, job, job.turns)
    if (run.signal.aborted) {
      // The next attempt does not follow a crash.
      await services.db.job.updateMany({ where: inAttempt(job), data: { retryAt: services.clock() } })
      throw error
    }
    const { failures: earlierFailures, failingSince } = await readFailures(services, job)
    const failures = earlierFailures + 1
    const { trackId } = job
    services.log.error(
      { err: error, jobId: job.id, trackId, attempt: job.attempts },
      'an attempt failed and is repeated',
    )
    if (isLastFailure(failingSince ?? now(), now())) return end(services, job, giveUp)
    return delay(
      services,
      definition,
      { ...job, failingSince },
      {
        pauseMs: Math.max(failurePauseMs(failures), error instanceof Postponed ? error.pauseMs : 0),
        cause: describeCause(error),
        failures,
      },
    )
  }
}

/** Failures of a job so far. An attempt that has made progress may have reset them. */
const readFailures = async ({ db }: Services, job: Job): Promise<Pick<Job, 'failures' | 'failingSince'>> =>
  (await db.job.findUnique({ where: { id: job.id }, select: { failures: true, failingSince: true } })) ?? job

/** The outcome of an attempt, as the job's row says. */
export async function outcomeOfAttempt({ db }: Services, { id, attempts }: Pick<Job, 'id' | 'attempts'>) {
  const job = await db.job.findUnique({ where: { id }, select: { state: true, attempts: true } })
  if (!job || job.attempts !== attempts || job.state === 'running') return 'superseded'
  return job.state === 'queued' ? 'delayed' : job.state
}

async function end(services: Services, job: Job, giveUp: JobAttempt['giveUp']): Promise<TaskOutcome> {
  const { id: jobId, kind, trackId, attempts, crashes } = job
  services.log.error({ jobId, kind, trackId, attempts, crashes }, 'a job is given up')
  await giveUp(job)
  return 'given_up'
}

/**
 * Counts an attempt. A job that is `running` and not delayed is one whose worker died during the attempt before.
 * @returns null when another run has ended the job, or has its entry: this worker stood still, and a newer attempt would
 * take the result from the one that runs
 */
async function start({ db, clock }: Services, id: string, { entry }: TaskRun): Promise<Started | null> {
  return db.$transaction(async (tx) => {
    // The job before its entry, as `delay`.
    const [before] = await tx.$queryRaw<Pick<Job, 'state' | 'retryAt' | 'failingSince'>[]>`
      SELECT state::text, retry_at AS "retryAt", failing_since AS "failingSince" FROM job WHERE id = ${id}::uuid FOR NO KEY UPDATE`
    if (entry && !(await lockEntry(tx, entry))) return null
    const isAfterCrash = before?.state === 'running' && before.retryAt === null
    const [job] = await tx.job.updateManyAndReturn({
      where: { id, state: { in: unendedStates } },
      data: {
        state: 'running',
        attempts: { increment: 1 },
        crashes: { increment: isAfterCrash ? 1 : 0 },
        ...(isAfterCrash && { failingSince: before.failingSince ?? clock() }),
        retryAt: null,
        startedAt: clock(),
      },
    })
    return job ? { job, isAfterCrash } : null
  })
}

/** Queues the job again at once. @param turn defaults to the front of its organization's line */
async function returnToQueue({ db, clock }: Services, definition: JobTask, job: Job, turn = 0): Promise<TaskOutcome> {
  return db.$transaction(async (tx) => {
    // Without a crash, as a delayed job.
    const { count } = await tx.job.updateMany({ where: inAttempt(job), data: { retryAt: clock() } })
    if (count === 0) return 'superseded'
    await enqueueJob(tx, definition, job, { turn })
    return 'requeued'
  })
}

interface Delay {
  pauseMs: number
  /** For the client. */
  cause: string
  /** Those of the job, with the one that delays it. */
  failures?: number
}

/** Queues the job again after a pause, and says so on the track. */
async function delay(
  { db, clock }: Services,
  definition: JobTask,
  job: Job,
  { pauseMs, cause, failures }: Delay,
): Promise<TaskOutcome> {
  const { trackId, kind } = job
  const now = clock()
  const failingSince = job.failingSince ?? now
  const retryAt = new Date(now.getTime() + pauseUntilEnd(pauseMs, failingSince, now))
  return db.$transaction(async (tx) => {
    const { count } = await tx.job.updateMany({ where: inAttempt(job), data: { retryAt, failures, failingSince } })
    if (count === 0) return 'superseded'
    if (trackId && kind !== 'process_track_cover' && kind !== 'transcribe_track') {
      await tx.track.updateMany({
        where: { id: trackId, status: { in: unfinishedStates }, deletedAt: null },
        data: {
          status: 'processing',
          statusCode: 'processing_delayed',
          statusText: `Processing is delayed by a fault on our side: ${cause}. The recording is stored and is tried again automatically.`,
        },
      })
    }
    await enqueueJob(tx, definition, job, { runAt: retryAt })
    return 'delayed'
  })
}

/** The cause of a failure, for the client: no details of the host. */
function describeCause(error: unknown): string {
  if (error instanceof StorageError) return 'storage is unavailable'
  if (!(error instanceof HostFault)) return 'the attempt failed'
  const causes = {
    disk_full: 'the processing machine has no disk space left',
    killed: 'the processing machine has no memory left',
    deadline_missed: 'the processing machine is busy',
    not_started: 'the processing machine cannot start its programs',
    images_unavailable: 'the image library of the processing machine does not load',
    file_not_visible: 'the processing machine cannot read its files',
  }
  return causes[error.code]
}
