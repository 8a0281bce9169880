import { z } from 'zod'
import { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { hexColor, listFilter, metadata, page, requiredText, text, uuid } from '../../platform/input.ts'
import { theme } from '../organization/schema.ts'

/** What a track is created with, wherever that happens. */
export const newTrackInput = z.object({
  fileName: requiredText(1024),
  /** Bytes of the recording. One of another size is then refused. */
  fileSize: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullish(),
  organizationIndex: text(255).nullish(),
  metadata: metadata.optional(),
})

const MAX_SOURCE_URL = 8192

export const createTrackInput = newTrackInput
  .extend({
    // Where the recording is taken from the web, its address or the source may name it.
    fileName: requiredText(1024).optional(),
    collectionId: uuid.optional(),
    creatorId: uuid.nullish(),
    /** Where the service takes the recording from, instead of an upload. */
    sourceUrl: requiredText(MAX_SOURCE_URL).nullish(),
  })
  .refine(({ fileName, sourceUrl }) => fileName !== undefined || sourceUrl, {
    path: ['fileName'],
    error: 'is required',
  })

export const updateTrackInput = z.object({
  organizationIndex: text(255).nullish(),
  metadata: metadata.optional(),
  playerTitle: text(1024).nullish(),
  playerSubtitle: text(1024).nullish(),
  playerColor: hexColor.nullish(),
  theme: theme.optional(),
  transcription: text(1 << 19).nullish(),
  transcriptionLanguage: text(35).nullish(),
})

export const trackFilter = z.object({
  organizationIndex: requiredText(255).optional(),
  collectionId: uuid.optional(),
  creatorId: uuid.optional(),
  status: z.array(z.enum(TrackStatus)).max(7).optional(),
  hasStaleFiles: z.boolean().optional(),
  madeByFfmpegOtherThan: requiredText(64).optional(),
  ...listFilter,
})
export const listTracksInput = page.extend(trackFilter.pick({ organizationIndex: true, creatorId: true }).shape)

export const trackId = z.object({ trackId: uuid })
