import { z } from 'zod'
import { anyObject, route } from '../../platform/http/rest.ts'
import { id } from '../../platform/schema/fields.ts'
import { toRestTrack, trackShape } from '../track/public.ts'
import { trackId } from '../track/record.ts'
import { findTrack, withDomain } from '../track/service.ts'
import { addTrackVariantBody, toRestVariant, trackVariantShape } from '../variant/record.ts'
import { rebuildTrackInput } from './rebuild/record.ts'
import { rebuildTrack } from './rebuild/service.ts'
import { addTrackVariant } from './service.ts'

const trackIdShape = id({ description: 'ID of the track.' }).restShape
const jobIdShape = id({ description: 'ID of the job.' }).restShape

/** Specification, section 4, Variants. Rebuilding is an addition. */
export const processingRoutes = [
  route({
    method: 'POST',
    path: '/track/:trackId/variant',
    auth: 'key',
    operation: 'addTrackVariant',
    summary: 'Adds a variant to one processed track and queues its file.',
    description: 'The track is `processing` until the file is made.',
    params: trackId,
    body: anyObject,
    documentedBody: addTrackVariantBody,
    answer: z.object({
      trackId: trackIdShape,
      variantId: id({ description: 'ID of the variant.' }).restShape,
      jobId: jobIdShape,
      variant: trackVariantShape,
    }),
    fails: ['index_taken', 'track_processing', 'no_source_file'],
    handle: async ({ ctx, params, body }) => {
      const { variant, jobId } = await addTrackVariant(ctx, params.trackId, body)
      return {
        trackId: params.trackId,
        variantId: variant.id,
        jobId,
        variant: { ...toRestVariant(variant), trackId: params.trackId },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/track/:trackId/rebuild',
    auth: 'key',
    operation: 'rebuildTrack',
    summary: 'Rebuilds files of a track.',
    description: 'Existing files are delivered until they are replaced.',
    params: trackId,
    body: rebuildTrackInput,
    answer: z.object({ trackId: trackIdShape, track: trackShape, jobId: jobIdShape }),
    fails: ['track_processing', 'no_source_file'],
    handle: async ({ ctx, params, body }) => {
      const { id, jobId } = await rebuildTrack(ctx, params.trackId, body)
      return { trackId: id, track: toRestTrack(ctx, await findTrack(ctx, id, { include: withDomain })), jobId }
    },
  }),
]
