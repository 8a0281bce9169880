import { z } from 'zod'
import * as shape from '../../../platform/schema/shape.ts'
import { type EventDocument, subjectFields } from '../../event/record.ts'
import { fileShape } from '../file/public.ts'
import { trackShape, trackStatusShape } from '../public.ts'

const subject = { ...subjectFields, trackId: shape.id('The track.') }
const fileData = z.object({ ...subject, file: fileShape })

/** Contract, section 7. */
export const trackEvents: EventDocument[] = [
  {
    type: 'track.status_changed',
    summary: 'A track came to the end of its processing.',
    data: z.object({
      status: trackStatusShape,
      previousStatus: trackStatusShape,
      ...subject,
      uploadSessionId: shape.id('The session that it was uploaded in, if one.').nullable(),
      track: trackShape,
      files: z.array(fileShape),
    }),
  },
  { type: 'track_file.created', summary: 'A file of a track is done.', data: fileData },
  { type: 'track_file.failed', summary: 'A file of a track was given up.', data: fileData },
]
