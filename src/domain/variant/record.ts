import { z } from 'zod'
import type { Variant } from '../../platform/db/generated/client/client.ts'
import { VariantType } from '../../platform/db/generated/client/enums.ts'
import { id, json, text } from '../../platform/schema/fields.ts'
import { createdFilters, filterShape, restShape, searchFilter, toRest } from '../../platform/schema/record.ts'
import { pageRules, uuidRule } from '../../platform/schema/rules.ts'
import { apiVariantTypes, variantType } from './types/index.ts'

export const variantFields = {
  id: id({ description: 'ID of the variant. UUID.' }),
  organizationId: id({ description: 'ID of the organization that it belongs to.' }),
  index: text({ description: 'Delivery name. 2 to 64 letters, digits, `_` or `-`.', example: 'preview-30' }),
}

export const trackIdField = id({
  description: 'ID of the track that it belongs to.',
  nullable: true,
  nullMeans: 'Null for an organization-wide variant.',
})

export const variantDescription = 'A recipe for a file of every upload, or of a single track.'

export const variantTypeShape = z.enum(VariantType).meta({ description: 'Type of the variant. It never changes.' })

/** In the document as for inputs: parameters with a default are optional. */
const propsShape = json({
  description: 'Parameters with all defaults, by the type of the variant.',
  restShape: z
    .union(Object.values(VariantType).map((type) => variantType(type).props.meta({ title: variantType(type).title })))
    .meta({ id: 'VariantProps' }),
  side: 'input',
}).restShape

const fields = { ...restShape(variantFields), variantTypeId: variantTypeShape, props: propsShape }

/** Specification, section 2, Variant. Every answer has `index` (contract, section 3). */
export const variantShape = z.object(fields).meta({ id: 'Variant', description: variantDescription })

/** Specification, section 2, Track-specific variant. */
export const trackVariantShape = z
  .object({ ...fields, trackId: id({ description: 'ID of the track that it belongs to.' }).restShape })
  .meta({ id: 'TrackVariant', description: 'A recipe for a file of a single track.' })

/** A variant as /v1 shows it. */
export const toRestVariant = ({ type, props, ...variant }: Variant): z.input<typeof variantShape> => ({
  ...toRest(variantFields, variant),
  variantTypeId: type,
  props,
})

/** Specification, section 4, common body parameters. */
export const variantIndex = z
  .string()
  .regex(/^[A-Za-z0-9_-]{2,64}$/, 'must be 2 to 64 letters, digits, _ or -')
  .meta({ description: variantFields.index.description, examples: ['preview-30'] })

/** The fields of POST /v1/track/:track_id/variant that every type shares. */
export const addTrackVariantInput = z.object({
  variantTypeId: z.enum(apiVariantTypes as ['transcode', 'preview'], {
    error: (issue) => (issue.input === undefined ? 'is required' : `must be one of ${apiVariantTypes.join(', ')}`),
  }),
  index: variantIndex,
})

/** The whole body, with the parameters of each type. */
export const addTrackVariantBody = z
  .union(
    apiVariantTypes
      .map(variantType)
      .map(({ id, title, props, trackRules }) =>
        z
          .intersection(addTrackVariantInput.extend({ variantTypeId: z.literal(id) }), trackRules?.props ?? props)
          .meta({ title }),
      ),
  )
  .meta({ id: 'AddTrackVariant' })

/** The fields of a new organization-wide variant that every type shares. */
export const createVariantInput = z.object({
  variantTypeId: z.enum(VariantType),
  index: variantIndex,
  applyToExisting: z.boolean().default(false),
})

/** The fields of a change that every type shares. */
export const updateVariantInput = z.object({ index: variantIndex.optional() })
export interface UpdateVariant extends z.output<typeof updateVariantInput> {
  /** In camelCase. Null resets a parameter to its default. */
  parameters: Record<string, unknown>
}

export const variantFilters = { search: searchFilter('index'), ...createdFilters }
export const variantFilter = z.object({
  type: z.array(z.enum(VariantType)).max(7).optional(),
  ...filterShape(variantFilters),
})
export type VariantFilter = z.output<typeof variantFilter>
export const listVariantsInput = pageRules

export const variantId = z.object({ variantId: uuidRule.describe(variantFields.id.description) })
