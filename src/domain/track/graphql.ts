import type { InputShapeFromFields } from '@pothos/core'
import type { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  listOrder,
  orderInput,
  pagesOf,
  parseFilter,
  reloaded,
  typeOf,
} from '../../platform/graphql/builder.ts'
import { related, relatedPage } from '../../platform/graphql/page.ts'
import { needs, needsColumns, planOf, readWith } from '../../platform/graphql/plan.ts'
import { withPrice } from '../../platform/graphql/price.ts'
import { expose, filterFields, inputFields } from '../../platform/graphql/record.ts'
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
import { UploadHandleObject } from '../upload-address/graphql.ts'
import { uploadHandle } from '../upload-address/handle.ts'
import { chaptersField, chaptersInputField } from './chapter/graphql.ts'
import { isProcessing } from './status.ts'
import './file/graphql.ts'
import { LevelsData, toRestLevels } from './file/levels/graphql.ts'
import { trackShape } from './public.ts'
import { qualityReportField } from './quality/graphql.ts'
import {
  dashboardFields,
  ORDER,
  positionOf,
  trackColumns,
  trackFields,
  trackFilter,
  trackFilters,
  trackStatusShape,
  updateTrackWithChapters,
} from './record.ts'
import { analysisField, infoField } from './recording/graphql.ts'
import {
  countTracks,
  deleteTrack,
  findTrack,
  findTracks,
  getTrackForCover,
  matchingTracks,
  trackSums,
  undeletedFiles,
  updateTrack,
  withFiles,
} from './service.ts'

export const TrackStatusEnum = builder.enumType('TrackStatus', {
  description: 'State of the upload and the processing of a track.',
  values: enumValues<TrackStatus>({
    initialized: 'Created. Waits for the upload of its recording.',
    processing: 'Its files are being generated.',
    fallback_processing: 'The one-pass run failed. Its files are being generated one by one.',
    ready: 'All of its files are finished.',
    incomplete: 'Some of its files failed. At least one can be played.',
    error: 'None of its files can be played.',
    init_error: 'The upload was not decodable audio, or did not arrive in time.',
  }),
})

/** The newest finished file of a type, read with the track. */
const fileOf = (name: string, type: 'cover' | 'levels') => ({
  [name]: {
    relation: 'files',
    args: {
      where: { state: 'done', variant: { type, deletedAt: null } },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: 1,
    },
    columns: ['data'],
  },
})
const dataOf = (track: object, name: string) => (track as Record<string, { data: unknown }[]>)[name]?.[0]?.data ?? null

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
  description: trackShape.description,
  fields: (t) => ({
    ...expose(t, { ...trackColumns, ...dashboardFields }),
    order: t.int({ description: ORDER, ...needsColumns('order'), resolve: positionOf }),
    collection: t.field({
      type: typeOf('Collection'),
      nullable: true,
      description: 'The collection that it belongs to. Null when the viewer may not see it.',
      ...related('collection', (ctx) => ({ where: visible(ctx, collectionWhere) })),
    }),
    creator: t.field({
      type: typeOf('Creator'),
      nullable: true,
      description: 'The creator that it belongs to. Null when it belongs to none or the viewer may not see it.',
      ...related('creator', (ctx) => ({ where: visible(ctx, creatorWhere) })),
    }),
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
        own: track.theme,
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
        also: { ...fileOf('$coverFile', 'cover'), ...above('$cover', ['cover', 'isCoverOverridable']) },
      }),
      resolve: (track) => {
        const tiers = { ...tiersAbove<CoverTier>(track, '$cover'), own: dataOf(track, '$coverFile') }
        return toRestCover(track.organizationId, inheritedCover(tiers))
      },
    }),
    levels: t.field({
      type: LevelsData,
      nullable: true,
      description: 'Loudness over time, of the newest variant of type `LEVELS`. Null until processed.',
      ...needs({ columns: ['organizationId'], also: fileOf('$levelsFile', 'levels') }),
      resolve: (track) => {
        const data = dataOf(track, '$levelsFile') as object | null
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
      type: [typeOf('TrackFile')],
      description: 'Files of the track, one for each variant, oldest variant first.',
      ...withPrice(
        related('files', () => ({ where: undeletedFiles, orderBy: withFiles.files.orderBy })),
        { items: USUAL_VARIANTS },
      ),
    }),
    variants: t.field({
      type: [typeOf('Variant')],
      description: 'Variants of this track only, newest first.',
      ...withPrice(
        related('variants', () => ({ where: { deletedAt: null }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })),
        { items: USUAL_VARIANTS },
      ),
    }),
  }),
})

const TrackFilter = builder.inputType('TrackFilter', {
  description: 'Conditions on tracks. All given conditions must hold.',
  fields: (t) => ({
    ...filterFields(t, trackFilters),
    status: t.field({ type: [TrackStatusEnum], description: trackFilters.status.description }),
  }),
})
const TrackOrder = orderInput('Track', {
  createdAt: 'Time of creation.',
  updatedAt: 'Time of the last change.',
  order: 'Position in the collection.',
  fileName: 'File name.',
})
const listArgs = builder.args((t) => ({
  filter: t.field({ type: TrackFilter, description: 'Conditions on the tracks.' }),
  orderBy: t.field({ type: TrackOrder, description: 'Defaults to the newest first.' }),
}))
const UpdateTrackInput = builder.inputType('UpdateTrackInput', {
  description: 'Fields to change. Fields that are left out keep their value. Null clears a nullable field.',
  fields: (t) => ({
    ...inputFields(t, trackFields, 'update'),
    theme: t.field(themeInput),
    chapters: t.field(chaptersInputField),
  }),
})

interface Written {
  track: { id: string }
}
const trackField = {
  description: 'The track after the change.',
  ...reloaded('Track', ({ track }: Written) => track.id),
}
const UpdateTrackPayload = builder.objectRef<Written>('UpdateTrackPayload').implement({
  description: 'The track that was written.',
  fields: (t) => ({ track: t.field(trackField) }),
})
const DeleteTrackPayload = builder.objectRef<{ deletedTrack: { id: string } }>('DeleteTrackPayload').implement({
  description: 'The track that was deleted.',
  fields: (t) => ({
    deletedTrack: t.field({
      description: 'The track before its deletion.',
      ...reloaded('Track', ({ deletedTrack }) => deletedTrack.id),
    }),
  }),
})
const CoverUploadPayload = builder.objectRef<Written>('CreateTrackCoverUploadPayload').implement({
  description: 'The track and the upload of its cover.',
  fields: (t) => ({
    track: t.field(trackField),
    trackCoverUpload: t.field({
      type: UploadHandleObject,
      description: 'Address that accepts one cover image.',
      resolve: ({ track }, _, ctx) =>
        uploadHandle(ctx, 'track-cover', { id: track.id, organizationId: readScope(ctx).organizationId }),
    }),
  }),
})

const idArgument = { required: true, description: 'ID of the track.' } as const
const idOf = (id: unknown) => parseId('trackId', id)

builder.queryFields((t) => ({
  tracks: t.connection(
    {
      type: typeOf('Track'),
      description: 'Lists the tracks of the organization.',
      args: listArgs,
      extensions: { price: { count: SUMS_POINTS } },
      resolve: permitted(readScope, pagesOf(trackFilter, findTracks, countTracks)),
    },
    ...connectionOf('Track'),
  ),
  track: t.field({
    type: typeOf('Track'),
    nullable: true,
    description: 'Returns a track.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(readScope, (_, { id }, ctx, info) => findTrack(ctx, idOf(id), { plan: planOf(info, ctx) })),
  }),
}))

/** @param sumsKey field of the sums with the parent's key. Null where an index finds its tracks, but not its sums. */
const relatedTracks = (sumsKey: 'organizationId' | 'collectionId' | null) => ({
  type: typeOf('Track'),
  args: listArgs,
  ...withPrice(
    relatedPage('tracks', ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => {
      const [scope, conditions] = [readScope(ctx), parseFilter(trackFilter, filter)]
      const sums = sumsKey && trackSums(scope, conditions)
      return {
        where: matchingTracks(scope, conditions),
        order: listOrder(orderBy),
        ...(sums && { sums: { model: 'TrackSum', field: 'tracks', key: sumsKey, where: sums } }),
      }
    }),
    sumsKey ? { count: SUMS_POINTS } : {},
  ),
})
builder.prismaObjectField('Organization', 'tracks', (t) =>
  t.connection(
    { ...relatedTracks('organizationId'), description: 'Tracks of the organization.' },
    ...connectionOf('Track'),
  ),
)
builder.prismaObjectField('Creator', 'tracks', (t) =>
  t.connection({ ...relatedTracks(null), description: 'Tracks of the creator.' }, ...connectionOf('Track')),
)
builder.prismaObjectField('Collection', 'tracks', (t) =>
  t.connection(
    { ...relatedTracks('collectionId'), description: 'Tracks of the collection.' },
    ...connectionOf('Track'),
  ),
)

builder.mutationFields((t) => ({
  updateTrack: t.field({
    type: UpdateTrackPayload,
    description: 'Changes the given fields of a track. Null clears a nullable field.',
    args: {
      id: t.arg.id(idArgument),
      input: t.arg({ type: UpdateTrackInput, required: true, description: 'The fields to change.' }),
    },
    resolve: permitted(writeScope, async (_, { id, input }, ctx) => ({
      track: await updateTrack(ctx, idOf(id), parse(updateTrackWithChapters, input)),
    })),
  }),
  deleteTrack: t.field({
    type: DeleteTrackPayload,
    description:
      'Deletes a track. Delivery of its files stops at once. Administrators can restore it for 7 days by default.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(writeScope, async (_, { id }, ctx) => ({ deletedTrack: await deleteTrack(ctx, idOf(id)) })),
  }),
  createTrackCoverUpload: t.field({
    type: CoverUploadPayload,
    description: 'Creates an address that accepts one cover image for a track.',
    args: { trackId: t.arg.id(idArgument) },
    resolve: permitted(writeScope, async (_, { trackId }, ctx) => ({
      track: await getTrackForCover(ctx, idOf(trackId)),
    })),
  }),
}))
