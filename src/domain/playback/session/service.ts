import type { Context, Services } from '../../../platform/context.ts'
import type { Prisma, VariantType } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { parse } from '../../../platform/schema/input.ts'
import { inheritedPlayerColor } from '../../organization/inherit.ts'
import { withPlayerLevels } from '../../track/player.ts'
import { omittedInLists, trackWhere, withDomain } from '../../track/service.ts'
import { listPlayTracksInput, playSessionId } from './schema.ts'

/** A session with what ends it, and the colours that its player is drawn in. */
export const withLevels = {
  key: { select: { creatorId: true, revokedAt: true } },
  collection: { select: { playerColor: true, deletedAt: true } },
  track: { select: { playerColor: true, deletedAt: true, collection: { select: { playerColor: true } } } },
  organization: { select: { playerColor: true } },
} as const
export type PlaySessionWithLevels = Prisma.PlaySessionGetPayload<{ include: typeof withLevels }>

/** The colour that a session's player is drawn in: the track's, else the collection's, else the organization's. */
export const playerColorOf = ({ organization, collection, track }: PlaySessionWithLevels) =>
  inheritedPlayerColor(organization, collection ?? track?.collection, track ?? undefined)

/** Kinds of files that play, whole recordings first. */
export const playingTypes: readonly VariantType[] = ['transcode', 'preview']

/**
 * The session of an id, which is its own credential.
 * @throws AppError `not_found`, also once its collection or track is deleted; `expired` after its end and once the key
 *   that opened it is revoked: whoever may renew it finds out so
 */
export async function getPlaySession(ctx: Services, id: string): Promise<PlaySessionWithLevels> {
  const parsed = parse(playSessionId, { playSessionId: id })
  const session = await ctx.db.playSession.findUnique({ where: { id: parsed.playSessionId }, include: withLevels })
  if (!session || (session.collection ?? session.track)?.deletedAt) throw notFound('playSessionId')
  if (session.expiresAt <= ctx.clock() || session.key?.revokedAt) {
    throw new AppError('expired', 'The play session has expired. Create a new one.')
  }
  return session
}

/** Undeleted tracks of a session; of a key that knows one creator's alone, theirs. */
export const tracksOf = ({
  organizationId,
  collectionId,
  trackId,
  key,
}: PlaySessionWithLevels): Prisma.TrackWhereInput => ({
  ...trackWhere({ organizationId, collectionId, creatorId: key?.creatorId ?? null }),
  ...(trackId && { id: trackId }),
})

/** Finished files that a session hands out. */
const playingFiles = ({ variants }: PlaySessionWithLevels): Prisma.TrackFileWhereInput => ({
  state: 'done',
  variant: {
    deletedAt: null,
    type: { in: [...playingTypes] },
    ...(variants.length > 0 && { index: { in: variants, mode: 'insensitive' as const } }),
  },
})

/** What a player lists: tracks of which something plays already. Others are asked for by their ids. */
const listedTracks = (session: PlaySessionWithLevels): Prisma.TrackWhereInput => ({
  AND: [tracksOf(session), { files: { some: playingFiles(session) } }],
})

/** A session's tracks that play. `query` says which part of the list, in which order, and what of each. */
export const findPlayTracks = <Q extends Query<'Track'>>(ctx: Context, session: PlaySessionWithLevels, query: Q) =>
  ctx.reader.readMany('Track', { ...query, where: listedTracks(session) }, ctx.signal)

export const countPlayTracks = (ctx: Context, session: PlaySessionWithLevels) =>
  ctx.reader.count('Track', listedTracks(session), ctx.signal)

/** From the first to the last of a collection. */
export const byPlace = [{ order: 'asc' as const }, { id: 'asc' as const }]

const withPlayer = {
  organization: { select: { ...withDomain.organization.select, ...withPlayerLevels.organization.select } },
  collection: withPlayerLevels.collection,
} as const

/**
 * A page of a session's tracks that play, in their order, and the number of all.
 * @param raw limit 1-200 (200), offset (0)
 */
export async function listPlayTracks(ctx: Context, session: PlaySessionWithLevels, raw: unknown) {
  const { limit: take, offset: skip } = parse(listPlayTracksInput, raw)
  const [tracks, count] = await Promise.all([
    findPlayTracks(ctx, session, { take, skip, orderBy: byPlace, include: withPlayer, omit: omittedInLists }),
    countPlayTracks(ctx, session),
  ])
  return { tracks, count }
}
