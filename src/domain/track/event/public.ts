import { z } from 'zod'
import { id } from '../../../platform/schema/fields.ts'
import { type EventDocument, subjectFields } from '../../event/record.ts'
import { fileShape } from '../file/record.ts'
import { trackShape } from '../public.ts'
import { trackColumns, trackDashboardFields, trackFields, trackStatusShape } from '../record.ts'
import { replacementFields } from '../replacement/record.ts'

const subject = { ...subjectFields, trackId: trackFields.id.restShape }
const jobId = id({ description: 'ID of the job.' })
const fileData = z.object({ ...subject, file: fileShape })

/** Contract, section 7. */
export const trackEvents: EventDocument[] = [
  {
    type: 'track.status_changed',
    summary: 'A track reached the end of its processing.',
    data: z.object({
      status: trackStatusShape,
      previousStatus: trackStatusShape,
      ...subject,
      uploadSessionId: trackDashboardFields.uploadSessionId.restShape,
      track: trackShape,
      files: z.array(fileShape),
    }),
  },
  {
    type: 'track.recording_replaced',
    summary: 'A track has another recording: a new one, or a former one that was restored. Its addresses stay.',
    data: z.object({
      isRestored: z.boolean().describe('Whether it is a former recording that was restored.'),
      ...subject,
      track: trackShape,
      files: z.array(fileShape),
    }),
  },
  {
    type: 'track.replacement_failed',
    summary: 'A new recording of a track could not be used. The track keeps its recording.',
    data: z.object({
      ...subject,
      replacementId: replacementFields.id.restShape,
      fileName: replacementFields.fileName.restShape,
      statusCode: replacementFields.statusCode.restShape,
      statusText: replacementFields.statusText.restShape,
    }),
  },
  {
    type: 'track.transcribed',
    summary: 'What is said in a track was transcribed.',
    data: z.object({
      ...subject,
      jobId: jobId.restShape,
      transcriptionLanguage: trackColumns.transcriptionLanguage.restShape,
    }),
  },
  {
    type: 'track.transcription_failed',
    summary: 'A track could not be transcribed.',
    data: z.object({
      ...subject,
      jobId: jobId.restShape,
      statusCode: z.string().describe('Reason as a stable word. "Status codes" lists them.'),
      statusText: z.string().describe('Reason as a sentence.'),
    }),
  },
  { type: 'track_file.created', summary: 'A file of a track is finished.', data: fileData },
  { type: 'track_file.failed', summary: 'A file of a track failed.', data: fileData },
]
