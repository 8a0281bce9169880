import { z } from 'zod'
import { uuid } from '../../../platform/schema/input.ts'

/** Which tracks a variant is applied to. */
export const applyFilter = z.object({
  collectionId: uuid.optional(),
  creatorId: uuid.optional(),
  isOnlyMissing: z.boolean().default(false),
})

export const batchId = z.object({ batchId: uuid })

export const batchFilter = z.object({ variantId: uuid.optional(), isFinished: z.boolean().optional() })
