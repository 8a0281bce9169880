import { forgetSessionsTask, rotateTokenKeysTask } from '../../domain/access/sign-in/housekeeping.task.ts'
import { forgetAnswersTask, forgetJobsTask, purgeDeletedTask } from '../../domain/processing/housekeeping.task.ts'
import { processCoverTask } from '../../domain/processing/process-cover.task.ts'
import { processTrackTask, processVariantTask } from '../../domain/processing/process-track.task.ts'
import { expireUploadsTask, noticeUploadsTask } from '../../domain/upload/uploads.task.ts'
import type { Task } from '../../platform/task.ts'

/** Everything that workers do. */
export const tasks: readonly Task[] = [
  processTrackTask,
  processVariantTask,
  processCoverTask,
  noticeUploadsTask,
  expireUploadsTask,
  purgeDeletedTask,
  forgetAnswersTask,
  forgetJobsTask,
  rotateTokenKeysTask,
  forgetSessionsTask,
]
