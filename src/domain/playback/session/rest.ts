import { z } from 'zod'
import type { Context } from '../../../platform/context.ts'
import { route } from '../../../platform/http/rest.ts'
import { toRest } from '../../../platform/schema/record.ts'
import type { PageInput } from '../../../platform/schema/rules.ts'
import { legibleColors } from '../../organization/colors.ts'
import { toCoverImage } from '../../organization/cover/public.ts'
import { effectivePlayer, type PlayerLevels } from '../../track/player.ts'
import { toListedTrack, toRestFile, toRestTrack } from '../../track/public.ts'
import type { ListedTrack, TrackWithDomain } from '../../track/service.ts'
import { createPlaySession } from './open.ts'
import { adaptiveUrl, createDownload, getFirstPlayback, getPlayback, listeningUrl, type Playback } from './playback.ts'
import {
  createPlaySessionBody,
  downloadShape,
  firstPage,
  type listedPlayTrackShape,
  listPlayTracksInput,
  playbackShape,
  playParams,
  playScope,
  playSessionAnswer,
  playSessionFields,
  playSessionId,
  playSessionShape,
  type playTrackShape,
} from './record.ts'
import { findPlayerColor, getPlaySession, listPlayTracks, type PlaySessionWithLevels } from './service.ts'

const toPlayTrack = (ctx: Context, track: TrackWithDomain & PlayerLevels): z.input<typeof playTrackShape> => ({
  ...toRestTrack(ctx, track),
  ...effectivePlayer(track),
})
const toListedPlayTrack = (ctx: Context, track: ListedTrack & PlayerLevels): z.input<typeof listedPlayTrackShape> => ({
  ...toListedTrack(ctx, track),
  ...effectivePlayer(track),
})

const toRestPlaySession = (session: PlaySessionWithLevels): z.input<typeof playSessionShape> => ({
  ...toRest(playSessionFields, session),
  variants: session.variants,
})

const toRestPlayback = (ctx: Context, playback: Playback): z.input<typeof playbackShape> => {
  const { track, files, levels, cover } = playback
  return {
    trackId: track.id,
    track: toPlayTrack(ctx, track),
    levels: levels && toRestFile(ctx, levels, track).data,
    variants: files.map((file) => toRestFile(ctx, file, track)),
    hlsUrl: adaptiveUrl(ctx, playback, 'm3u8'),
    dashUrl: adaptiveUrl(ctx, playback, 'mpd'),
    listeningUrl: listeningUrl(ctx, playback),
    coverImage: toCoverImage(ctx, track.organization, { ...track, trackCover: cover }),
  }
}

/** A session with a page of its tracks, and with the data to play the first one. */
async function wrapped(
  ctx: Context,
  session: PlaySessionWithLevels,
  page: PageInput,
): Promise<z.input<typeof playSessionAnswer>> {
  const [{ tracks, count }, first] = await Promise.all([
    listPlayTracks(ctx, session, page),
    getFirstPlayback(ctx, session),
  ])
  const playerColor = findPlayerColor(session)
  return {
    playSessionId: session.id,
    playSession: toRestPlaySession(session),
    count,
    tracks: tracks.map((track) => toListedPlayTrack(ctx, track)),
    firstTrack: first && toRestPlayback(ctx, first),
    playerColor,
    ...legibleColors(playerColor),
    expiresAt: session.expiresAt,
  }
}

const sessionId = playSessionFields.id.restShape

/** Contract, section 3, Play sessions. `count`, `limit`, `offset` and the player colors are extensions. */
export const playSessionRoutes = [
  route({
    method: 'POST',
    path: '/play_session/:scope',
    auth: 'key',
    keys: ['api', 'player'],
    operation: 'createPlaySession',
    summary: 'Creates a play session.',
    description: 'It ends at the latest when its key expires or is revoked.',
    params: playScope,
    body: createPlaySessionBody,
    answer: playSessionAnswer,
    handle: async ({ ctx, params, body }) =>
      wrapped(ctx, await createPlaySession(ctx, { ...body, scope: params.scope }), firstPage),
  }),
  route({
    method: 'GET',
    path: '/play_session/:playSessionId',
    auth: 'none',
    operation: 'getPlaySession',
    summary: 'Returns a play session with its tracks.',
    params: playSessionId,
    query: listPlayTracksInput,
    answer: playSessionAnswer,
    fails: ['expired'],
    handle: async ({ ctx, params, query }) => wrapped(ctx, await getPlaySession(ctx, params.playSessionId), query),
  }),
  route({
    method: 'GET',
    path: '/play/:playSessionId/:trackId',
    auth: 'none',
    operation: 'getPlayback',
    summary: 'Returns the data that a player needs to play one track.',
    params: playParams.omit({ variantIndex: true }),
    answer: playbackShape.extend({ playSessionId: sessionId, playSession: playSessionShape }),
    fails: ['expired'],
    handle: async ({ ctx, params }) => {
      const session = await getPlaySession(ctx, params.playSessionId)
      const playback = await getPlayback(ctx, session, params.trackId)
      return { playSessionId: session.id, playSession: toRestPlaySession(session), ...toRestPlayback(ctx, playback) }
    },
  }),
  route({
    method: 'GET',
    path: '/play/:playSessionId/:trackId/:variantIndex/download',
    auth: 'none',
    operation: 'getDownload',
    summary: 'Returns a signed URL that makes a browser save a file.',
    params: playParams,
    answer: z.object({ playSessionId: sessionId, trackId: playbackShape.shape.trackId, download: downloadShape }),
    fails: ['expired', 'forbidden'],
    handle: async ({ ctx, params }) => {
      const session = await getPlaySession(ctx, params.playSessionId)
      const playback = await getPlayback(ctx, session, params.trackId)
      const { file, url, expiresAt } = createDownload(ctx, playback, params.variantIndex)
      const { variant } = toRestFile(ctx, file, playback.track)
      return { playSessionId: session.id, trackId: playback.track.id, download: { variant, url, expiresAt } }
    },
  }),
]
