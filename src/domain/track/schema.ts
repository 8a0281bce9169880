import { z } from 'zod'
import { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { hexColor, listFilter, metadata, page, requiredText, text, uuid } from '../../platform/input.ts'
import { theme } from '../organization/schema.ts'

/** What a track is created with, wherever that happens. */
export const newTrackInput = z.object({
  fileName: requiredText(1024),
  organizationIndex: text(255).nullish(),
  metadata: metadata.optional(),
})

export const createTrackInput = newTrackInput.extend({
  collectionId: uuid.optional(),
  creatorId: uuid.nullish(),
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
