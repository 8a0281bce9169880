import type { InputShapeFromFields } from '@pothos/core'
import type { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  listOrder,
  omitNulls,
  orderInput,
  pagesOf,
  typeOf,
} from '../../platform/graphql/builder.ts'
import { related, relatedPage } from '../../platform/graphql/page.ts'
import { needs, needsColumns, planOf, readWith } from '../../platform/graphql/plan.ts'
import { readScope, visible } from '../access/viewer.ts'
import { collectionWhere } from '../collection/service.ts'
import { creatorWhere } from '../creator/service.ts'
import { coverImages, toRestCover } from '../organization/cover/graphql.ts'
import { deliveryRoot, withDelivery } from '../organization/delivery.ts'
import {
  effectiveThemeField,
  playerColorDarkField,
  playerColorLightField,
  themeField,
} from '../organization/graphql.ts'
import { type CoverTier, inheritedCover, inheritedPlayerColor, type ThemeTier } from '../organization/inherit.ts'
import { type Analysis, TrackAnalysis } from './analysis/graphql.ts'
import { isProcessing } from './change/state.ts'
import './file/graphql.ts'
import { type Info, TrackInfo } from './info/graphql.ts'
import { LevelsData, toRestLevels } from './levels/graphql.ts'
import { trackFilter } from './schema.ts'
import { countTracks, findTrack, findTracks, matchingTracks, undeletedFiles, withFiles } from './service.ts'

export const TrackStatusEnum = builder.enumType('TrackStatus', {
  description: 'Where a track is between its creation and its files.',
  values: enumValues<TrackStatus>({
    initialized: 'Created; waits for its bytes.',
    processing: 'Its files are being made.',
    fallback_processing: 'The one-pass run failed; its files are being made one by one.',
    ready: 'All of its files are made.',
    incomplete: 'Some files failed, at least one plays.',
    error: 'None of its files plays.',
    init_error: 'What arrived is no sound that could be decoded, or nothing arrived in time.',
  }),
})

/** The newest finished file of a kind, read with the track. */
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

/** Columns of the records above a track, read with it under names of the field's own. */
const above = (name: string, columns: string[]) => ({
  [`${name}Organization`]: { relation: 'organization', columns },
  [`${name}Collection`]: { relation: 'collection', columns },
})
const levelsAbove = <T>(track: object, name: string) => ({
  organization: readWith<T>(track, `${name}Organization`),
  collection: readWith<T>(track, `${name}Collection`),
})

builder.prismaObject('Track', {
  description: 'One uploaded recording and all that was made of it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    organizationId: t.exposeID('organizationId', { description: 'The organization it belongs to.' }),
    collectionId: t.exposeID('collectionId', { description: 'The collection it lies in.' }),
    collection: t.field({
      type: typeOf('Collection'),
      nullable: true,
      description: 'The collection it lies in; null where the viewer may not see it.',
      ...related('collection', (ctx) => ({ where: visible(ctx, collectionWhere) })),
    }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The creator it belongs to, if one.' }),
    creator: t.field({
      type: typeOf('Creator'),
      nullable: true,
      description: 'The creator it belongs to; null too where the viewer may not see it.',
      ...related('creator', (ctx) => ({ where: visible(ctx, creatorWhere) })),
    }),
    uploadSessionId: t.exposeID('uploadSessionId', { nullable: true, description: 'The session it was created in.' }),
    index: t.exposeString('index', { description: 'Short URL-safe id, unique in the organization.' }),
    order: t.exposeInt('order', { description: 'Place in the collection, from 0.' }),
    status: t.expose('status', { type: TrackStatusEnum, description: 'How far it is.' }),
    progressPercent: t.int({
      nullable: true,
      description: 'How much of the run that makes its files is done, 0-99; null while there is none.',
      ...needsColumns('status', 'progress'),
      resolve: ({ status, progress }) => (isProcessing(status) ? progress : null),
    }),
    statusCode: t.exposeString('statusCode', {
      nullable: true,
      description: 'Machine-readable reason why the track failed, or is ready without a file. The README lists them.',
    }),
    statusText: t.exposeString('statusText', { nullable: true, description: 'The reason as a sentence for people.' }),
    fileName: t.exposeString('fileName', { description: 'In characters that are safe in headers and file systems.' }),
    fileNameOriginal: t.exposeString('fileNameOriginal', { nullable: true, description: 'As the client named it.' }),
    duration: t.exposeFloat('durationSeconds', { nullable: true, description: 'Seconds; null until it is known.' }),
    info: t.field({
      type: TrackInfo,
      nullable: true,
      description: 'What was found in the uploaded recording; null until it was looked at.',
      ...needsColumns('info'),
      resolve: ({ info }) => info as unknown as Info | null,
    }),
    analysis: t.field({
      type: TrackAnalysis,
      nullable: true,
      description: 'What was measured of the decoded recording; null until then.',
      ...needsColumns('analysis'),
      resolve: ({ analysis }) => analysis as unknown as Analysis | null,
    }),
    sourceBytes: t.float({
      nullable: true,
      description: 'Bytes of the uploaded recording.',
      ...needsColumns('sourceBytes'),
      resolve: ({ sourceBytes }) => (sourceBytes === null ? null : Number(sourceBytes)),
    }),
    sourceSha256: t.exposeString('sourceSha256', {
      nullable: true,
      description: 'SHA-256 of the uploaded recording, lower-case hex.',
    }),
    organizationIndex: t.exposeString('organizationIndex', {
      nullable: true,
      description: "The client's own identifier.",
    }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    playerTitle: t.exposeString('playerTitle', { nullable: true, description: 'Shown to listeners.' }),
    playerSubtitle: t.exposeString('playerSubtitle', { nullable: true, description: 'Shown below the title.' }),
    playerColor: t.exposeString('playerColor', { nullable: true, description: "Null inherits the collection's." }),
    effectivePlayerColor: t.string({
      description: "Its own player colour, else its collection's, else the organization's.",
      ...needs({ columns: ['playerColor'], also: above('$color', ['playerColor']) }),
      resolve: (track) => {
        const { organization, collection } = levelsAbove<{ playerColor: string }>(track, '$color')
        return inheritedPlayerColor(organization, collection, track)
      },
    }),
    playerColorLight: t.string(playerColorLightField),
    playerColorDark: t.string(playerColorDarkField),
    theme: t.field(themeField),
    effectiveTheme: t.field({
      ...effectiveThemeField((track: { theme: unknown }) => ({
        ...levelsAbove<ThemeTier>(track, '$theme'),
        own: track.theme,
      })),
      ...needs({ columns: ['theme'], also: above('$theme', ['theme', 'isThemeOverridable']) }),
    }),
    coverImage: t.field({
      type: coverImages,
      nullable: true,
      description:
        "Its own cover, uploaded or embedded, or its collection's or organization's, as `isCoverOverridable` of those " +
        'says; null where there is none.',
      ...needs({
        columns: ['organizationId'],
        also: { ...fileOf('$coverFile', 'cover'), ...above('$cover', ['cover', 'isCoverOverridable']) },
      }),
      resolve: (track) => {
        const levels = { ...levelsAbove<CoverTier>(track, '$cover'), own: dataOf(track, '$coverFile') }
        return toRestCover(track.organizationId, inheritedCover(levels))
      },
    }),
    levels: t.field({
      type: LevelsData,
      nullable: true,
      description: 'Loudness over time, of the newest variant of that kind; null until it is made.',
      ...needs({ columns: ['organizationId'], also: fileOf('$levelsFile', 'levels') }),
      resolve: (track) => {
        const data = dataOf(track, '$levelsFile') as object | null
        return data && toRestLevels(data, track.organizationId)
      },
    }),
    transcription: t.exposeString('transcription', { nullable: true, description: 'What is said in it.' }),
    transcriptionLanguage: t.exposeString('transcriptionLanguage', { nullable: true, description: 'BCP 47 tag.' }),
    basePath: t.exposeString('basePath', { description: 'Where its files lie in storage.' }),
    baseUrl: t.string({
      description: 'Files lie at {baseUrl}_{variant index}.{ext}.',
      ...needsColumns('basePath', 'organizationId'),
      resolve: ({ basePath, organizationId }, _, ctx) =>
        withDelivery(ctx, organizationId, ({ domain }) => `${deliveryRoot(ctx, domain)}/${basePath}`),
    }),
    files: t.field({
      type: [typeOf('TrackFile')],
      description: 'What its variants made of it, oldest variant first.',
      ...related('files', () => ({ where: undeletedFiles, orderBy: withFiles.files.orderBy })),
    }),
    variants: t.field({
      type: [typeOf('Variant')],
      description: 'Variants of this track alone, newest first.',
      ...related('variants', () => ({ where: { deletedAt: null }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })),
    }),
    uploadCompletedAt: t.expose('uploadCompletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its bytes had arrived.',
    }),
    filesCompletedAt: t.expose('filesCompletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its files were made.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const TrackFilter = builder.inputType('TrackFilter', {
  description: 'What narrows a list of tracks; all of it must hold.',
  fields: (t) => ({
    organizationIndex: t.string({ description: 'Exactly this.' }),
    collectionId: t.id({ description: 'In this collection.' }),
    creatorId: t.id({ description: 'Of this creator.' }),
    status: t.field({ type: [TrackStatusEnum], description: 'In any of these states.' }),
    hasStaleFiles: t.boolean({
      description: 'With files that are not what their variants would make now (`isStale`), or without any.',
    }),
    madeByFfmpegOtherThan: t.string({
      description: 'With finished files of another version of ffmpeg (`ffmpegVersion`), or of an unknown one.',
    }),
    search: t.string({
      description: 'Stands in the file name, the player title or the organizationIndex, whatever its case.',
    }),
    createdFrom: t.field({ type: 'DateTime', description: 'Created at or after.' }),
    createdUntil: t.field({ type: 'DateTime', description: 'Created before.' }),
  }),
})
const TrackOrder = orderInput('Track', {
  createdAt: 'When it was created.',
  updatedAt: 'When it was last changed.',
  order: 'Its place in the collection.',
  fileName: 'Its file name.',
})
const listArgs = builder.args((t) => ({
  filter: t.field({ type: TrackFilter, description: 'What narrows the list.' }),
  orderBy: t.field({ type: TrackOrder, description: 'The newest first unless told.' }),
}))
const id = { required: true, description: 'UUID of the track.' } as const
const relatedTracks = relatedPage('tracks', ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
  where: matchingTracks(readScope(ctx), omitNulls(filter)),
  order: listOrder(orderBy),
}))

builder.queryFields((t) => ({
  tracks: t.connection(
    {
      type: typeOf('Track'),
      description: 'Tracks of the organization.',
      args: listArgs,
      resolve: pagesOf(trackFilter, findTracks, countTracks),
    },
    ...connectionOf('Track'),
  ),
  track: t.field({
    type: typeOf('Track'),
    nullable: true,
    description: 'One track.',
    args: { id: t.arg.id(id) },
    resolve: (_, { id }, ctx, info) => findTrack(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))
builder.prismaObjectField('Organization', 'tracks', (t) =>
  t.connection(
    { type: typeOf('Track'), description: 'Its tracks.', args: listArgs, ...relatedTracks },
    ...connectionOf('Track'),
  ),
)
builder.prismaObjectField('Creator', 'tracks', (t) =>
  t.connection(
    { type: typeOf('Track'), description: 'Its tracks.', args: listArgs, ...relatedTracks },
    ...connectionOf('Track'),
  ),
)
builder.prismaObjectField('Collection', 'tracks', (t) =>
  t.connection(
    { type: typeOf('Track'), description: 'Its tracks.', args: listArgs, ...relatedTracks },
    ...connectionOf('Track'),
  ),
)
