import { builder, present } from '../../platform/builder.ts'
import { UploadHandleObject } from '../access/graphql.ts'
import { legibleColors } from '../organization/colors.ts'
import { TrackObject } from '../track/graphql.ts'
import {
  createTrack,
  createUploadSession,
  createUploadTrack,
  getUploadSession,
  type SessionWithColors,
  sessionColor,
  type TrackUpload,
  withColors,
} from './service.ts'

const UploadSessionObject = builder.prismaObject('UploadSession', {
  description: 'Batch upload of several tracks into one collection. Its id is the credential.',
  fields: (t) => ({
    id: t.exposeID('id'),
    creatorId: t.exposeID('creatorId', { nullable: true }),
    collectionId: t.exposeID('collectionId'),
    organizationIndex: t.exposeString('organizationIndex', { nullable: true }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    playerColor: t.string({
      nullable: true,
      select: withColors,
      description: "The collection's colour, else the organization's.",
      resolve: (session) => sessionColor(session),
    }),
    playerColorLight: t.string({
      nullable: true,
      select: withColors,
      resolve: (session) => legibleColors(sessionColor(session)).playerColorLight,
    }),
    playerColorDark: t.string({
      nullable: true,
      select: withColors,
      resolve: (session) => legibleColors(sessionColor(session)).playerColorDark,
    }),
  }),
})

const TrackUploadObject = builder.objectRef<TrackUpload>('TrackUpload').implement({
  description: 'A new track, and where to put its recording and its cover.',
  fields: (t) => ({
    track: t.field({ type: TrackObject, resolve: ({ track }) => track }),
    trackUpload: t.field({ type: UploadHandleObject, resolve: ({ trackUpload }) => trackUpload }),
    trackCoverUpload: t.field({ type: UploadHandleObject, resolve: ({ trackCoverUpload }) => trackCoverUpload }),
  }),
})

interface SessionResult {
  session: SessionWithColors
  upload: TrackUpload | null
}
const payload = (name: string) =>
  builder.objectRef<SessionResult>(name).implement({
    description: 'Holds the session, and the upload of the track that was created in it.',
    fields: (t) => ({
      uploadSession: t.field({ type: UploadSessionObject, resolve: ({ session }) => session }),
      upload: t.field({ type: TrackUploadObject, nullable: true, resolve: ({ upload }) => upload }),
    }),
  })
const CreateUploadSessionPayload = payload('CreateUploadSessionPayload')
const CreateUploadTrackPayload = payload('CreateUploadTrackPayload')
const CreateTrackPayload = builder.objectRef<TrackUpload>('CreateTrackPayload').implement({
  description: 'Holds the track, and where to upload to.',
  fields: (t) => ({
    track: t.field({ type: TrackObject, resolve: ({ track }) => track }),
    upload: t.field({ type: TrackUploadObject, resolve: (upload) => upload }),
  }),
})

const UploadTrackInput = builder.inputType('UploadTrackInput', {
  description: 'A track to be uploaded.',
  fields: (t) => ({
    fileName: t.string({ required: true, description: 'Original file name.' }),
    organizationIndex: t.string(),
    metadata: t.field({ type: 'JSON' }),
  }),
})
const CreateUploadSessionInput = builder.inputType('CreateUploadSessionInput', {
  description: 'A new upload session.',
  fields: (t) => ({
    collectionId: t.id({ description: 'Implied by a key that is scoped to a collection.' }),
    creatorId: t.id(),
    organizationIndex: t.string(),
    metadata: t.field({ type: 'JSON' }),
    expiresIn: t.int({ description: 'Seconds, 60 to 86400; 3600 unless told.' }),
    track: t.field({ type: UploadTrackInput, description: 'A first track to create with it.' }),
  }),
})
const CreateTrackInput = builder.inputType('CreateTrackInput', {
  description: 'A track outside an upload session.',
  fields: (t) => ({
    fileName: t.string({ required: true, description: 'Original file name.' }),
    collectionId: t.id({ description: 'Implied by a key that is scoped to a collection.' }),
    creatorId: t.id(),
    organizationIndex: t.string(),
    metadata: t.field({ type: 'JSON' }),
  }),
})

builder.queryField('uploadSession', (t) =>
  t.field({
    type: UploadSessionObject,
    description: 'The session of an id, which is its own credential.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_, { id }, ctx) => getUploadSession(ctx, id),
  }),
)

builder.mutationFields((t) => ({
  createUploadSession: t.field({
    type: CreateUploadSessionPayload,
    description: 'Creates an upload session, and a first track where one is described.',
    args: { input: t.arg({ type: CreateUploadSessionInput, required: true }) },
    resolve: (_, { input }, ctx) =>
      createUploadSession(ctx, { ...present(input), track: input.track && present(input.track) }),
  }),
  createUploadTrack: t.field({
    type: CreateUploadTrackPayload,
    description: 'Creates one track in a session; called once per file. The session id is the credential.',
    args: { uploadSessionId: t.arg.id({ required: true }), input: t.arg({ type: UploadTrackInput, required: true }) },
    resolve: (_, { uploadSessionId, input }, ctx) => createUploadTrack(ctx, uploadSessionId, present(input)),
  }),
  createTrack: t.field({
    type: CreateTrackPayload,
    description: 'Creates a track outside a session.',
    args: { input: t.arg({ type: CreateTrackInput, required: true }) },
    resolve: (_, { input }, ctx) => createTrack(ctx, present(input)),
  }),
}))
