import { z } from 'zod'
import { uuid } from '../../../platform/schema/input.ts'

export const moveTrackInput = z
  .object({
    collectionId: uuid
      .nullish()
      .describe('The collection to move it to. Defaults to that of the other track, or to its own.'),
    beforeTrackId: uuid.nullish().describe('The track to place it before.'),
    afterTrackId: uuid.nullish().describe('The track to place it after.'),
  })
  .refine(({ beforeTrackId, afterTrackId }) => !(beforeTrackId && afterTrackId), {
    path: ['afterTrackId'],
    error: 'cannot be used together with beforeTrackId',
  })
  .meta({ id: 'MoveTrack' })
export type MoveTrack = z.output<typeof moveTrackInput>
