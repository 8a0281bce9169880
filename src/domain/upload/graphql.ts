import { builder, omitNulls, reloaded } from '../../platform/graphql/builder.ts'
import { UploadHandleObject } from '../access/graphql.ts'
import { legibleColors } from '../organization/colors.ts'
import {
  createTrack,
  createUploadSession,
  createUploadTrack,
  getUploadSession,
  type SessionWithColors,
  sessionColor,
  type TrackUpload,
} from './service.ts'

const UploadSessionObject = builder.objectRef<SessionWithColors>('UploadSession').implement({
  description: 'Batch upload of several tracks into one collection. Its id is the credential.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID, random: who knows it may upload.' }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The creator that its tracks belong to.' }),
    collectionId: t.exposeID('collectionId', { description: 'The collection that its tracks lie in.' }),
    organizationIndex: t.exposeString('organizationIndex', {
      nullable: true,
      description: "The client's own identifier.",
    }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'No track can be created after.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    playerColor: t.string({
      nullable: true,
      description: "The collection's colour, else the organization's.",
      resolve: (session) => sessionColor(session),
    }),
    playerColorLight: t.string({
      nullable: true,
      description: 'Derived from playerColor, legible on light backgrounds.',
      resolve: (session) => legibleColors(sessionColor(session)).playerColorLight,
    }),
    playerColorDark: t.string({
      nullable: true,
      description: 'Derived from playerColor, legible on dark backgrounds.',
      resolve: (session) => legibleColors(sessionColor(session)).playerColorDark,
    }),
  }),
})

const createdTrack = {
  description: 'The new track.',
  ...reloaded('Track', ({ track }: Pick<TrackUpload, 'track'>) => track.id),
}
const TrackUploadObject = builder.objectRef<TrackUpload>('TrackUpload').implement({
  description: 'A new track, and where to put its recording and its cover.',
  fields: (t) => ({
    track: t.field(createdTrack),
    trackUpload: t.field({
      type: UploadHandleObject,
      description: 'Takes the recording.',
      resolve: ({ trackUpload }) => trackUpload,
    }),
    trackCoverUpload: t.field({
      type: UploadHandleObject,
      description: 'Takes one cover image.',
      resolve: ({ trackCoverUpload }) => trackCoverUpload,
    }),
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
      uploadSession: t.field({
        type: UploadSessionObject,
        description: 'The session.',
        resolve: ({ session }) => session,
      }),
      upload: t.field({
        type: TrackUploadObject,
        nullable: true,
        description: 'Of the track that was created; null without one.',
        resolve: ({ upload }) => upload,
      }),
    }),
  })
const CreateUploadSessionPayload = payload('CreateUploadSessionPayload')
const CreateUploadTrackPayload = payload('CreateUploadTrackPayload')
const CreateTrackPayload = builder.objectRef<TrackUpload>('CreateTrackPayload').implement({
  description: 'Holds the track, and where to upload to.',
  fields: (t) => ({
    track: t.field(createdTrack),
    upload: t.field({ type: TrackUploadObject, description: 'Where to upload to.', resolve: (upload) => upload }),
  }),
})

const UploadTrackInput = builder.inputType('UploadTrackInput', {
  description: 'A track to be uploaded.',
  fields: (t) => ({
    fileName: t.string({ required: true, description: 'Original file name.' }),
    fileSize: t.float({ description: 'Bytes of the recording, where known: one of another size is then refused.' }),
    organizationIndex: t.string({ description: "The client's own identifier." }),
    metadata: t.field({ type: 'JSON', description: "The client's own JSON object, `{}` unless given." }),
    playerTitle: t.string({ description: 'Shown to listeners.' }),
    playerSubtitle: t.string({ description: 'Shown below the title.' }),
    playerColor: t.string({ description: "Hex color; null inherits the collection's." }),
  }),
})
const CreateUploadSessionInput = builder.inputType('CreateUploadSessionInput', {
  description: 'A new upload session.',
  fields: (t) => ({
    collectionId: t.id({ description: 'Implied by a key that is scoped to a collection.' }),
    creatorId: t.id({ description: "The collection's unless told." }),
    organizationIndex: t.string({ description: "The client's own identifier." }),
    metadata: t.field({ type: 'JSON', description: "The client's own JSON object, `{}` unless given." }),
    expiresIn: t.int({ description: 'Seconds, 60 to 86400; 3600 unless told.' }),
    track: t.field({ type: UploadTrackInput, description: 'A first track to create with it.' }),
  }),
})
const CreateTrackInput = builder.inputType('CreateTrackInput', {
  description: 'A track outside an upload session.',
  fields: (t) => ({
    fileName: t.string({ description: 'Original file name; required without a sourceUrl, which may name it else.' }),
    fileSize: t.float({ description: 'Bytes of the recording, where known: one of another size is then refused.' }),
    sourceUrl: t.string({
      description: 'Address to take the recording from, instead of an upload; INITIALIZED until it has come or failed.',
    }),
    collectionId: t.id({ description: 'Implied by a key that is scoped to a collection.' }),
    creatorId: t.id({ description: "The collection's unless told." }),
    organizationIndex: t.string({ description: "The client's own identifier." }),
    metadata: t.field({ type: 'JSON', description: "The client's own JSON object, `{}` unless given." }),
    playerTitle: t.string({ description: 'Shown to listeners.' }),
    playerSubtitle: t.string({ description: 'Shown below the title.' }),
    playerColor: t.string({ description: "Hex color; null inherits the collection's." }),
  }),
})

builder.queryField('uploadSession', (t) =>
  t.field({
    type: UploadSessionObject,
    nullable: true,
    description: 'The session of an id, which is its own credential.',
    args: { id: t.arg.id({ required: true, description: 'UUID of the session.' }) },
    resolve: (_, { id }, ctx) => getUploadSession(ctx, id),
  }),
)

builder.mutationFields((t) => ({
  createUploadSession: t.field({
    type: CreateUploadSessionPayload,
    description: 'Creates an upload session, and a first track where one is described.',
    args: { input: t.arg({ type: CreateUploadSessionInput, required: true, description: 'The new session.' }) },
    resolve: (_, { input }, ctx) =>
      createUploadSession(ctx, { ...omitNulls(input), track: input.track && omitNulls(input.track) }),
  }),
  createUploadTrack: t.field({
    type: CreateUploadTrackPayload,
    description: 'Creates one track in a session; called once per file. The session id is the credential.',
    args: {
      uploadSessionId: t.arg.id({ required: true, description: 'UUID of the session.' }),
      input: t.arg({ type: UploadTrackInput, required: true, description: 'The new track.' }),
    },
    resolve: (_, { uploadSessionId, input }, ctx) => createUploadTrack(ctx, uploadSessionId, omitNulls(input)),
  }),
  createTrack: t.field({
    type: CreateTrackPayload,
    description: 'Creates a track outside a session.',
    args: { input: t.arg({ type: CreateTrackInput, required: true, description: 'The new track.' }) },
    resolve: (_, { input }, ctx) => createTrack(ctx, omitNulls(input)),
  }),
}))
