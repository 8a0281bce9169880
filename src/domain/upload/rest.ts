import { anyObject, route } from '../../platform/http/rest.ts'
import * as shape from '../../platform/schema/shape.ts'
import { toRestTrack, trackShape } from '../track/public.ts'
import { createTrackInput, newTrackInput } from '../track/record.ts'
import {
  handleAnswer,
  handleFields,
  sessionAnswer,
  sessionShape,
  toRestHandle,
  toRestSession,
  wrappedSession,
} from './public.ts'
import { createUploadSessionInput, uploadSessionId } from './schema.ts'
import { createTrack, createUploadSession, createUploadTrack, getUploadSession } from './service.ts'

/** Specification, section 4, Upload sessions. */
export const uploadRoutes = [
  route({
    method: 'POST',
    path: '/upload_session',
    auth: 'key',
    isRequestIdLeftOut: true,
    keys: ['api', 'uploader'],
    operation: 'createUploadSession',
    summary: 'Creates an upload session, and with `track` its first track.',
    body: createUploadSessionInput,
    answer: sessionAnswer.extend(handleAnswer.partial().shape),
    fails: ['not_found'],
    handle: async ({ ctx, body }) => {
      const { session, upload } = await createUploadSession(ctx, body)
      return { ...wrappedSession(session), ...(upload && toRestHandle(upload)) }
    },
  }),
  route({
    method: 'GET',
    path: '/upload_session/:uploadSessionId',
    auth: 'none',
    isRequestIdLeftOut: true,
    operation: 'getUploadSession',
    summary: 'One upload session.',
    params: uploadSessionId,
    answer: sessionAnswer,
    fails: ['expired'],
    handle: async ({ ctx, params }) => wrappedSession(await getUploadSession(ctx, params.uploadSessionId ?? '')),
  }),
  route({
    method: 'POST',
    path: '/upload/:uploadSessionId/track',
    auth: 'none',
    operation: 'createUploadTrack',
    summary: 'Creates one track in a session, once per file.',
    params: uploadSessionId,
    // The session is the credential: an unknown one is reported before a broken rule.
    body: anyObject,
    documentedBody: newTrackInput,
    answer: handleAnswer.extend({
      uploadSessionId: shape.id('The session.'),
      uploadSession: sessionShape,
    }),
    fails: ['expired'],
    handle: async ({ ctx, params, body }) => {
      const { session, upload } = await createUploadTrack(ctx, params.uploadSessionId ?? '', body)
      return { uploadSessionId: session.id, ...toRestHandle(upload), uploadSession: toRestSession(session) }
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
        .meta({ id: 'NewTrack', description: 'A new track, and where it is sent.' }),
    }),
    fails: ['not_found'],
    handle: async ({ ctx, body }) => {
      const upload = await createTrack(ctx, body)
      const handed = toRestHandle(upload)
      return { ...handed, track: { ...toRestTrack(ctx, upload.track), ...handed.track } }
    },
  }),
]
