import type { Services } from '../../../platform/context.ts'
import type { Job } from '../../../platform/db/generated/client/client.ts'
import type { TaskOutcome, TaskRun } from '../../../platform/jobs/task.ts'
import type { JobTask } from '../queue/tasks.ts'
import { attemptOnTrack } from '../retry.ts'
import { giveUp } from './fail.ts'
import { runPipeline } from './pipeline.ts'

/** Makes one attempt of a job that makes files of a track. */
export const runTrackJob = (
  services: Services,
  definition: JobTask,
  job: Job & { trackId: string },
  taskRun: TaskRun,
): Promise<TaskOutcome> =>
  attemptOnTrack(services, definition, job, taskRun, (track) => ({
    work: (started) => runPipeline(services, started, track, taskRun.signal),
    giveUp: (started) => giveUp(services, started, job.trackId),
  }))
