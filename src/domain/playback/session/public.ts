import { z } from 'zod'
import type { Context } from '../../../platform/context.ts'
import * as shape from '../../../platform/schema/shape.ts'
import { legibleColors } from '../../organization/colors.ts'
import { coverImageOf, coverShape } from '../../organization/cover/public.ts'
import { fileShape, levelsShape } from '../../track/file/public.ts'
import { effectivePlayer, type PlayerLevels } from '../../track/player.ts'
import { toListedTrack, toRestFile, toRestTrack, trackShape } from '../../track/public.ts'
import { type ListedTrack, omittedInLists, type TrackWithDomain } from '../../track/service.ts'
import { getFirstPlayback, type Playback } from './playback.ts'
import { listPlayTracks, type PlaySessionWithLevels, playerColorOf } from './service.ts'

/** Contract, section 3, Play sessions. */
export const playSessionShape = z
  .object({
    id: shape.id('Random: who knows it may listen.'),
    creatorId: shape.id('The creator that it belongs to, if one.').nullable(),
    organizationIndex: shape.text('Your own identifier.', 'visit-88').nullable(),
    metadata: shape.metadata(),
    variants: z
      .array(shape.text('Index of a variant.', 'hq'))
      .meta({ description: 'What it hands out, in this order; empty: all that plays.' }),
    isDownloadable: shape.flag('Whether files may be downloaded.'),
    expiresAt: shape.time('Nothing can be played after.'),
  })
  .meta({ id: 'PlaySession', description: 'For listening to a collection or a track.' })

/** A play session as /v1 shows it. */
export const toRestPlaySession = (session: PlaySessionWithLevels): z.input<typeof playSessionShape> => ({
  id: session.id,
  creatorId: session.creatorId,
  organizationIndex: session.organizationIndex,
  metadata: session.metadata,
  variants: session.variants,
  isDownloadable: session.isDownloadable,
  expiresAt: session.expiresAt,
})

/** The player values of a track as they apply, never null (contract, section 3). */
const effectiveShape = {
  playerTitle: shape.text("The track's, else the title tag of the recording, else its file name.", 'A song'),
  playerSubtitle: shape.text("The track's, else the artist tag, else the collection's; may be empty.", 'A band'),
  playerColor: shape.color("The track's, else the collection's, else the organization's."),
  playerColorLight: shape.color('Derived from `player_color`, legible on light backgrounds.'),
  playerColorDark: shape.color('Derived from `player_color`, legible on dark backgrounds.'),
}
const playTrackShape = trackShape
  .extend(effectiveShape)
  .meta({ id: 'PlayTrack', description: 'A track with the player values that apply to it.' })
const listedPlayTrackShape = playTrackShape
  .omit(omittedInLists)
  .meta({ id: 'ListedPlayTrack', description: 'A track of a play session: without its transcription.' })

const toPlayTrack = (ctx: Context, track: TrackWithDomain & PlayerLevels): z.input<typeof playTrackShape> => ({
  ...toRestTrack(ctx, track),
  ...effectivePlayer(track),
})
const toListedPlayTrack = (ctx: Context, track: ListedTrack & PlayerLevels): z.input<typeof listedPlayTrackShape> => ({
  ...toListedTrack(ctx, track),
  ...effectivePlayer(track),
})

/** All that a player needs for one track. */
export const playbackShape = z.object({
  trackId: shape.id('The track.'),
  track: playTrackShape,
  levels: shape.stored(levelsShape.nullable(), 'Loudness over time, for drawing; null until it is known.'),
  variants: z.array(fileShape).meta({ description: 'Files that play, in the order asked for.' }),
  coverImage: coverShape.nullable().meta({ description: 'Its own or an inherited one; null where there is none.' }),
})

export const toRestPlayback = (
  ctx: Context,
  { track, files, levels, cover }: Playback,
): z.input<typeof playbackShape> => ({
  trackId: track.id,
  track: toPlayTrack(ctx, track),
  levels: levels && toRestFile(ctx, levels, track).data,
  variants: files.map((file) => toRestFile(ctx, file, track)),
  coverImage: coverImageOf(ctx, track.organization, { ...track, own: cover }),
})

export const playSessionAnswer = z.object({
  playSessionId: shape.id('The session: its id is the credential.'),
  playSession: playSessionShape,
  count: shape.count(),
  tracks: z.array(listedPlayTrackShape).meta({ description: 'By their place in the collection.' }),
  firstTrack: playbackShape.meta({ id: 'FirstTrack', description: 'The first that plays.' }).nullable(),
  playerColor: effectiveShape.playerColor,
  playerColorLight: effectiveShape.playerColorLight,
  playerColorDark: effectiveShape.playerColorDark,
  expiresAt: shape.time('Nothing can be played after.'),
})

/** A session with its tracks, and with the first of them all that is needed to begin. */
export async function wrappedPlaySession(
  ctx: Context,
  session: PlaySessionWithLevels,
  query: object,
): Promise<z.input<typeof playSessionAnswer>> {
  const [{ tracks, count }, first] = await Promise.all([
    listPlayTracks(ctx, session, query),
    getFirstPlayback(ctx, session),
  ])
  const playerColor = playerColorOf(session)
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
