import { z } from 'zod'
import type { Track } from '../../../platform/db/generated/client/client.ts'
import { route } from '../../../platform/http/rest.ts'
import { id } from '../../../platform/schema/fields.ts'
import { toRestTrack, trackShape } from '../public.ts'
import { trackId } from '../record.ts'
import { findTrack, withDomain } from '../service.ts'
import {
  formerRecordingId,
  formerRecordingShape,
  readSourceName,
  replacementShape,
  toFormerRecording,
} from './record.ts'
import { cancelReplacement, getRecordings, restoreRecording } from './service.ts'

const trackIdShape = id({ description: 'ID of the track.' }).restShape

/** Maps a new recording to its form in /v1. */
export const toRestReplacement = ({ progress, status, ...row }: Track): z.input<typeof replacementShape> => ({
  id: row.id,
  fileName: readSourceName(row),
  statusCode: row.statusCode,
  statusText: row.statusText,
  createdAt: row.createdAt,
  trackStatusId: status,
  progress,
})

/** Contract, section 5: a recording may be replaced. The upload concept creates replacements. */
export const replacementRoutes = [
  route({
    method: 'GET',
    path: '/track/:trackId/recording',
    auth: 'key',
    operation: 'getRecordings',
    summary: 'Returns the new recording of a track that is on its way, and the former ones.',
    params: trackId,
    answer: z.object({
      trackId: trackIdShape,
      replacement: replacementShape
        .nullable()
        .describe('The new recording that is being uploaded or processed, or that failed. Null without one.'),
      formerRecordings: z
        .array(formerRecordingShape)
        .describe('Recordings that can be restored, the latest first. At most 50.'),
    }),
    handle: async ({ ctx, params }) => {
      const { replacement, former } = await getRecordings(ctx, params.trackId)
      return {
        trackId: params.trackId,
        replacement: replacement && toRestReplacement(replacement),
        formerRecordings: former.map((row) => toFormerRecording(ctx, row)),
      }
    },
  }),
  route({
    method: 'DELETE',
    path: '/track/:trackId/recording',
    auth: 'key',
    operation: 'cancelReplacement',
    summary: 'Cancels the replacement of a recording, or dismisses one that failed. The track stays as it is.',
    params: trackId,
    answer: z.object({ trackId: trackIdShape, deletedReplacement: replacementShape }),
    handle: async ({ ctx, params }) => {
      const replacement = await cancelReplacement(ctx, params.trackId)
      return { trackId: params.trackId, deletedReplacement: toRestReplacement(replacement) }
    },
  }),
  route({
    method: 'POST',
    path: '/track/:trackId/recording/:recordingId/restore',
    auth: 'key',
    operation: 'restoreRecording',
    summary: 'Gives a track a former recording again. Its current one becomes a former one.',
    params: formerRecordingId,
    answer: z.object({ trackId: trackIdShape, track: trackShape }),
    fails: ['track_processing', 'expired'],
    handle: async ({ ctx, params }) => {
      const restored = await restoreRecording(ctx, params.trackId, params.recordingId)
      const track = await findTrack(ctx, restored.id, { include: withDomain })
      return { trackId: track.id, track: toRestTrack(ctx, track) }
    },
  }),
]
