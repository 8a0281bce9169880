import { z } from 'zod'
import { metadata, text, uuid } from '../../platform/input.ts'
import { newTrackInput } from '../track/schema.ts'

/** POST /v1/upload_session (specification, section 4). */
export const createUploadSessionInput = z.object({
  collectionId: uuid.optional(),
  creatorId: uuid.nullish(),
  organizationIndex: text(255).nullish(),
  metadata: metadata.default({}),
  /** Seconds. */
  expiresIn: z.number().int().min(60).max(86_400).default(3600),
  track: newTrackInput.nullish(),
})

export const uploadSessionId = z.object({ uploadSessionId: uuid })
