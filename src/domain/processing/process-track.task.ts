import type { Services } from '../../platform/context.ts'
import { type TaskOutcome, type TaskRun, task } from '../../platform/jobs/task.ts'
import { hasEnded } from './job/end.ts'
import { runTrackJob } from './pipeline/run-job.ts'
import { type JobTask, processTrackJob, processVariantJob, rebuildTrackJob } from './queue/tasks.ts'

/** Makes all files of an uploaded recording: those of the organization-wide variants. */
export const processTrackTask = task(processTrackJob, (services, { jobId }, run) =>
  process(services, processTrackJob, jobId, run),
)

/** Makes one more file of a track. The track is `processing` from the request to the end of the job. */
export const processVariantTask = task(processVariantJob, (services, { jobId }, run) =>
  process(services, processVariantJob, jobId, run),
)

/** Makes files of a track again, in one run, with the current parameters of their variants. */
export const rebuildTrackTask = task(rebuildTrackJob, (services, { jobId }, run) =>
  process(services, rebuildTrackJob, jobId, run),
)

async function process(services: Services, definition: JobTask, jobId: string, taskRun: TaskRun): Promise<TaskOutcome> {
  const job = await services.db.job.findUnique({ where: { id: jobId } })
  if (!job?.trackId || hasEnded(job)) return 'superseded'
  return runTrackJob(services, definition, { ...job, trackId: job.trackId }, taskRun)
}
