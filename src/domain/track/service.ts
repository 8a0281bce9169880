import type { Context, Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import { Prisma, type Track, type VariantType } from '../../platform/db/generated/client/client.ts'
import { insertion, insertRow, newRow } from '../../platform/db/query/insert.ts'
import type { Query, Reader } from '../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { createdWithin, newestFirst } from '../../platform/schema/conditions.ts'
import { randomBase62 } from '../access/key/key.ts'
import { readScope, type Scope, writeScope } from '../access/viewer.ts'
import { matchesSearch } from '../collection/search.ts'
import { getCollection } from '../collection/service.ts'
import { lockedCreator } from '../creator/service.ts'
import { deliveryRoot } from '../delivery/address.ts'
import { endOfDeliveries } from '../delivery/known-files.ts'
import { safeFileName } from '../delivery/name.ts'
import type { ChapterInput } from './chapter/record.ts'
import type { ListTracks, TrackFilter, UpdateTrack } from './record.ts'

/**
 * Undeleted tracks within a scope. Those of a deleted collection are deleted a little later than it, and left out at once.
 * Rows with another recording of a track are no tracks (decision 0070).
 */
export function trackWhere(scope: Scope): Prisma.TrackWhereInput {
  return {
    organizationId: scope.organizationId,
    deletedAt: null,
    replacesId: null,
    collection: { deletedAt: null },
    ...(scope.collectionId && { collectionId: scope.collectionId }),
    ...(scope.creatorId && { creatorId: scope.creatorId }),
  }
}

/** A track within a scope. */
export const oneTrackWhere = (scope: Scope, id: string): Prisma.TrackWhereInput => ({
  AND: [trackWhere(scope), { id }],
})

/** Loads the delivery settings that a track's addresses derive from. */
export const withDomain = { organization: { select: { domain: true, signingSecrets: true } } } as const
export type TrackWithDomain = Prisma.TrackGetPayload<{ include: typeof withDomain }>

/** Field that lists of /v1 leave out: up to 512 KiB of text per track (contract, section 3). */
export const unlistedFields = { transcription: true } as const
/** Columns that they do not read: /v1 does not show them. */
export const omittedInLists = {
  ...unlistedFields,
  chapters: true,
  sourceChapters: true,
  sourceTags: true,
  quality: true,
  description: true,
  searchText: true,
  titleKey: true,
  artistKey: true,
} as const
export type ListedTrack = Omit<TrackWithDomain, keyof typeof omittedInLists>

/** Files that are shown and delivered: not those of deleted variants. */
export const undeletedFiles = { variant: { deletedAt: null } } as const
/** Undeleted files of some types that are finished, so that they have bytes. Defaults to all types. */
export const finishedFiles = (types?: VariantType[]) =>
  ({
    state: 'done',
    variant: { deletedAt: null, ...(types && { type: { in: types } }) },
  }) satisfies Prisma.TrackFileWhereInput

/** Loads a track's files with their variants, oldest variant first. */
export const withFiles = {
  files: {
    where: undeletedFiles,
    include: { variant: true },
    orderBy: [{ variant: { createdAt: 'asc' } }, { variantId: 'asc' }],
  },
} satisfies Prisma.TrackInclude
export type FileWithVariant = Prisma.TrackFileGetPayload<{ include: { variant: true } }>

/** @throws AppError `not_found` */
export async function getTrackFile(ctx: Context, id: string, query: Query<'TrackFile'> = {}) {
  const where = { AND: [{ id }, undeletedFiles, { track: trackWhere(readScope(ctx)) }] }
  const file = await ctx.reader.readFirst('TrackFile', { ...query, where }, ctx.signal)
  if (!file) throw notFound('trackFileId')
  return file
}

/** Tracks within a scope that match a filter. */
export function matchingTracks(
  scope: Scope,
  { hasStaleFiles, madeByFfmpegOtherThan: version, ...filter }: TrackFilter,
): Prisma.TrackWhereInput {
  const { organizationId } = scope
  const { organizationIndex, collectionId, creatorId, status, sourceBytes, search, transcript, ...created } = filter
  return {
    AND: [
      trackWhere(scope),
      createdWithin(created),
      matchesSearch(search),
      transcript === undefined ? {} : hasWords(organizationId, transcript),
      { organizationIndex, collectionId, creatorId, status: status && { in: status } },
      { sourceBytes: sourceBytes && { in: sourceBytes } },
      hasStaleFiles === undefined ? {} : { staleFiles: { [hasStaleFiles ? 'some' : 'none']: { organizationId } } },
      version === undefined ? {} : { files: { some: { ...finishedFiles(), ...isOtherThan(version) } } },
    ],
  }
}

/** Condition: the transcription, or one translation, has each word of a search (decision 0086). Prisma has no comparison of a text search vector. */
const hasWords = (organizationId: string, search: string): Prisma.TrackWhereInput => ({
  transcriptSearch: { some: { words: { isFoundBy: ['transcript_query', organizationId, search] } as object } },
})

const isOtherThan = (version: string): Prisma.TrackFileWhereInput => ({
  OR: [{ ffmpegVersion: null }, { ffmpegVersion: { not: version } }],
})

/** @param query the part of the list, its order and the columns to read */
export const findTracks = <Q extends Query<'Track'>>(ctx: Context, filter: TrackFilter, query: Q) =>
  ctx.lists.readMany('Track', { ...query, where: matchingTracks(readScope(ctx), filter) }, ctx.signal)

/** Maintained sums of the matching tracks. Null with other conditions than a collection and a creator. */
export function trackSums(
  scope: Scope,
  { collectionId, creatorId, ...others }: TrackFilter,
): Prisma.TrackSumWhereInput | null {
  if (Object.values(others).some((condition) => condition !== undefined)) return null
  const { deletedAt: _, replacesId: __, ...owners } = trackWhere(scope)
  return { AND: [owners, { collectionId, creatorId }] } as Prisma.TrackSumWhereInput
}

export function countTracks(ctx: Context, filter: TrackFilter): Promise<number> {
  const scope = readScope(ctx)
  const sums = trackSums(scope, filter)
  return sums
    ? ctx.lists.sum('TrackSum', 'tracks', sums, ctx.signal)
    : ctx.lists.count('Track', matchingTracks(scope, filter), ctx.signal)
}

/**
 * Lists the tracks of a collection, newest first.
 * @returns a page, and the number of all matching tracks
 * @throws AppError `not_found`
 */
export async function listTracks(
  ctx: Context,
  collectionId: string,
  { limit: take, offset: skip, ...conditions }: ListTracks,
) {
  await getCollection(ctx, collectionId)
  const filter = { ...conditions, collectionId }
  const [tracks, count] = await Promise.all([
    findTracks(ctx, filter, { take, skip, orderBy: newestFirst, include: withDomain, omit: omittedInLists }),
    countTracks(ctx, filter),
  ])
  return { tracks, count }
}

/** @throws AppError `not_found` */
export async function findTrack<Q extends Query<'Track'>>(ctx: Context, id: string, query: Q) {
  const where = oneTrackWhere(readScope(ctx), id)
  const track = await ctx.reader.readFirst('Track', { ...query, where }, ctx.signal)
  if (!track) throw notFound('trackId')
  return track
}

/** Returns a track with its files. @throws AppError `not_found` */
export const getTrack = (ctx: Context, id: string) => findTrack(ctx, id, { include: { ...withDomain, ...withFiles } })

/** Returns a track if the viewer may replace its cover. @throws AppError `not_found`, `forbidden` */
export const getTrackForCover = async (ctx: Context, id: string) => {
  writeScope(ctx)
  return findTrack(ctx, id, { include: withDomain })
}

/** @throws AppError `not_found`; `invalid_input` for chapters outside of the recording */
export async function updateTrack(
  ctx: Context,
  id: string,
  { chapters, title, artist, ...fields }: UpdateTrack,
): Promise<TrackWithDomain> {
  const scope = writeScope(ctx)
  const data = {
    ...fields,
    ...(title !== undefined && { playerTitle: title }),
    ...(artist !== undefined && { playerSubtitle: artist }),
    // Null is a value of JSON as well.
    ...(chapters !== undefined && { chapters: chapters ?? Prisma.DbNull }),
  }
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.track.updateMany({ where: oneTrackWhere(scope, id), data })
    if (count === 0) throw notFound('trackId')
    const track = await tx.track.findUniqueOrThrow({ where: { id }, include: withDomain })
    if (chapters) checkWithin(chapters, track.durationSeconds)
    return track
  })
}

/** @throws AppError `invalid_input` for a chapter that begins or ends after the recording */
function checkWithin(chapters: readonly ChapterInput[], durationSeconds: number | null): void {
  if (durationSeconds === null) return
  const rule = `must be within the duration, ${durationSeconds} seconds`
  const fields = chapters.flatMap(({ startSeconds, endSeconds }, at) => [
    ...(startSeconds >= durationSeconds ? [{ field: `chapters.${at}.startSeconds`, rule }] : []),
    ...((endSeconds ?? 0) > durationSeconds ? [{ field: `chapters.${at}.endSeconds`, rule }] : []),
  ])
  if (fields.length > 0) throw new AppError('invalid_input', '', { fields })
}

/**
 * Soft-deletes a track. Delivery of its files stops at once; a job removes their bytes after the grace period.
 * @throws AppError `not_found`
 */
export async function deleteTrack(ctx: Context, id: string): Promise<TrackWithDomain> {
  const scope = writeScope(ctx)
  const data = { deletedAt: ctx.clock() }
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.track.updateMany({ where: oneTrackWhere(scope, id), data })
    if (count === 0) throw notFound('trackId')
    // At the same time, so that the restoration of the track continues the replacement of its recording.
    await tx.track.updateMany({ where: { replacesId: id, deletedAt: null }, data })
  })
  await endOfDeliveries()
  return ctx.db.track.findUniqueOrThrow({ where: { id }, include: withDomain })
}

/**
 * Locks a track. Every transaction that changes a track and its files locks the track first. A row with another recording
 * is locked after its track.
 */
export async function lockTrack(tx: Transaction, id: string): Promise<Track> {
  await tx.$queryRaw`SELECT id FROM track WHERE id = (SELECT replaces_id FROM track WHERE id = ${id}::uuid) FOR UPDATE`
  await tx.$queryRaw`SELECT id FROM track WHERE id = ${id}::uuid FOR UPDATE`
  return tx.track.findUniqueOrThrow({ where: { id } })
}

export interface NewTrack {
  organizationId: string
  collectionId: string
  creatorId: string | null
  uploadSessionId?: string
  fileName: string
  /** Bytes of the recording, if the client announced them. */
  fileSize?: number | null
  organizationIndex?: string | null
  metadata: Prisma.InputJsonObject
  playerTitle?: string | null
  playerSubtitle?: string | null
  playerColor?: string | null
  uploadExpiresAt: Date
}

/** Length of a track's index. */
export const INDEX_LENGTH = 10

/**
 * Inserts a track in the state `initialized`, at the end of its collection.
 * @throws AppError `not_found` if the collection or the creator is unknown, foreign or deleted
 */
export async function insertTrack(reader: Reader, track: NewTrack): Promise<TrackWithDomain> {
  const { fileName, fileSize: announcedBytes, ...trackInput } = track
  const { organizationId, collectionId } = trackInput
  const row = {
    ...newRow(),
    ...trackInput,
    index: randomBase62(INDEX_LENGTH),
    announcedBytes,
    fileName: safeFileName(fileName),
    fileNameOriginal: fileName,
  }
  const inserted = await insertRow(
    reader,
    'Track',
    (values) => {
      const { columns, source } = insertion('Track', row, values)
      // The creator is locked before the collection is changed, so that a missing one changes nothing. Incrementing
      // next_track_order locks the collection's row, so that no other transaction deletes it.
      return `locked AS (${lockedCreator(organizationId, trackInput.creatorId, values)}), place AS (
          UPDATE collection SET next_track_order = next_track_order + 1
          WHERE id = ${values.add(collectionId)}::uuid AND organization_id = ${values.add(organizationId)}::uuid
            AND deleted_at IS NULL AND (${values.add(trackInput.creatorId)}::uuid IS NULL OR EXISTS (SELECT 1 FROM locked))
          RETURNING next_track_order - 1 AS "order"
        ), written AS (
          INSERT INTO track (${columns}, "order", base_path)
          SELECT ${columns}, (SELECT "order" FROM place),
            concat_ws('/', organization_id, (SELECT folder_id FROM locked), collection_id, index)
          FROM ${source} WHERE EXISTS (SELECT 1 FROM place) RETURNING *
        )`
    },
    withDomain,
  )
  if (inserted) return inserted
  const collection = await reader.readFirst('Collection', {
    where: { id: collectionId, organizationId, deletedAt: null },
    select: { id: true },
  })
  throw notFound(collection ? 'creatorId' : 'collectionId')
}

/**
 * Returns a storage key for the recording of one attempt to upload it: attempts never overwrite each other's bytes. Not
 * deliverable: delivery paths start with an organization's ID.
 */
export const newSourceKey = ({ organizationId, id }: Pick<Track, 'organizationId' | 'id'>) =>
  `source/${organizationId}/${id}.${crypto.randomUUID()}`

/**
 * Returns the storage key of a track's recording.
 * @throws Error before the recording is uploaded
 */
export function requireSourceKey({ id, sourceKey }: Pick<Track, 'id' | 'sourceKey'>): string {
  if (sourceKey === null) throw new Error(`track ${id} has no recording`)
  return sourceKey
}

/** Returns the base of a track's delivery addresses, without the variant's index. */
export const toBaseUrl = (
  services: Pick<Services, 'config'>,
  track: Pick<TrackWithDomain, 'organization' | 'basePath'>,
) => `${deliveryRoot(services, track.organization.domain)}/${track.basePath}`
