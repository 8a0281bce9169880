import { z } from 'zod'
import { VariantType } from '../../platform/db/generated/client/enums.ts'
import type { TaskDefinition } from '../../platform/jobs/task.ts'
import { listFilter, page, uuid } from '../../platform/schema/input.ts'
import { apiVariantTypes, variantType } from './types/index.ts'

/** Delivery name (specification, section 4, common body parameters). */
export const variantIndex = z
  .string()
  .regex(/^[A-Za-z0-9_-]{2,64}$/, 'must be 2-64 characters long and hold only letters, digits, _ and -')
  .meta({ description: 'Delivery name.', examples: ['preview-30'] })

/** The part of POST /v1/track/:track_id/variant that every kind shares; the rest is the kind's own. */
export const addTrackVariantInput = z.object({
  variantTypeId: z.enum(apiVariantTypes as ['transcode', 'preview'], {
    error: (issue) => (issue.input === undefined ? 'is required' : `must be one of ${apiVariantTypes.join(', ')}`),
  }),
  index: variantIndex,
})

/** The whole body of it: each kind with its own parameters. */
export const addTrackVariantBody = z
  .union(
    apiVariantTypes.map((type) =>
      z
        .intersection(addTrackVariantInput.extend({ variantTypeId: z.literal(type) }), variantType(type).props)
        .meta({ title: variantType(type).title }),
    ),
  )
  .meta({ id: 'AddTrackVariant' })

/** The part of a new organization-wide variant that every kind shares. */
export const createVariantInput = z.object({
  variantTypeId: z.enum(VariantType),
  index: variantIndex,
  applyToExisting: z.boolean().default(false),
})

export const updateVariantInput = z.object({ index: variantIndex.optional() })

export const variantFilter = z.object({ type: z.array(z.enum(VariantType)).max(7).optional(), ...listFilter })
export const listVariantsInput = page

export const variantId = z.object({ variantId: uuid.describe('The variant.') })

/** Removes what a deleted variant made. */
export const clearVariant: TaskDefinition<z.infer<typeof variantId>> = {
  name: 'clear_variant',
  payload: variantId,
  maxAttempts: 25,
}
