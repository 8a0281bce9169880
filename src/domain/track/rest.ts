import type { Context } from '../../platform/context.ts'
import { routes } from '../../platform/rest.ts'
import { uploadHandle } from '../access/upload-handle.ts'
import { shownFile, shownTrack } from './public.ts'
import { deleteTrack, getTrack, getTrackForCover, listTracks, type TrackWithDomain, updateTrack } from './service.ts'

const wrapped = (ctx: Context, track: TrackWithDomain) => ({ trackId: track.id, track: shownTrack(ctx, track) })

/** Contract, section 3. Creating a track is the upload's business. */
export const trackRoutes = routes(
  {
    method: 'GET',
    path: '/collection/:collectionId/track',
    auth: 'key',
    handle: async ({ ctx, params, query }) => {
      const { tracks, count } = await listTracks(ctx, params.collectionId ?? '', query)
      return { count, tracks: tracks.map((track) => shownTrack(ctx, track)) }
    },
  },
  {
    method: 'GET',
    path: '/track/:trackId',
    auth: 'key',
    handle: async ({ ctx, params }) => {
      const track = await getTrack(ctx, params.trackId ?? '')
      return { ...wrapped(ctx, track), files: track.files.map((file) => shownFile(ctx, file, track)) }
    },
  },
  {
    method: 'PUT',
    path: '/track/:trackId',
    auth: 'key',
    handle: async ({ ctx, params, body }) => wrapped(ctx, await updateTrack(ctx, params.trackId ?? '', body)),
  },
  {
    method: 'DELETE',
    path: '/track/:trackId',
    auth: 'key',
    handle: async ({ ctx, params }) => {
      const track = await deleteTrack(ctx, params.trackId ?? '')
      return { trackId: track.id, deletedTrack: shownTrack(ctx, track) }
    },
  },
  {
    method: 'POST',
    path: '/track/:trackId/cover',
    auth: 'key',
    handle: async ({ ctx, params }) => {
      const track = await getTrackForCover(ctx, params.trackId ?? '')
      return { ...wrapped(ctx, track), trackCoverUpload: uploadHandle(ctx, 'track-cover', track.id) }
    },
  },
)
