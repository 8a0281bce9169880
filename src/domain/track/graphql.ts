import type { Context } from '../../platform/context.ts'
import type { EpisodeType, TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { builder, defineEnum, findType } from '../../platform/graphql/builder.ts'
import { defineUpdateInput, idArgument, inputArgument, NULL_CLEARS } from '../../platform/graphql/input.ts'
import { defineList, defineRecordQuery } from '../../platform/graphql/list.ts'
import { defineNode, Node } from '../../platform/graphql/node.ts'
import { related, relatedRecord } from '../../platform/graphql/page.ts'
import { definePayload } from '../../platform/graphql/payload.ts'
import { needs, needsColumns, readWith } from '../../platform/graphql/plan.ts'
import { withPrice } from '../../platform/graphql/price.ts'
import { expose } from '../../platform/graphql/record.ts'
import { parse, parseId } from '../../platform/schema/parse.ts'
import { permitted, readScope, visible, writeScope } from '../access/viewer.ts'
import { collectionWhere } from '../collection/service.ts'
import { creatorWhere } from '../creator/service.ts'
import { deliveryRoot, withDelivery } from '../delivery/address.ts'
import { coverImages, toRestCover } from '../organization/cover/graphql.ts'
import {
  effectiveThemeField,
  playerColorDarkField,
  playerColorLightField,
  themeField,
  themeInput,
  themePrice,
} from '../organization/graphql.ts'
import { type CoverTier, inheritedCover, inheritedPlayerColor, type ThemeTier } from '../organization/inherit.ts'
import { coverUploadField } from '../upload-address/graphql.ts'
import { catalogField, titleField } from './catalog/graphql.ts'
import { catalogFields } from './catalog/record.ts'
import { chaptersField, chaptersInputField } from './chapter/graphql.ts'
import { episodeFields } from './episode/record.ts'
import { isProcessing } from './states.ts'
import './file/graphql.ts'
import { LevelsData, toRestLevels } from './file/levels/graphql.ts'
import { trackShape } from './public.ts'
import { qualityReportField } from './quality/graphql.ts'
import {
  ORDER,
  type TrackFilter,
  toPosition,
  trackColumns,
  trackDashboardFields,
  trackFields,
  trackFilter,
  trackFilters,
  trackStatusShape,
  updateEpisodeInput,
} from './record.ts'
import { analysisField, infoField } from './recording/graphql.ts'
import {
  countTracks,
  deleteTrack,
  findTrack,
  findTracks,
  finishedFiles,
  getTrackFile,
  getTrackForCover,
  matchingTracks,
  trackSums,
  undeletedFiles,
  updateTrack,
  withFiles,
} from './service.ts'
import { transcriptField, transcriptHitsField } from './transcript/graphql.ts'

export const TrackStatusEnum = defineEnum<TrackStatus>(
  'TrackStatus',
  'State of the upload and the processing of a track.',
  {
    initialized: 'Created. Waits for the upload of its recording.',
    processing: 'Its files are being generated.',
    fallback_processing: 'The one-pass run failed. Its files are being generated one by one.',
    ready: 'All of its files are finished.',
    incomplete: 'Some of its files failed. At least one can be played.',
    error: 'None of its files can be played.',
    init_error: 'The upload was not decodable audio, or did not arrive in time.',
  },
)

defineEnum<EpisodeType>('EpisodeType', 'What a track is in a podcast feed.', {
  full: 'An episode.',
  trailer: 'A preview of the podcast or of a season.',
  bonus: 'An extra that belongs to the podcast or to an episode.',
})

/** The newest finished file of a type, read with the track. */
const needFile = (name: string, type: 'cover' | 'levels') => ({
  [name]: {
    relation: 'files',
    args: {
      where: finishedFiles([type]),
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: 1,
    },
    columns: ['data'],
  },
})
const readFileData = (track: object, name: string) =>
  (track as Record<string, { data: unknown }[]>)[name]?.[0]?.data ?? null

/** Columns of the track's organization and collection, read with it under names of the field's own. */
const above = (name: string, columns: string[]) => ({
  [`${name}Organization`]: { relation: 'organization', columns },
  [`${name}Collection`]: { relation: 'collection', columns },
})
const tiersAbove = <T>(track: object, name: string) => ({
  organization: readWith<T>(track, `${name}Organization`),
  collection: readWith<T>(track, `${name}Collection`),
})

/** Files and variants of a track in a price. There is no maximum: what is read in addition is charged afterwards. */
const USUAL_VARIANTS = 10
/** Points of a number that is maintained. */
const SUMS_POINTS = 1

builder.prismaObject('Track', {
  interfaces: [Node],
  description: trackShape.description,
  fields: (t) => ({
    ...expose(t, { ...trackColumns, ...trackDashboardFields, ...episodeFields }),
    order: t.int({ description: ORDER, ...needsColumns('order'), resolve: toPosition }),
    title: t.string(titleField),
    artist: t.string({ nullable: true, ...catalogField('artist', 'playerSubtitle') }),
    album: t.string({ nullable: true, ...catalogField('album', 'album') }),
    trackNumber: t.int({ nullable: true, ...catalogField('trackNumber', 'trackNumber') }),
    discNumber: t.int({ nullable: true, ...catalogField('discNumber', 'discNumber') }),
    isrc: t.string({ nullable: true, ...catalogField('isrc', 'isrc') }),
    year: t.int({ nullable: true, ...catalogField('year', 'year') }),
    transcript: t.field(transcriptField),
    transcriptHits: t.field(transcriptHitsField),
    collection: t.field(
      relatedRecord(
        'Collection',
        'collection',
        'The collection that it belongs to. Null when the viewer may not see it.',
        (ctx) => ({ where: visible(ctx, collectionWhere) }),
      ),
    ),
    creator: t.field(
      relatedRecord(
        'Creator',
        'creator',
        'The creator that it belongs to. Null when it belongs to none or the viewer may not see it.',
        (ctx) => ({ where: visible(ctx, creatorWhere) }),
      ),
    ),
    status: t.expose('status', { type: TrackStatusEnum, description: trackStatusShape.description }),
    progressPercent: t.int({
      nullable: true,
      description: 'Progress of the current processing run. 0 to 99. Null while no run is active.',
      ...needsColumns('status', 'progress'),
      resolve: ({ status, progress }) => (isProcessing(status) ? progress : null),
    }),
    duration: t.exposeFloat('durationSeconds', { nullable: true, description: trackFields.duration.description }),
    info: t.field(infoField),
    analysis: t.field(analysisField),
    qualityReport: t.field(qualityReportField),
    chapters: t.field(chaptersField),
    sourceBytes: t.float({
      nullable: true,
      description: 'Size of the uploaded recording in bytes. Null until known.',
      ...needsColumns('sourceBytes'),
      resolve: ({ sourceBytes }) => (sourceBytes === null ? null : Number(sourceBytes)),
    }),
    effectivePlayerColor: t.string({
      description: "The player color that applies: its own, else the collection's, else the organization's.",
      ...needs({ columns: ['playerColor'], also: above('$color', ['playerColor']) }),
      resolve: (track) => {
        const { organization, collection } = tiersAbove<{ playerColor: string }>(track, '$color')
        return inheritedPlayerColor(organization, collection, track)
      },
    }),
    playerColorLight: t.string(playerColorLightField),
    playerColorDark: t.string(playerColorDarkField),
    theme: t.field(themeField),
    effectiveTheme: t.field({
      ...effectiveThemeField((track: { theme: unknown }) => ({
        ...tiersAbove<ThemeTier>(track, '$theme'),
        trackTheme: track.theme,
      })),
      ...withPrice(needs({ columns: ['theme'], also: above('$theme', ['theme', 'isThemeOverridable']) }), themePrice),
    }),
    coverImage: t.field({
      type: coverImages,
      nullable: true,
      description:
        'The cover that applies: its own, uploaded or embedded in the recording, or an inherited one, as ' +
        '`isCoverOverridable` of the parents says. Null without one.',
      ...needs({
        columns: ['organizationId'],
        also: { ...needFile('$coverFile', 'cover'), ...above('$cover', ['cover', 'isCoverOverridable']) },
      }),
      resolve: (track) => {
        const tiers = { ...tiersAbove<CoverTier>(track, '$cover'), trackCover: readFileData(track, '$coverFile') }
        return toRestCover(track.organizationId, inheritedCover(tiers))
      },
    }),
    levels: t.field({
      type: LevelsData,
      nullable: true,
      description: 'Loudness over time, of the newest variant of type `LEVELS`. Null until processed.',
      ...needs({ columns: ['organizationId'], also: needFile('$levelsFile', 'levels') }),
      resolve: (track) => {
        const data = readFileData(track, '$levelsFile') as object | null
        return data && toRestLevels(data, track.organizationId)
      },
    }),
    baseUrl: t.string({
      description: trackFields.baseUrl.description,
      ...needsColumns('basePath', 'organizationId'),
      resolve: ({ basePath, organizationId }, _, ctx) =>
        withDelivery(ctx, organizationId, ({ domain }) => `${deliveryRoot(ctx, domain)}/${basePath}`),
    }),
    files: t.field({
      type: [findType('TrackFile')],
      description: 'Files of the track, one for each variant, oldest variant first.',
      ...withPrice(
        related('files', () => ({ where: undeletedFiles, orderBy: withFiles.files.orderBy })),
        { items: USUAL_VARIANTS },
      ),
    }),
    variants: t.field({
      type: [findType('Variant')],
      description: 'Variants of this track only, newest first.',
      ...withPrice(
        related('variants', () => ({ where: { deletedAt: null }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })),
        { items: USUAL_VARIANTS },
      ),
    }),
  }),
})

defineNode('TrackFile', { model: 'TrackFile', permit: readScope, find: getTrackFile })
defineRecordQuery('track', 'Track', { description: 'Returns a track.', permit: readScope, find: findTrack })

const trackList = defineList({
  model: 'Track',
  records: 'tracks',
  filters: trackFilters,
  filter: trackFilter,
  moreFilters: (t) => ({
    status: t.field({ type: [TrackStatusEnum], description: trackFilters.status.description }),
    // Int has 32 bits.
    sourceBytes: t.floatList({ description: trackFilters.sourceBytes.description }),
  }),
  orderBy: {
    createdAt: 'Time of creation.',
    updatedAt: 'Time of the last change.',
    order: 'Position in the collection.',
    fileName: 'File name.',
    title: { field: 'titleKey', description: 'Title, regardless of case and marks above letters.' },
    artist: { field: 'artistKey', description: 'Artist, in the same way. Tracks without one are before all others.' },
    duration: {
      field: 'durationSeconds',
      description: 'Duration. Tracks whose duration is unknown are after all others.',
    },
  },
})
trackList.query({
  description: 'Lists the tracks of the organization.',
  permit: readScope,
  find: findTracks,
  count: countTracks,
  price: { count: SUMS_POINTS },
})
const where = (ctx: Context, filter: TrackFilter) => matchingTracks(readScope(ctx), filter)
/** @param key field of the sums with the parent's key */
const sumsBy = (key: 'organizationId' | 'collectionId') => ({
  sums: (ctx: Context, filter: TrackFilter) => {
    const sums = trackSums(readScope(ctx), filter)
    return sums && { model: 'TrackSum', field: 'tracks', key, where: sums }
  },
  price: { count: SUMS_POINTS },
})
trackList.relation('Organization', { description: 'Tracks of the organization.', where, ...sumsBy('organizationId') })
trackList.relation('Collection', { description: 'Tracks of the collection.', where, ...sumsBy('collectionId') })
// An index finds the tracks of a creator, but not their sums.
trackList.relation('Creator', { description: 'Tracks of the creator.', where, price: {} })

const UpdateTrackInput = defineUpdateInput(
  'Track',
  { ...trackFields, ...episodeFields, ...catalogFields },
  (t) => ({ theme: t.field(themeInput), chapters: t.field(chaptersInputField) }),
  NULL_CLEARS,
)

builder.mutationFields((t) => ({
  updateTrack: t.field({
    type: definePayload('UpdateTrack', 'track', 'Track'),
    description: 'Changes the given fields of a track. Null clears a nullable field.',
    args: { id: idArgument('track'), input: inputArgument(UpdateTrackInput) },
    resolve: permitted(writeScope, (_, { id, input }, ctx) =>
      updateTrack(ctx, parseId('trackId', id), parse(updateEpisodeInput, input)),
    ),
  }),
  deleteTrack: t.field({
    type: definePayload('DeleteTrack', 'deletedTrack', 'Track'),
    description:
      'Deletes a track. Delivery of its files stops at once. Administrators can restore it for 7 days by default.',
    args: { id: idArgument('track') },
    resolve: permitted(writeScope, (_, { id }, ctx) => deleteTrack(ctx, parseId('trackId', id))),
  }),
  createTrackCoverUpload: t.field({
    type: definePayload('CreateTrackCoverUpload', 'track', 'Track', {
      description: 'The track and the upload of its cover.',
      more: (t) => ({ trackCoverUpload: t.field(coverUploadField('track-cover')) }),
    }),
    description: 'Creates an address that accepts one cover image for a track.',
    args: { trackId: idArgument('track') },
    resolve: permitted(writeScope, (_, { trackId }, ctx) => getTrackForCover(ctx, parseId('trackId', trackId))),
  }),
}))
