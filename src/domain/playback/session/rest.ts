import type { Context } from '../../../platform/context.ts'
import { routes } from '../../../platform/rest.ts'
import { legibleColors } from '../../organization/colors.ts'
import { coverImageOf } from '../../organization/cover/public.ts'
import { shownFile, shownTrack } from '../../track/public.ts'
import { createPlaySession } from './open.ts'
import { downloadOf, getFirstPlayback, getPlayback, type Playback } from './playback.ts'
import { getPlaySession, listPlayTracks, type PlaySessionWithLevels, playerColorOf } from './service.ts'

const shown = (session: PlaySessionWithLevels) => ({
  id: session.id,
  creatorId: session.creatorId,
  organizationIndex: session.organizationIndex,
  metadata: session.metadata,
  variants: session.variants,
  isDownloadable: session.isDownloadable,
  expiresAt: session.expiresAt,
})

const shownPlayback = (ctx: Context, { track, files, levels, cover }: Playback) => ({
  trackId: track.id,
  track: shownTrack(ctx, track),
  levels: levels && shownFile(ctx, levels, track).data,
  variants: files.map((file) => shownFile(ctx, file, track)),
  coverImage: coverImageOf(ctx, track.organization, { ...track, own: cover }),
})

/** A session with its tracks, and with the first of them all that is needed to begin. */
async function wrapped(ctx: Context, session: PlaySessionWithLevels, query: object) {
  const [{ tracks, count }, first] = await Promise.all([
    listPlayTracks(ctx, session, query),
    getFirstPlayback(ctx, session),
  ])
  const playerColor = playerColorOf(session)
  return {
    playSessionId: session.id,
    playSession: shown(session),
    count,
    tracks: tracks.map((track) => shownTrack(ctx, track)),
    firstTrack: first && shownPlayback(ctx, first),
    playerColor,
    ...legibleColors(playerColor),
    expiresAt: session.expiresAt,
  }
}

/** Contract, section 3, Play sessions; `count`, `limit`, `offset` and the colours of the player are ours. */
export const playSessionRoutes = routes(
  {
    method: 'POST',
    path: '/play_session/:scope',
    auth: 'key',
    handle: async ({ ctx, params, body }) =>
      wrapped(ctx, await createPlaySession(ctx, { ...body, scope: params.scope }), {}),
  },
  {
    method: 'GET',
    path: '/play_session/:playSessionId',
    auth: 'none',
    handle: async ({ ctx, params, query }) =>
      wrapped(ctx, await getPlaySession(ctx, params.playSessionId ?? ''), query),
  },
  {
    method: 'GET',
    path: '/play/:playSessionId/:trackId',
    auth: 'none',
    handle: async ({ ctx, params }) => {
      const session = await getPlaySession(ctx, params.playSessionId ?? '')
      const playback = await getPlayback(ctx, session, params.trackId ?? '')
      return { playSessionId: session.id, playSession: shown(session), ...shownPlayback(ctx, playback) }
    },
  },
  {
    method: 'GET',
    path: '/play/:playSessionId/:trackId/:variantIndex/download',
    auth: 'none',
    handle: async ({ ctx, params }) => {
      const session = await getPlaySession(ctx, params.playSessionId ?? '')
      const playback = await getPlayback(ctx, session, params.trackId ?? '')
      const { file, url, expiresAt } = downloadOf(ctx, playback, params.variantIndex ?? '')
      const { variant } = shownFile(ctx, file, playback.track)
      return { playSessionId: session.id, trackId: playback.track.id, download: { variant, url, expiresAt } }
    },
  },
)
