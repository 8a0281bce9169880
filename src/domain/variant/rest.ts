import { z } from 'zod'
import { route } from '../../platform/http/rest.ts'
import { pageShape } from '../../platform/schema/record.ts'
import { listVariantsInput, toRestVariant, variantFields, variantId, variantShape } from './record.ts'
import { getVariant, listVariants } from './service.ts'

/** Specification, section 4, Variants. */
export const variantRoutes = [
  route({
    method: 'GET',
    path: '/variant',
    auth: 'key',
    operation: 'listVariants',
    summary: 'Lists the organization-wide variants, newest first.',
    query: listVariantsInput,
    answer: pageShape('variants', variantShape),
    handle: async ({ ctx, query }) => {
      const { variants, count } = await listVariants(ctx, query)
      return { count, variants: variants.map(toRestVariant) }
    },
  }),
  route({
    method: 'GET',
    path: '/variant/:variantId',
    auth: 'key',
    operation: 'getVariant',
    summary: 'Returns an organization-wide variant.',
    params: variantId,
    answer: z.object({ variantId: variantFields.id.restShape, variant: variantShape }),
    handle: async ({ ctx, params }) => {
      const variant = await getVariant(ctx, params.variantId)
      return { variantId: variant.id, variant: toRestVariant(variant) }
    },
  }),
]
