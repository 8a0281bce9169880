import { z } from 'zod'
import { JobKind, JobState } from '../../../platform/db/generated/client/enums.ts'
import { uuid } from '../../../platform/schema/input.ts'

export const jobFilter = z.object({
  state: z.array(z.enum(JobState)).max(5).optional(),
  kind: z.array(z.enum(JobKind)).max(6).optional(),
  trackId: uuid.optional(),
  collectionId: uuid.optional(),
  variantId: uuid.optional(),
  batchId: uuid.optional(),
})

export const jobId = z.object({ jobId: uuid })
