import { z } from 'zod'
import { route } from '../../../platform/http/rest.ts'
import { id } from '../../../platform/schema/fields.ts'
import { trackId } from '../../track/record.ts'
import { transcribeTrackInput } from './record.ts'
import { cancelTranscription, transcribeTrack } from './request.ts'

const trackIdShape = id({ description: 'ID of the track.' }).restShape

export const transcriptionRoutes = [
  route({
    method: 'POST',
    path: '/track/:trackId/transcribe',
    auth: 'key',
    operation: 'transcribeTrack',
    summary: 'Transcribes what is said in a track with the speech recognition of the service.',
    description:
      'The track then has the `transcription` as WebVTT, with its language. It replaces one that was made before, and none that was set.',
    params: trackId,
    body: transcribeTrackInput,
    answer: z.object({
      trackId: trackIdShape,
      jobId: id({ description: 'ID of the job: the new one, or the one that waits or runs.' }).restShape,
    }),
    fails: ['speech_recognition_off', 'track_processing', 'no_source_file', 'transcription_set', 'limit_reached'],
    handle: async ({ ctx, params, body }) => ({
      trackId: params.trackId,
      jobId: await transcribeTrack(ctx, params.trackId, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/track/:trackId/transcribe',
    auth: 'key',
    operation: 'cancelTranscription',
    summary: 'Cancels the transcription of a track that waits or runs. Does nothing without one.',
    params: trackId,
    answer: z.object({ trackId: trackIdShape }),
    handle: async ({ ctx, params }) => ({ trackId: (await cancelTranscription(ctx, params.trackId)).id }),
  }),
]
