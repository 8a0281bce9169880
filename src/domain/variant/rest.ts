import type { Variant } from '../../platform/db/generated/client/client.ts'
import { routes } from '../../platform/rest.ts'
import { getVariant, listVariants } from './service.ts'

/** An organization-wide variant; `index` stands in every answer (contract, section 3). */
export const shownVariant = ({ id, organizationId, type, index, props }: Variant) => ({
  id,
  organizationId,
  variantTypeId: type,
  index,
  props,
})

/** Specification, section 4, Variants. */
export const variantRoutes = routes(
  {
    method: 'GET',
    path: '/variant',
    auth: 'key',
    handle: async ({ ctx, query }) => {
      const { variants, count } = await listVariants(ctx, query)
      return { count, variants: variants.map(shownVariant) }
    },
  },
  {
    method: 'GET',
    path: '/variant/:variantId',
    auth: 'key',
    handle: async ({ ctx, params }) => {
      const variant = await getVariant(ctx, params.variantId ?? '')
      return { variantId: variant.id, variant: shownVariant(variant) }
    },
  },
)
