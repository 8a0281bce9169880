import { builder, checkPage, connection, present } from '../../platform/builder.ts'
import { TrackFileState, TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { legibleColors } from '../organization/colors.ts'
import { ThemeColorInput, themeField, themeOf } from '../organization/graphql.ts'
import { signedUrl } from './public.ts'
import {
  baseUrlOf,
  countTracks,
  deleteTrack,
  findTrack,
  findTracks,
  type TrackWithDomain,
  updateTrack,
  withDomain,
  withFiles,
} from './service.ts'

const screaming = <T extends string>(values: Record<string, T>) =>
  Object.fromEntries(Object.values(values).map((value) => [value.toUpperCase(), { value }])) as Record<
    string,
    { value: T }
  >

const TrackStatusEnum = builder.enumType('TrackStatus', {
  description: 'Where a track is between its creation and its files.',
  values: screaming(TrackStatus),
})
const TrackFileStateEnum = builder.enumType('TrackFileState', {
  description: 'Where a file is between plan and delivery.',
  values: screaming(TrackFileState),
})

builder.prismaObject('TrackFile', {
  description: 'What one variant made of a track.',
  fields: (t) => ({
    id: t.exposeID('id'),
    state: t.expose('state', { type: TrackFileStateEnum }),
    isSuccess: t.boolean({ resolve: ({ state }) => state === 'done' }),
    statusCode: t.exposeString('statusCode', { nullable: true, description: 'Why it failed, as a stable word.' }),
    statusText: t.exposeString('statusText', { nullable: true, description: 'Why it failed, for a person.' }),
    path: t.exposeString('path', { nullable: true }),
    url: t.string({
      nullable: true,
      description: 'Signed now, valid for an hour; null until the file is done.',
      select: { path: true, state: true, track: { select: withDomain } },
      resolve: ({ path, state, track }, _, ctx) =>
        path && state === 'done' ? signedUrl(ctx, track.organization, path) : null,
    }),
    size: t.float({
      nullable: true,
      description: 'Bytes.',
      resolve: ({ size }) => (size === null ? null : Number(size)),
    }),
    contentType: t.exposeString('contentType', { nullable: true }),
    fileName: t.exposeString('fileName', { nullable: true }),
    isPublic: t.exposeBoolean('isPublic'),
    data: t.expose('data', { type: 'JSON', nullable: true, description: 'What the file holds besides its bytes.' }),
    props: t.expose('props', { type: 'JSON', description: 'Parameters that it was made with.' }),
    variant: t.relation('variant'),
  }),
})

export const TrackObject = builder.prismaObject('Track', {
  description: 'One uploaded recording and all that was made of it.',
  fields: (t) => ({
    id: t.exposeID('id'),
    organizationId: t.exposeID('organizationId'),
    collectionId: t.exposeID('collectionId'),
    collection: t.relation('collection'),
    creatorId: t.exposeID('creatorId', { nullable: true }),
    creator: t.relation('creator', { nullable: true }),
    index: t.exposeString('index', { description: 'Short URL-safe id, unique in the organization.' }),
    order: t.exposeInt('order', { description: 'Place in the collection, from 0.' }),
    status: t.expose('status', { type: TrackStatusEnum }),
    statusCode: t.exposeString('statusCode', { nullable: true, description: 'Why it is not ready, as a stable word.' }),
    statusText: t.exposeString('statusText', { nullable: true, description: 'Why it is not ready, for a person.' }),
    fileName: t.exposeString('fileName'),
    fileNameOriginal: t.exposeString('fileNameOriginal', { nullable: true }),
    duration: t.exposeFloat('durationSeconds', { nullable: true, description: 'Seconds.' }),
    info: t.expose('info', { type: 'JSON', nullable: true, description: 'What the probe found.' }),
    organizationIndex: t.exposeString('organizationIndex', {
      nullable: true,
      description: "The client's own identifier.",
    }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    playerTitle: t.exposeString('playerTitle', { nullable: true }),
    playerSubtitle: t.exposeString('playerSubtitle', { nullable: true }),
    playerColor: t.exposeString('playerColor', { nullable: true, description: "Null inherits the collection's." }),
    playerColorLight: t.string({
      nullable: true,
      resolve: ({ playerColor }) => legibleColors(playerColor).playerColorLight,
    }),
    playerColorDark: t.string({
      nullable: true,
      resolve: ({ playerColor }) => legibleColors(playerColor).playerColorDark,
    }),
    theme: t.field({ ...themeField, resolve: themeOf }),
    transcription: t.exposeString('transcription', { nullable: true }),
    transcriptionLanguage: t.exposeString('transcriptionLanguage', { nullable: true }),
    basePath: t.exposeString('basePath'),
    baseUrl: t.string({
      description: 'Files lie at {baseUrl}_{variant index}.{ext}.',
      select: { ...withDomain, basePath: true },
      resolve: (track, _, ctx) => baseUrlOf(ctx, track),
    }),
    filesCompletedAt: t.expose('filesCompletedAt', { type: 'DateTime', nullable: true }),
    files: t.relation('files', { query: { orderBy: withFiles.files.orderBy }, description: 'Oldest variant first.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
})

const TrackFilter = builder.inputType('TrackFilter', {
  description: 'What narrows a list of tracks.',
  fields: (t) => ({ collectionId: t.id(), organizationIndex: t.string({ description: 'Exactly this.' }) }),
})
const UpdateTrackInput = builder.inputType('UpdateTrackInput', {
  description: 'Only the fields that are present are changed; null clears one that may be null.',
  fields: (t) => ({
    organizationIndex: t.string(),
    metadata: t.field({ type: 'JSON' }),
    playerTitle: t.string(),
    playerSubtitle: t.string(),
    playerColor: t.string(),
    theme: t.field({ type: [ThemeColorInput] }),
    transcription: t.string(),
    transcriptionLanguage: t.string(),
  }),
})

const UpdateTrackPayload = builder.objectRef<{ track: TrackWithDomain }>('UpdateTrackPayload').implement({
  description: 'Holds the track.',
  fields: (t) => ({ track: t.field({ type: TrackObject, resolve: ({ track }) => track }) }),
})
const DeleteTrackPayload = builder.objectRef<{ deletedTrack: TrackWithDomain }>('DeleteTrackPayload').implement({
  description: 'Holds the track as it was.',
  fields: (t) => ({ deletedTrack: t.field({ type: TrackObject, resolve: ({ deletedTrack }) => deletedTrack }) }),
})

builder.queryFields((t) => ({
  tracks: t.prismaConnection({
    type: 'Track',
    ...connection,
    description: 'Tracks, newest first.',
    args: { filter: t.arg({ type: TrackFilter }) },
    totalCount: (_, { filter }, ctx) => countTracks(ctx, present(filter)),
    resolve: (query, _, { filter, ...page }, ctx) => {
      checkPage(page)
      return findTracks(ctx, present(filter), query)
    },
  }),
  track: t.prismaField({
    type: 'Track',
    description: 'One track.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _, { id }, ctx) => findTrack(ctx, id, query),
  }),
}))

builder.mutationFields((t) => ({
  updateTrack: t.field({
    type: UpdateTrackPayload,
    description: 'Changes a track.',
    args: { id: t.arg.id({ required: true }), input: t.arg({ type: UpdateTrackInput, required: true }) },
    resolve: async (_, { id, input }, ctx) => ({ track: await updateTrack(ctx, id, input) }),
  }),
  deleteTrack: t.field({
    type: DeleteTrackPayload,
    description: 'Deletes a track. Its files stop being delivered at once.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_, { id }, ctx) => ({ deletedTrack: await deleteTrack(ctx, id) }),
  }),
}))
