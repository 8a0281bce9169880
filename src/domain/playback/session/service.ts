import type { Context, Services } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import type { PageInput } from '../../../platform/schema/rules.ts'
import { inheritedPlayerColor } from '../../organization/inherit.ts'
import { withPlayerLevels } from '../../track/player.ts'
import { omittedInLists, trackWhere, withDomain } from '../../track/service.ts'
import { playableTypes } from '../../variant/types/index.ts'

/** A session with the records that can end it, and the levels of its player color. */
export const withLevels = {
  key: { select: { creatorId: true, revokedAt: true } },
  collection: { select: { playerColor: true, deletedAt: true } },
  track: {
    select: { playerColor: true, deletedAt: true, collection: { select: { playerColor: true, deletedAt: true } } },
  },
  organization: { select: { playerColor: true } },
} as const
export type PlaySessionWithLevels = Prisma.PlaySessionGetPayload<{ include: typeof withLevels }>

/** The player color of the track, else of the collection, else of the organization. */
export const findPlayerColor = ({ organization, collection, track }: PlaySessionWithLevels) =>
  inheritedPlayerColor(organization, collection ?? track?.collection, track ?? undefined)

/**
 * Returns the session of an ID, which is the credential.
 * @throws AppError `not_found`, also after its collection or track is deleted; `expired` after its end, and after the
 *   key that created it is revoked, so that a client knows to create a new one
 */
export async function getPlaySession(ctx: Services, id: string): Promise<PlaySessionWithLevels> {
  const session = await ctx.db.playSession.findUnique({ where: { id }, include: withLevels })
  const subjects = [session?.collection, session?.track, session?.track?.collection]
  if (!session || subjects.some((subject) => subject?.deletedAt)) throw notFound('playSessionId')
  if (session.expiresAt <= ctx.clock() || session.key?.revokedAt) {
    throw new AppError('expired', 'The play session has expired. Create a new one.')
  }
  return session
}

/** Undeleted tracks of a session, within the creator of its key. */
export const sessionTracksWhere = ({
  organizationId,
  collectionId,
  trackId,
  key,
}: PlaySessionWithLevels): Prisma.TrackWhereInput => ({
  ...trackWhere({ organizationId, collectionId, creatorId: key?.creatorId ?? null }),
  ...(trackId && { id: trackId }),
})

/** Finished files that a session plays. */
const playingFiles = ({ variants }: PlaySessionWithLevels): Prisma.TrackFileWhereInput => ({
  state: 'done',
  variant: {
    deletedAt: null,
    type: { in: playableTypes },
    ...(variants.length > 0 && { index: { in: variants, mode: 'insensitive' as const } }),
  },
})

/** Tracks that play. Tracks that are still processed can be requested by their IDs. */
const listedTracks = (session: PlaySessionWithLevels): Prisma.TrackWhereInput => ({
  AND: [sessionTracksWhere(session), { files: { some: playingFiles(session) } }],
})

/** @param query the part of the list, its order and the columns to read */
export const findPlayTracks = <Q extends Query<'Track'>>(ctx: Context, session: PlaySessionWithLevels, query: Q) =>
  ctx.lists.readMany('Track', { ...query, where: listedTracks(session) }, ctx.signal)

/** Tracks that are counted: the count needs no credential but the session. */
export const MAX_COUNTED_TRACKS = 1000

/** Returns the number of tracks that play, at most 1,000. */
export async function countPlayTracks(ctx: Context, session: PlaySessionWithLevels): Promise<number> {
  const query = { where: listedTracks(session), select: { id: true }, take: MAX_COUNTED_TRACKS } as const
  return (await ctx.lists.readMany('Track', query, ctx.signal)).length
}

/** The order of a collection. */
export const byPlace = [{ order: 'asc' as const }, { id: 'asc' as const }]

const withPlayer = {
  organization: { select: { ...withDomain.organization.select, ...withPlayerLevels.organization.select } },
  collection: withPlayerLevels.collection,
} as const

/**
 * Lists the tracks of a session that play, in the order of the collection.
 * @returns a page, and the number of tracks that play, at most 1,000
 */
export async function listPlayTracks(
  ctx: Context,
  session: PlaySessionWithLevels,
  { limit: take, offset: skip }: PageInput,
) {
  const [tracks, count] = await Promise.all([
    findPlayTracks(ctx, session, { take, skip, orderBy: byPlace, include: withPlayer, omit: omittedInLists }),
    countPlayTracks(ctx, session),
  ])
  return { tracks, count }
}
