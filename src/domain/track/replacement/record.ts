import { z } from 'zod'
import { createdAt, id, integer, largeNumber, number, text, time } from '../../../platform/schema/fields.ts'
import { restShape, toRest } from '../../../platform/schema/record.ts'
import { uuidRule } from '../../../platform/schema/rules.ts'
import { restorableUntil } from '../../collection/deleted/grace.ts'
import { createTrackInput, newTrackInput, trackFields, trackId, trackStatusShape } from '../record.ts'

const fileName = text({ description: 'Name of the file that it was uploaded as.', example: 'Song, final mix.wav' })

/** A new recording of a track, until the track has it. */
export const replacementFields = {
  id: id({ description: 'ID of the replacement. UUID.' }),
  fileName,
  statusCode: text({
    description: 'Machine-readable reason why it failed or is delayed.',
    example: 'not_audio',
    nullable: true,
    nullMeans: 'Null without such a reason.',
  }),
  statusText: trackFields.statusText,
  createdAt,
}
export const REPLACEMENT_PROGRESS = 'Progress of its processing in percent. 0 to 99.'
const replacementStatus = trackStatusShape.meta({
  description: 'State of its upload and processing. A replacement in the state `init_error` or `error` has failed.',
})
export const replacementDescription =
  'A new recording of a track that is being uploaded or processed, or that could not be used. Listeners get the recording ' +
  'that the track has until the new one is ready.'
export const replacementShape = z
  .object({
    ...restShape(replacementFields),
    trackStatusId: replacementStatus,
    progress: integer({ description: REPLACEMENT_PROGRESS, example: 40 }).restShape,
  })
  .meta({ id: 'TrackReplacement', description: replacementDescription })

/** A recording that a track had before. */
export const formerRecordingFields = {
  id: id({ description: 'ID of the former recording. UUID.' }),
  fileName,
  duration: number({
    description: 'Duration in seconds.',
    example: 183.25,
    nullable: true,
    nullMeans: 'Null when its length is unknown.',
  }),
  sourceBytes: largeNumber({ description: 'Size in bytes.', example: 31_752_044 }),
  replacedAt: time({ description: 'Time at which another recording replaced it.' }),
  restorableUntil: time({
    description:
      'Time until which it can be restored. Its files are removed from storage then. Defaults to 7 days after it was ' +
      'replaced, as configured by the operator.',
  }),
}
export const formerRecordingDescription = 'A recording that a track had before, and that can be restored.'
export const formerRecordingShape = z
  .object(restShape(formerRecordingFields))
  .meta({ id: 'FormerRecording', description: formerRecordingDescription })

/** A row of `track` that has another recording than its track. */
export interface RecordingRow {
  id: string
  fileName: string
  sourceName: string | null
  fileNameOriginal: string | null
  createdAt: Date
}

/** The name that a recording was uploaded as. */
export const readSourceName = ({ sourceName, fileNameOriginal, fileName }: Omit<RecordingRow, 'id' | 'createdAt'>) =>
  sourceName || fileNameOriginal || fileName

interface FormerRow extends RecordingRow {
  durationSeconds: number | null
  sourceBytes: bigint | null
  replacedAt: Date | null
}

/** Maps a former recording to its form in both interfaces. */
export function toFormerRecording(services: Parameters<typeof restorableUntil>[0], row: FormerRow) {
  if (!row.replacedAt) throw new Error('the recording was not replaced')
  return toRest(formerRecordingFields, {
    id: row.id,
    fileName: readSourceName(row),
    duration: row.durationSeconds,
    sourceBytes: Number(row.sourceBytes ?? 0),
    replacedAt: row.replacedAt,
    restorableUntil: restorableUntil(services, row.replacedAt),
  })
}

/** A new recording. Null means absent in every optional field. */
export const replaceRecordingInput = z
  .object({
    fileName: newTrackInput.shape.fileName
      .meta({
        description:
          'Name of the file. With `source_url`, defaults to the name in the address. The track ' + 'keeps its names.',
        examples: ['Song, final mix.wav'],
      })
      .nullish(),
    fileSize: newTrackInput.shape.fileSize,
    sourceUrl: createTrackInput.shape.sourceUrl,
  })
  .refine(({ fileName: name, sourceUrl }) => typeof name === 'string' || sourceUrl, {
    path: ['fileName'],
    error: 'is required',
  })
  .meta({ id: 'ReplaceRecording' })
export type ReplaceRecording = z.output<typeof replaceRecordingInput>

export const formerRecordingId = trackId.extend({
  recordingId: uuidRule.describe(formerRecordingFields.id.description),
})
