import { routes } from '../../platform/rest.ts'
import { shownVariant } from '../variant/rest.ts'
import { addTrackVariant } from './service.ts'

/** Specification, section 4, Variants. */
export const processingRoutes = routes({
  method: 'POST',
  path: '/track/:trackId/variant',
  auth: 'key',
  handle: async ({ ctx, params, body }) => {
    const { variant, jobId } = await addTrackVariant(ctx, params.trackId ?? '', body)
    return {
      trackId: variant.trackId,
      variantId: variant.id,
      jobId,
      variant: { ...shownVariant(variant), trackId: variant.trackId },
    }
  },
})
