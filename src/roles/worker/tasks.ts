import { forgetSessionsTask, rotateTokenKeysTask } from '../../domain/access/sign-in/housekeeping.task.ts'
import { forgetActivityTask } from '../../domain/activity/housekeeping.task.ts'
import { deleteTracksTask } from '../../domain/collection/delete-tracks.task.ts'
import { restoreTracksTask } from '../../domain/collection/deleted/restore-tracks.task.ts'
import { makeAlbumTask } from '../../domain/demo/make-album.task.ts'
import { forgetEventsTask, numberEventsTask } from '../../domain/event/housekeeping.task.ts'
import { forgetListenersTask } from '../../domain/playback/housekeeping.task.ts'
import { forgetPlaySessionsTask } from '../../domain/playback/session/housekeeping.task.ts'
import { applyVariantTask } from '../../domain/processing/apply-variant.task.ts'
import { fillBatchTask } from '../../domain/processing/batch/fill.task.ts'
import { clearVariantTask } from '../../domain/processing/clear-variant.task.ts'
import { processCoverTask } from '../../domain/processing/cover/process-cover.task.ts'
import { forgetTracksTask } from '../../domain/processing/forget-tracks.task.ts'
import { forgetJobsTask } from '../../domain/processing/job/forget.task.ts'
import { requeueLostTask } from '../../domain/processing/job/requeue-lost.task.ts'
import { shareTurnsTask } from '../../domain/processing/job/share-turns.task.ts'
import { makeMissingFilesTask } from '../../domain/processing/missing-files.task.ts'
import { processTrackTask, processVariantTask, rebuildTrackTask } from '../../domain/processing/process-track.task.ts'
import { purgeDeletedTask } from '../../domain/processing/purge.task.ts'
import { resumeTracksTask } from '../../domain/processing/resume-tracks.task.ts'
import { transcribeTrackTask } from '../../domain/processing/transcription/transcribe-track.task.ts'
import { transcribeUploadTask } from '../../domain/processing/transcription/transcribe-upload.task.ts'
import { foldTrackSumsTask } from '../../domain/track/sum.task.ts'
import { readTranscriptWordsTask } from '../../domain/track/transcript/words.task.ts'
import { forgetUploadSessionsTask } from '../../domain/upload/housekeeping.task.ts'
import { pullSourceTask } from '../../domain/upload/pull/pull-source.task.ts'
import { expireUploadsTask, noticeUploadsTask } from '../../domain/upload/uploads.task.ts'
import { keepLedgerTask, rollUpPlaysTask } from '../../domain/usage/ledger.task.ts'
import { foldProcessingTimesTask } from '../../domain/usage/processing-time.task.ts'
import { clearWebhookEndpointTask } from '../../domain/webhook/delivery/give-up.task.ts'
import { forgetAnswersTask } from '../../platform/http/forget-answers.task.ts'
import type { Task } from '../../platform/jobs/task.ts'

/** All tasks of workers. */
export const tasks: readonly Task[] = [
  processTrackTask,
  processVariantTask,
  processCoverTask,
  applyVariantTask,
  rebuildTrackTask,
  fillBatchTask,
  clearVariantTask,
  deleteTracksTask,
  restoreTracksTask,
  clearWebhookEndpointTask,
  transcribeTrackTask,
  transcribeUploadTask,
  resumeTracksTask,
  makeMissingFilesTask,
  foldTrackSumsTask,
  readTranscriptWordsTask,
  pullSourceTask,
  noticeUploadsTask,
  expireUploadsTask,
  purgeDeletedTask,
  forgetAnswersTask,
  forgetJobsTask,
  requeueLostTask,
  shareTurnsTask,
  rotateTokenKeysTask,
  forgetSessionsTask,
  forgetActivityTask,
  forgetEventsTask,
  numberEventsTask,
  forgetPlaySessionsTask,
  forgetListenersTask,
  forgetUploadSessionsTask,
  forgetTracksTask,
  foldProcessingTimesTask,
  rollUpPlaysTask,
  keepLedgerTask,
  makeAlbumTask,
]
