import { z } from 'zod'
import { toSnake } from '../../platform/case.ts'
import { AppError } from '../../platform/errors.ts'
import { type LiveEvent, liveEvents } from '../../platform/http/live-events.ts'
import { anyObject, route } from '../../platform/http/rest.ts'
import { id, text, url } from '../../platform/schema/fields.ts'
import { parse } from '../../platform/schema/parse.ts'
import { restShape, toRest } from '../../platform/schema/record.ts'
import { toRestTrack, trackShape } from '../track/public.ts'
import { createTrackInput, newTrackInput, trackId } from '../track/record.ts'
import { replacementFields, replacementShape, replaceRecordingInput } from '../track/replacement/record.ts'
import { toRestReplacement } from '../track/replacement/rest.ts'
import { coverUploadShape, trackUploadShape } from '../upload-address/handle.ts'
import { followSession, readSessionTracks, type SessionTrack } from './follow.ts'
import {
  createUploadSessionInput,
  sessionColorFields,
  sessionTrackShape,
  uploadSessionFields,
  uploadSessionId,
  uploadSessionShape,
} from './record.ts'
import { replaceRecording } from './replace.ts'
import {
  createTrack,
  createUploadSession,
  createUploadTrack,
  getUploadSession,
  type SessionWithColors,
  sessionColors,
  type TrackUpload,
} from './service.ts'

const sessionAnswer = z.object({
  uploadSessionId: uploadSessionFields.id.restShape,
  uploadSession: uploadSessionShape,
  ...restShape(sessionColorFields),
  expiresAt: uploadSessionFields.expiresAt.restShape,
})
const wrappedSession = (session: SessionWithColors): z.input<typeof sessionAnswer> => ({
  uploadSessionId: session.id,
  uploadSession: toRest(uploadSessionFields, session),
  ...sessionColors(session),
  expiresAt: session.expiresAt,
})

const toRestSessionTrack = ({ status, isFinal: _, isDeleted: __, ...track }: SessionTrack) => ({
  ...track,
  trackStatusId: status,
})

/** The events of `followUploadSession`. */
function toEvent(state: SessionTrack | AppError): LiveEvent {
  if (state instanceof AppError) return { type: 'end', data: { code: state.code, message: state.messageFor(toSnake) } }
  if (state.isDeleted) return { type: 'deleted', data: { trackId: state.trackId } }
  return { type: 'track', data: toRestSessionTrack(state) }
}

/** Fields of the handle that differ from those of a track. */
const handleFields = {
  id: id({ description: 'ID of the track.' }).restShape,
  index: text({ description: 'Short, URL-safe ID. Unique in the organization.', example: 'Ab3dE5gH1j' }).restShape,
  path: text({ description: 'Path of its files in the storage.', example: '0199c3f0/0199c3f1/Ab3dE5gH1j' }).restShape,
  uploadUrl: url({
    description: 'Signed URL that takes the recording, as in `track_upload`.',
    example: 'https://edge.example.com/upload/track/1',
  }).restShape,
}
/** Specification, section 2, Track upload handle. */
const handleAnswer = z.object({
  trackId: id({ description: 'ID of the new track.' }).restShape,
  track: z.object(handleFields).meta({ id: 'TrackHandle', description: 'A new track.' }),
  trackUpload: trackUploadShape,
  trackCoverUpload: coverUploadShape,
})
const wrappedHandle = ({ track, trackUpload, trackCoverUpload }: TrackUpload): z.input<typeof handleAnswer> => ({
  trackId: track.id,
  track: { id: track.id, index: track.index, path: track.basePath, uploadUrl: trackUpload.uploadUrl },
  trackUpload,
  trackCoverUpload,
})

/** Specification, section 4, Upload sessions. */
export const uploadRoutes = [
  route({
    method: 'POST',
    path: '/upload_session',
    auth: 'key',
    isRequestIdLeftOut: true,
    keys: ['api', 'uploader'],
    operation: 'createUploadSession',
    summary: 'Creates an upload session, and its first track if the body contains one.',
    description: 'It ends at the latest when its key expires or is revoked.',
    body: createUploadSessionInput,
    answer: sessionAnswer.extend(handleAnswer.partial().shape),
    fails: ['not_found'],
    handle: async ({ ctx, body }) => {
      const { session, upload } = await createUploadSession(ctx, body)
      return { ...wrappedSession(session), ...(upload && wrappedHandle(upload)) }
    },
  }),
  route({
    method: 'GET',
    path: '/upload_session/:uploadSessionId',
    auth: 'none',
    isRequestIdLeftOut: true,
    operation: 'getUploadSession',
    summary: 'Returns an upload session, and the state of its tracks.',
    description:
      'The ID of the session is the credential, so that a page follows its own upload without a key. `tracks` are the ' +
      'newest 500, newest first.',
    params: uploadSessionId,
    answer: sessionAnswer.extend({
      tracks: z.array(sessionTrackShape).describe('The tracks that were created in the session, newest first.'),
    }),
    fails: ['expired'],
    handle: async ({ ctx, params }) => {
      const session = await getUploadSession(ctx, params.uploadSessionId)
      return { ...wrappedSession(session), tracks: (await readSessionTracks(ctx, session.id)).map(toRestSessionTrack) }
    },
  }),
  route({
    method: 'GET',
    path: '/upload_session/:uploadSessionId/events',
    auth: 'none',
    operation: 'followUploadSession',
    summary: 'Streams the state of the tracks of an upload session.',
    description:
      'Server-sent events, for `EventSource` of a browser. It starts with the current states, then sends each change; the ' +
      'same state may be sent again after a reconnection. The type of an event is `track`, with a track as in `tracks` of ' +
      '`GET /v1/upload_session/{upload_session_id}`; `deleted`, with `track_id`; or `end`, with `code` and `message`, when ' +
      'the session expires or is deleted. A connection that breaks off for any other reason is to be opened again.',
    params: uploadSessionId,
    answer: z.object({}),
    streamType: 'text/event-stream',
    fails: ['expired', 'rate_limited'],
    handle: async ({ ctx, params }) => liveEvents(await followSession(ctx, params.uploadSessionId), toEvent),
  }),
  route({
    method: 'POST',
    path: '/upload/:uploadSessionId/track',
    auth: 'none',
    operation: 'createUploadTrack',
    summary: 'Creates a track in a session. Called once per file.',
    params: uploadSessionId,
    // The session is the credential: an unknown one is refused before an invalid body.
    body: anyObject,
    documentedBody: newTrackInput,
    answer: handleAnswer.extend({
      uploadSessionId: uploadSessionFields.id.restShape,
      uploadSession: uploadSessionShape,
    }),
    fails: ['expired'],
    handle: async ({ ctx, params, body }) => {
      const session = await getUploadSession(ctx, params.uploadSessionId)
      const upload = await createUploadTrack(ctx, session, parse(newTrackInput, body))
      return {
        uploadSessionId: session.id,
        ...wrappedHandle(upload),
        uploadSession: toRest(uploadSessionFields, session),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/track',
    auth: 'key',
    operation: 'createTrack',
    summary: 'Creates a track outside a session.',
    body: createTrackInput,
    answer: handleAnswer.extend({
      track: trackShape
        .extend(handleFields)
        .meta({ id: 'NewTrack', description: 'A new track, and the URL that takes its recording.' }),
    }),
    fails: ['not_found'],
    handle: async ({ ctx, body }) => {
      const upload = await createTrack(ctx, body)
      const handle = wrappedHandle(upload)
      return { ...handle, track: { ...toRestTrack(ctx, upload.track), ...handle.track } }
    },
  }),
  route({
    method: 'POST',
    path: '/track/:trackId/recording',
    auth: 'key',
    operation: 'replaceRecording',
    summary: 'Begins to replace the recording of a track.',
    description:
      'Returns an address that takes the new recording as that of a new track: by PUT, tus, or from `source_url`. ' +
      'Listeners get the recording that the track has until the new one is ready; then all files change at once. A ' +
      'recording that cannot be used leaves the track as it is. Addresses, keys, names, metadata, chapters and plays stay. ' +
      'A replacement that had begun before ends, and its address answers 404.',
    params: trackId,
    body: replaceRecordingInput,
    answer: z.object({
      trackId: id({ description: 'ID of the track.' }).restShape,
      replacementId: replacementFields.id.restShape,
      replacement: replacementShape,
      trackUpload: trackUploadShape,
    }),
    fails: ['track_processing'],
    handle: async ({ ctx, params, body }) => {
      const { replacement, trackUpload } = await replaceRecording(ctx, params.trackId, body)
      return {
        trackId: params.trackId,
        replacementId: replacement.id,
        replacement: toRestReplacement(replacement),
        trackUpload,
      }
    },
  }),
]
