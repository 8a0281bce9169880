import { z } from 'zod'
import { route } from '../../../platform/http/rest.ts'
import * as shape from '../../../platform/schema/shape.ts'
import { fileShape } from '../../track/file/public.ts'
import { toRestFile } from '../../track/public.ts'
import { createPlaySession } from './open.ts'
import { downloadOf, getPlayback } from './playback.ts'
import {
  playbackShape,
  playSessionAnswer,
  playSessionShape,
  toRestPlayback,
  toRestPlaySession,
  wrappedPlaySession,
} from './public.ts'
import { createPlaySessionBody, listPlayTracksInput, playParams, playScope, playSessionId } from './schema.ts'
import { getPlaySession } from './service.ts'

const sessionId = shape.id('The session.')

/** Contract, section 3, Play sessions; `count`, `limit`, `offset` and the colours of the player are ours. */
export const playSessionRoutes = [
  route({
    method: 'POST',
    path: '/play_session/:scope',
    auth: 'key',
    keys: ['api', 'player'],
    operation: 'createPlaySession',
    summary: 'Opens a play session.',
    description: 'A key that is limited to a collection or a track implies it.',
    params: playScope,
    body: createPlaySessionBody,
    answer: playSessionAnswer,
    handle: async ({ ctx, params, body }) =>
      wrappedPlaySession(ctx, await createPlaySession(ctx, { ...body, scope: params.scope }), {}),
  }),
  route({
    method: 'GET',
    path: '/play_session/:playSessionId',
    auth: 'none',
    operation: 'getPlaySession',
    summary: 'A play session with its tracks.',
    params: playSessionId,
    query: listPlayTracksInput,
    answer: playSessionAnswer,
    fails: ['expired'],
    handle: async ({ ctx, params, query }) =>
      wrappedPlaySession(ctx, await getPlaySession(ctx, params.playSessionId ?? ''), query),
  }),
  route({
    method: 'GET',
    path: '/play/:playSessionId/:trackId',
    auth: 'none',
    operation: 'getPlayback',
    summary: 'All that a player needs for one track.',
    params: playParams.omit({ variantIndex: true }),
    answer: playbackShape.extend({ playSessionId: sessionId, playSession: playSessionShape }),
    fails: ['expired'],
    handle: async ({ ctx, params }) => {
      const session = await getPlaySession(ctx, params.playSessionId ?? '')
      const playback = await getPlayback(ctx, session, params.trackId ?? '')
      return { playSessionId: session.id, playSession: toRestPlaySession(session), ...toRestPlayback(ctx, playback) }
    },
  }),
  route({
    method: 'GET',
    path: '/play/:playSessionId/:trackId/:variantIndex/download',
    auth: 'none',
    operation: 'getDownload',
    summary: 'An address that makes a browser save a file.',
    params: playParams,
    answer: z.object({
      playSessionId: sessionId,
      trackId: shape.id('The track.'),
      download: z.object({
        variant: fileShape.shape.variant,
        url: shape.url('Signed now.', 'https://cdn.example.com/0199c3f0/song_hq.m4a?download=1&verify=1777887000-x'),
        expiresAt: shape.time('When the address ends.'),
      }),
    }),
    fails: ['expired', 'forbidden'],
    handle: async ({ ctx, params }) => {
      const session = await getPlaySession(ctx, params.playSessionId ?? '')
      const playback = await getPlayback(ctx, session, params.trackId ?? '')
      const { file, url, expiresAt } = downloadOf(ctx, playback, params.variantIndex ?? '')
      const { variant } = toRestFile(ctx, file, playback.track)
      return { playSessionId: session.id, trackId: playback.track.id, download: { variant, url, expiresAt } }
    },
  }),
]
