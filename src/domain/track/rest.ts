import { z } from 'zod'
import type { Context } from '../../platform/context.ts'
import { route } from '../../platform/http/rest.ts'
import { id } from '../../platform/schema/fields.ts'
import { pageShape } from '../../platform/schema/record.ts'
import { collectionId } from '../collection/record.ts'
import { coverUploadShape, uploadHandle } from '../upload-address/handle.ts'
import { fileShape } from './file/record.ts'
import { listedTrackShape, toListedTrack, toRestFile, toRestTrack, trackShape } from './public.ts'
import { listTracksInput, trackId, updateTrackInput } from './record.ts'
import { deleteTrack, getTrack, getTrackForCover, listTracks, type TrackWithDomain, updateTrack } from './service.ts'

const trackIdShape = id({ description: 'ID of the track.' }).restShape
const answer = z.object({ trackId: trackIdShape, track: trackShape })
const wrapped = (ctx: Context, track: TrackWithDomain) => ({ trackId: track.id, track: toRestTrack(ctx, track) })

/** Contract, section 3. The upload concept creates tracks. */
export const trackRoutes = [
  route({
    method: 'GET',
    path: '/collection/:collectionId/track',
    auth: 'key',
    operation: 'listTracks',
    summary: 'Lists the tracks of a collection, newest first.',
    params: collectionId,
    query: listTracksInput,
    answer: pageShape('tracks', listedTrackShape),
    handle: async ({ ctx, params, query }) => {
      const { tracks, count } = await listTracks(ctx, params.collectionId, query)
      return { count, tracks: tracks.map((track) => toListedTrack(ctx, track)) }
    },
  }),
  route({
    method: 'GET',
    path: '/track/:trackId',
    auth: 'key',
    operation: 'getTrack',
    summary: 'Returns a track with its files.',
    params: trackId,
    answer: answer.extend({ files: z.array(fileShape) }),
    handle: async ({ ctx, params }) => {
      const track = await getTrack(ctx, params.trackId)
      return { ...wrapped(ctx, track), files: track.files.map((file) => toRestFile(ctx, file, track)) }
    },
  }),
  route({
    method: 'PUT',
    path: '/track/:trackId',
    auth: 'key',
    operation: 'updateTrack',
    summary: 'Changes the given fields of a track. Null clears a nullable field.',
    params: trackId,
    body: updateTrackInput,
    answer,
    handle: async ({ ctx, params, body }) => wrapped(ctx, await updateTrack(ctx, params.trackId, body)),
  }),
  route({
    method: 'DELETE',
    path: '/track/:trackId',
    auth: 'key',
    operation: 'deleteTrack',
    summary: 'Deletes a track. Delivery of its files stops at once.',
    params: trackId,
    answer: z.object({ trackId: trackIdShape, deletedTrack: trackShape }),
    handle: async ({ ctx, params }) => {
      const track = await deleteTrack(ctx, params.trackId)
      return { trackId: track.id, deletedTrack: toRestTrack(ctx, track) }
    },
  }),
  route({
    method: 'POST',
    path: '/track/:trackId/cover',
    auth: 'key',
    operation: 'createTrackCover',
    summary: "Returns an address to upload the track's cover to.",
    params: trackId,
    answer: answer.extend({ trackCoverUpload: coverUploadShape }),
    handle: async ({ ctx, params }) => {
      const track = await getTrackForCover(ctx, params.trackId)
      return { ...wrapped(ctx, track), trackCoverUpload: uploadHandle(ctx, 'track-cover', track) }
    },
  }),
]
