import { z } from 'zod'
import type { Variant } from '../../platform/db/generated/client/client.ts'
import { VariantType } from '../../platform/db/generated/client/enums.ts'
import * as shape from '../../platform/schema/shape.ts'
import { variantType } from './types/index.ts'

/** The kind of a variant. */
export const variantTypeShape = z.enum(VariantType).meta({ description: 'Which kind of recipe it is.' })

/** Parameters with their defaults filled in, those of the kind; a row of an older version lacks the newest ones. */
export const propsShape = shape.stored(
  z
    .union(Object.values(VariantType).map((type) => variantType(type).props.meta({ title: variantType(type).title })))
    .meta({ id: 'VariantProps' }),
  'Parameters of the recipe, defaults filled in; which ones is said by the kind.',
  'input',
)

const fields = {
  id: shape.id(),
  organizationId: shape.id('The organization that it belongs to.'),
  variantTypeId: variantTypeShape,
  index: shape.text('Delivery name.', 'hq'),
  props: propsShape,
}

/** Specification, section 2, Variant; `index` stands in every answer (contract, section 3). */
export const variantShape = z
  .object(fields)
  .meta({ id: 'Variant', description: 'A recipe for a file of every upload.' })

/** Specification, section 2, Track-specific variant. */
export const trackVariantShape = z
  .object({ ...fields, trackId: shape.id('The track that it belongs to.').nullable() })
  .meta({ id: 'TrackVariant', description: 'A recipe for a file of one track.' })

/** A variant as /v1 shows it. */
export const toRestVariant = ({ id, organizationId, type, index, props }: Variant): z.input<typeof variantShape> => ({
  id,
  organizationId,
  variantTypeId: type,
  index,
  props,
})
