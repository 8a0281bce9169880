import { task } from '../../../platform/jobs/task.ts'
import { transcribeUploads } from '../../track/transcript/upload.ts'
import { transcribeUpload } from './request.ts'

/** Queues the transcription of a recording that was processed, where its organization wants it. */
export const transcribeUploadTask = task(transcribeUploads, (services, { trackId }) =>
  transcribeUpload(services, trackId),
)
