import { z } from 'zod'
import { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import {
  hexColor,
  listFilter,
  metadata,
  optionalIndex,
  orDefault,
  organizationIndex,
  page,
  requiredText,
  text,
  uuid,
} from '../../platform/schema/input.ts'
import { theme } from '../organization/record.ts'

/** What players show for a track; null inherits. */
const playerFields = {
  playerTitle: text(1024)
    .meta({ description: 'Shown to listeners.', examples: ['A song'] })
    .nullish(),
  playerSubtitle: text(1024)
    .meta({ description: 'Shown below the title.', examples: ['A band'] })
    .nullish(),
  playerColor: hexColor.describe("What players are drawn in; null inherits the collection's.").nullish(),
}

/** What a track is created with. `null` means absent in every optional field (contract, section 3). */
export const newTrackInput = z
  .object({
    fileName: requiredText(1024).meta({ description: 'Original filename.', examples: ['Song.wav'] }),
    fileSize: z
      .number()
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .meta({ description: 'Bytes of the recording. One of another size is then refused.', examples: [31_752_044] })
      .nullish(),
    organizationIndex: optionalIndex,
    metadata: orDefault(metadata, {}),
    ...playerFields,
  })
  .meta({ id: 'CreateUploadTrack' })

const MAX_SOURCE_URL = 8192

export const createTrackInput = newTrackInput
  .extend({
    fileName: requiredText(1024)
      .meta({
        description: 'Original filename. With `source_url`, its address or the source may name it.',
        examples: ['Song.wav'],
      })
      .nullish(),
    collectionId: uuid.describe('Where it lies; implied by a key that is scoped to a collection.').nullish(),
    creatorId: uuid.describe("The creator that it belongs to; the collection's unless told.").nullish(),
    sourceUrl: requiredText(MAX_SOURCE_URL)
      .meta({
        description: 'Where the service takes the recording from, instead of an upload.',
        examples: ['https://files.example.com/song.wav'],
      })
      .nullish(),
  })
  .refine(({ fileName, sourceUrl }) => typeof fileName === 'string' || sourceUrl, {
    path: ['fileName'],
    error: 'is required',
  })
  .meta({ id: 'CreateTrack' })

export const updateTrackInput = z
  .object({
    organizationIndex: optionalIndex,
    metadata: metadata.optional(),
    ...playerFields,
    theme: theme.rule.optional(),
    transcription: text(1 << 19)
      .meta({ description: 'What is said in it.', examples: ['La la la'] })
      .nullish(),
    transcriptionLanguage: text(35)
      .meta({ description: 'BCP 47 tag.', examples: ['en'] })
      .nullish(),
  })
  .meta({ id: 'UpdateTrack' })

export const trackFilter = z.object({
  organizationIndex: organizationIndex.describe('Only those with this identifier.').optional(),
  collectionId: uuid.optional(),
  creatorId: uuid.describe('Only those of this creator.').optional(),
  status: z.array(z.enum(TrackStatus)).max(7).optional(),
  hasStaleFiles: z.boolean().optional(),
  madeByFfmpegOtherThan: requiredText(64).optional(),
  ...listFilter,
})
export const listTracksInput = page.extend(trackFilter.pick({ organizationIndex: true, creatorId: true }).shape)

export const trackId = z.object({ trackId: uuid.describe('The track.') })
