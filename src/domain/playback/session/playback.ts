import type { Context, Services } from '../../../platform/context.ts'
import type { Prisma, VariantType } from '../../../platform/db/generated/client/client.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { isSameIndex } from '../../access/key/variants.ts'
import { downloadUrl } from '../../delivery/address.ts'
import { DELIVERY_SECONDS } from '../../delivery/token.ts'
import { capturedSpan } from '../../track/file/captured.ts'
import { withPlayerLevels } from '../../track/player.ts'
import { type FileWithVariant, finishedFiles, withDomain } from '../../track/service.ts'
import { playableTypes } from '../../variant/types/index.ts'
import { type PlaylistForm, playlistUrl } from '../adaptive-grant.ts'
import { createListeningUrl } from '../listening/address.ts'
import { byPlace, findPlayTracks, type PlaySessionWithLevels, sessionTracksWhere } from './service.ts'

const coverColumns = { cover: true, isCoverOverridable: true } as const
/** Loads the files and the records above a track that its playback derives from. */
export const withPlayback = {
  organization: {
    select: { ...withDomain.organization.select, ...withPlayerLevels.organization.select, ...coverColumns },
  },
  collection: { select: { ...withPlayerLevels.collection.select, ...coverColumns } },
  files: {
    where: finishedFiles([...playableTypes, 'levels', 'cover']),
    include: { variant: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  },
} satisfies Prisma.TrackInclude
type TrackWithPlayback = Prisma.TrackGetPayload<{ include: typeof withPlayback }>

/** The data that a player needs to play one track. */
export interface Playback {
  session: PlaySessionWithLevels
  track: TrackWithPlayback
  /** In the order of the session. By default whole recordings first, then by age of the variant. */
  files: FileWithVariant[]
  /** The newest finished levels file. Null until processed. */
  levels: FileWithVariant | null
  /** `data` of the cover file of the track. Null without one. */
  cover: unknown
}

/**
 * Returns the playback of a track. A track that is being processed has the files that are finished.
 * @throws AppError `not_found` for a track that is not in the session
 */
export async function getPlayback(ctx: Context, session: PlaySessionWithLevels, id: string): Promise<Playback> {
  const where = { AND: [sessionTracksWhere(session), { id }] }
  const track = await ctx.reader.readFirst('Track', { where, include: withPlayback }, ctx.signal)
  if (!track) throw notFound('trackId')
  return toPlayback(session, track)
}

/** Returns the playback of the first track that plays, or null. */
export async function getFirstPlayback(ctx: Context, session: PlaySessionWithLevels): Promise<Playback | null> {
  const [track] = await findPlayTracks(ctx, session, { take: 1, orderBy: byPlace, include: withPlayback })
  return track ? toPlayback(session, track) : null
}

function toPlayback(session: PlaySessionWithLevels, track: TrackWithPlayback): Playback {
  const newest = (type: VariantType) => track.files.find(({ variant }) => variant.type === type) ?? null
  const files = listPlayingFiles(session, track.files)
  return { session, track, files, levels: newest('levels'), cover: newest('cover')?.data ?? null }
}

/** The files that a session plays, in its order. */
export function listPlayingFiles(
  { variants }: PlaySessionWithLevels,
  files: readonly FileWithVariant[],
): FileWithVariant[] {
  const playing = files.filter(({ variant }) => playableTypes.includes(variant.type))
  if (variants.length > 0)
    return variants.flatMap((index) => playing.filter(({ variant }) => isSameIndex(variant.index, index)))
  const age = ({ variant }: FileWithVariant) => variant.createdAt.getTime()
  const rank = ({ variant }: FileWithVariant) => playableTypes.indexOf(variant.type)
  return playing.sort((a, b) => rank(a) - rank(b) || age(a) - age(b) || (a.variantId < b.variantId ? -1 : 1))
}

/**
 * Returns the address of the first adaptive stream of a playback, which is valid as long as the session. Null without
 * one.
 */
export function adaptiveUrl(ctx: Services, { session, track, files }: Playback, form: PlaylistForm): string | null {
  if (!files.some(({ variant }) => variant.type === 'adaptive')) return null
  const expires = Math.ceil(session.expiresAt.getTime() / 1000)
  return playlistUrl(ctx, { kind: 'session', id: session.id, trackId: track.id, expires }, form)
}

/** Returns the address at which a player reports what is heard. Null unless the session plays a file of the whole recording. */
export const listeningUrl = (ctx: Services, { session, track, files }: Playback): string | null =>
  files.some((file) => capturedSpan(file) === null) ? createListeningUrl(ctx, track, session.id) : null

/** A file and a signed URL that makes a browser save it. */
export interface PlaybackDownload {
  file: FileWithVariant
  url: string
  /** End of the signed URL. */
  expiresAt: Date
}

/**
 * Returns the download of one file of a playback.
 * @throws AppError `forbidden` unless the session is downloadable; `not_found` for a variant that it does not play
 */
export function createDownload(ctx: Services, { session, track, files }: Playback, index: string): PlaybackDownload {
  if (!session.isDownloadable) throw new AppError('forbidden', 'The play session does not allow downloads.')
  const file = files.find(({ variant }) => isSameIndex(variant.index, index))
  if (!file?.path) throw notFound('variantIndex')
  const issuedMs = Math.floor(ctx.clock().getTime() / 1000) * 1000
  const url = downloadUrl(ctx, track.organization, file.path)
  return { file, url, expiresAt: new Date(issuedMs + DELIVERY_SECONDS * 1000) }
}
