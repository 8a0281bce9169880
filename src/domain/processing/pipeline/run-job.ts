import type { Services } from '../../../platform/context.ts'
import type { Job } from '../../../platform/db/generated/client/client.ts'
import type { TaskOutcome, TaskRun } from '../../../platform/jobs/task.ts'
import { endIfDeleted } from '../job/end.ts'
import type { JobTask } from '../queue/tasks.ts'
import { attempt } from '../retry.ts'
import { loadTrack } from '../run/run.ts'
import { giveUp } from './fail.ts'
import { runPipeline } from './pipeline.ts'

/** Makes one attempt of a job that makes files of a track. */
export async function runTrackJob(
  services: Services,
  definition: JobTask,
  job: Job & { trackId: string },
  taskRun: TaskRun,
): Promise<TaskOutcome> {
  const track = await loadTrack(services.db, job.trackId)
  if (!track) {
    const ending = await services.db.$transaction((tx) => endIfDeleted(tx, job, job.trackId, services.clock()))
    return ending?.state ?? runTrackJob(services, definition, job, taskRun)
  }
  return attempt(services, definition, job, taskRun, {
    work: (started) => runPipeline(services, started, track, taskRun.signal),
    giveUp: (started) => giveUp(services, started, job.trackId),
  })
}
