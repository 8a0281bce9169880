import { z } from 'zod'
import { type EventDocument, subjectFields } from '../../event/record.ts'
import { fileShape } from '../file/record.ts'
import { trackShape } from '../public.ts'
import { trackDashboardFields, trackFields, trackStatusShape } from '../record.ts'

const subject = { ...subjectFields, trackId: trackFields.id.restShape }
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
  { type: 'track_file.created', summary: 'A file of a track is finished.', data: fileData },
  { type: 'track_file.failed', summary: 'A file of a track failed.', data: fileData },
]
