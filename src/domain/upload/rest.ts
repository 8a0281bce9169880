import { routes } from '../../platform/rest.ts'
import { legibleColors } from '../organization/colors.ts'
import { shownTrack } from '../track/public.ts'
import {
  createTrack,
  createUploadSession,
  createUploadTrack,
  getUploadSession,
  type SessionWithColors,
  sessionColor,
  type TrackUpload,
} from './service.ts'

const shown = (session: SessionWithColors) => ({
  id: session.id,
  creatorId: session.creatorId,
  collectionId: session.collectionId,
  organizationIndex: session.organizationIndex,
  metadata: session.metadata,
  expiresAt: session.expiresAt,
})

function wrapped(session: SessionWithColors) {
  const playerColor = sessionColor(session)
  return {
    uploadSessionId: session.id,
    uploadSession: shown(session),
    playerColor,
    ...legibleColors(playerColor),
    expiresAt: session.expiresAt,
  }
}

/** The handle of specification, section 2. */
const handle = ({ track, trackUpload, trackCoverUpload }: TrackUpload) => ({
  trackId: track.id,
  track: { id: track.id, index: track.index, path: track.basePath, uploadUrl: trackUpload.uploadUrl },
  trackUpload,
  trackCoverUpload,
})

/** Specification, section 4, Upload sessions. */
export const uploadRoutes = routes(
  {
    method: 'POST',
    path: '/upload_session',
    auth: 'key',
    isRequestIdLeftOut: true,
    handle: async ({ ctx, body }) => {
      const { session, upload } = await createUploadSession(ctx, body)
      return { ...wrapped(session), ...(upload && handle(upload)) }
    },
  },
  {
    method: 'GET',
    path: '/upload_session/:uploadSessionId',
    auth: 'none',
    isRequestIdLeftOut: true,
    handle: async ({ ctx, params }) => wrapped(await getUploadSession(ctx, params.uploadSessionId ?? '')),
  },
  {
    method: 'POST',
    path: '/upload/:uploadSessionId/track',
    auth: 'none',
    handle: async ({ ctx, params, body }) => {
      const { session, upload } = await createUploadTrack(ctx, params.uploadSessionId ?? '', body)
      return { uploadSessionId: session.id, ...handle(upload), uploadSession: shown(session) }
    },
  },
  {
    method: 'POST',
    path: '/track',
    auth: 'key',
    handle: async ({ ctx, body }) => {
      const upload = await createTrack(ctx, body)
      const handed = handle(upload)
      return { ...handed, track: { ...shownTrack(ctx, upload.track), ...handed.track } }
    },
  },
)
