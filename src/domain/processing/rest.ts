import { routes } from '../../platform/rest.ts'
import { shownTrack } from '../track/public.ts'
import { findTrack, withDomain } from '../track/service.ts'
import { shownVariant } from '../variant/rest.ts'
import { rebuildTrack } from './rebuild/service.ts'
import { addTrackVariant } from './service.ts'

/** Specification, section 4, Variants; rebuilding is ours. */
export const processingRoutes = routes(
  {
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
  },
  {
    method: 'POST',
    path: '/track/:trackId/rebuild',
    auth: 'key',
    handle: async ({ ctx, params, body }) => {
      const { id, jobId } = await rebuildTrack(ctx, params.trackId ?? '', body)
      return { trackId: id, track: shownTrack(ctx, await findTrack(ctx, id, { include: withDomain })), jobId }
    },
  },
)
