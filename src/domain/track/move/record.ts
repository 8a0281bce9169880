import { z } from 'zod'
import { uuidRule } from '../../../platform/schema/rules.ts'

export const moveTrackInput = z
  .object({
    collectionId: uuidRule
      .nullish()
      .describe('The collection to move it to. Defaults to that of the other track, or to its own.'),
    beforeTrackId: uuidRule.nullish().describe('The track to place it before.'),
    afterTrackId: uuidRule.nullish().describe('The track to place it after.'),
  })
  .refine(({ beforeTrackId, afterTrackId }) => !(beforeTrackId && afterTrackId), {
    path: ['afterTrackId'],
    error: 'cannot be used together with beforeTrackId',
  })
  .meta({ id: 'MoveTrack' })
export type MoveTrack = z.output<typeof moveTrackInput>
