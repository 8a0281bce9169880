import { builder } from '../../platform/graphql/builder.ts'
import { idArgument, inputArgument } from '../../platform/graphql/input.ts'
import { defineNode, Node } from '../../platform/graphql/node.ts'
import { definePayload, reloaded } from '../../platform/graphql/payload.ts'
import { withPrice } from '../../platform/graphql/price.ts'
import { expose, schemaFields } from '../../platform/graphql/record.ts'
import { createdAt } from '../../platform/schema/fields.ts'
import { parse, parseId } from '../../platform/schema/parse.ts'
import { permitted, writeScope } from '../access/viewer.ts'
import { TrackStatusEnum } from '../track/graphql.ts'
import { createTrackInput, newTrackInput, trackStatusShape } from '../track/record.ts'
import { Replacement } from '../track/replacement/graphql.ts'
import { replaceRecordingInput } from '../track/replacement/record.ts'
import { UploadHandleObject } from '../upload-address/graphql.ts'
import { followSession, MAX_SESSION_TRACKS, readSessionTracks, type SessionTrack } from './follow.ts'
import {
  createUploadSessionInput,
  SESSION_PROGRESS,
  sessionColorFields,
  sessionTrackDescription,
  sessionTrackFields,
  uploadSessionDescription,
  uploadSessionFields,
} from './record.ts'
import { type RecordingUpload, replaceRecording } from './replace.ts'
import {
  createTrack,
  createUploadSession,
  createUploadTrack,
  getUploadSession,
  type SessionWithColors,
  sessionColors,
  type TrackUpload,
} from './service.ts'

const SessionTrackObject = builder.objectRef<SessionTrack>('UploadSessionTrack').implement({
  description: sessionTrackDescription,
  fields: (t) => ({
    ...expose(t, sessionTrackFields),
    status: t.expose('status', { type: TrackStatusEnum, description: trackStatusShape.description }),
    progressPercent: t.exposeInt('progress', { description: SESSION_PROGRESS }),
    isFinal: t.exposeBoolean('isFinal', {
      description: 'Whether no further change follows. A variant that is added later starts a new run.',
    }),
    isDeleted: t.exposeBoolean('isDeleted', { description: 'Whether the track was deleted.' }),
  }),
})

const UploadSessionObject = builder.objectRef<SessionWithColors>('UploadSession').implement({
  interfaces: [Node],
  description: uploadSessionDescription,
  fields: (t) => ({
    ...expose(t, { ...uploadSessionFields, createdAt }),
    tracks: t.field({
      type: [SessionTrackObject],
      description: `State of the tracks that were created in the session, newest first. At most ${MAX_SESSION_TRACKS}.`,
      ...withPrice({}, { items: MAX_SESSION_TRACKS, points: 5 }),
      resolve: ({ id }, _, ctx) => readSessionTracks(ctx, id),
    }),
    playerColor: t.string({
      nullable: true,
      description: sessionColorFields.playerColor.description,
      resolve: (session) => sessionColors(session).playerColor,
    }),
    playerColorLight: t.string({
      nullable: true,
      description: sessionColorFields.playerColorLight.description,
      resolve: (session) => sessionColors(session).playerColorLight,
    }),
    playerColorDark: t.string({
      nullable: true,
      description: sessionColorFields.playerColorDark.description,
      resolve: (session) => sessionColors(session).playerColorDark,
    }),
  }),
})

const createdTrack = {
  description: 'The new track.',
  ...reloaded('Track', ({ track }: Pick<TrackUpload, 'track'>) => track.id),
}
const TrackUploadObject = builder.objectRef<TrackUpload>('TrackUpload').implement({
  description: 'A new track, and the addresses that take its recording and its cover.',
  fields: (t) => ({
    track: t.field(createdTrack),
    trackUpload: t.field({
      type: UploadHandleObject,
      description: 'Address that takes the recording.',
      resolve: ({ trackUpload }) => trackUpload,
    }),
    trackCoverUpload: t.field({
      type: UploadHandleObject,
      description: 'Address that takes a cover.',
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
    description: 'An upload session, and the track that was created in it.',
    fields: (t) => ({
      uploadSession: t.field({
        type: UploadSessionObject,
        description: 'The upload session.',
        resolve: ({ session }) => session,
      }),
      upload: t.field({
        type: TrackUploadObject,
        nullable: true,
        description: 'The track that was created. Null without one.',
        resolve: ({ upload }) => upload,
      }),
    }),
  })
const CreateUploadSessionPayload = payload('CreateUploadSessionPayload')
const CreateUploadTrackPayload = payload('CreateUploadTrackPayload')
const CreateTrackPayload = builder.objectRef<TrackUpload>('CreateTrackPayload').implement({
  description: 'The track that was created.',
  fields: (t) => ({
    track: t.field(createdTrack),
    upload: t.field({
      type: TrackUploadObject,
      description: 'The addresses that take its recording and its cover.',
      resolve: (upload) => upload,
    }),
  }),
})

const ReplaceRecordingPayload = definePayload<RecordingUpload>('ReplaceRecording', 'track', 'Track', {
  description: 'The track, and the address that takes its new recording.',
  fieldDescription: 'The track, with the recording that it has until the new one is ready.',
  more: (t) => ({
    replacement: t.field({
      type: Replacement,
      description: 'The new recording.',
      resolve: ({ replacement }) => replacement,
    }),
    trackUpload: t.field({
      type: UploadHandleObject,
      description: 'Address that takes the recording.',
      resolve: ({ trackUpload }) => trackUpload,
    }),
  }),
})

const trackTypes = {
  fileName: 'String',
  fileSize: 'Float',
  organizationIndex: 'String',
  metadata: 'JSON',
  playerTitle: 'String',
  playerSubtitle: 'String',
  playerColor: 'String',
} as const
const UploadTrackInput = builder.inputType('UploadTrackInput', {
  description: 'A new track in an upload session.',
  fields: (t) => schemaFields(t, newTrackInput, trackTypes),
})
const CreateUploadSessionInput = builder.inputType('CreateUploadSessionInput', {
  description: 'A new upload session.',
  fields: (t) => ({
    ...schemaFields(t, createUploadSessionInput, {
      collectionId: 'ID',
      creatorId: 'ID',
      organizationIndex: 'String',
      metadata: 'JSON',
      expiresIn: 'Int',
    }),
    track: t.field({ type: UploadTrackInput, description: createUploadSessionInput.shape.track.description }),
  }),
})
const CreateTrackInput = builder.inputType('CreateTrackInput', {
  description: 'A new track outside an upload session.',
  fields: (t) =>
    schemaFields(t, createTrackInput, { ...trackTypes, sourceUrl: 'String', collectionId: 'ID', creatorId: 'ID' }),
})

const ReplaceRecordingInput = builder.inputType('ReplaceRecordingInput', {
  description: 'The new recording of a track.',
  fields: (t) => schemaFields(t, replaceRecordingInput, { fileName: 'String', fileSize: 'Float', sourceUrl: 'String' }),
})

defineNode('UploadSession', { model: 'UploadSession', find: getUploadSession, isCredential: true })

builder.queryField('uploadSession', (t) =>
  t.field({
    type: UploadSessionObject,
    nullable: true,
    description: 'Returns an upload session. The ID is the credential.',
    args: { id: idArgument('upload session', uploadSessionFields.id.description) },
    resolve: (_, { id }, ctx) => getUploadSession(ctx, parseId('uploadSessionId', id)),
  }),
)

builder.subscriptionField('uploadSessionChanged', (t) =>
  t.field({
    type: SessionTrackObject,
    description:
      'Streams the state and progress of the tracks of an upload session. The ID is the credential, so that a page ' +
      'follows its own upload without a key. It starts with the current states. The same state may be sent again after a ' +
      'reconnection. It ends with the error `expired` when the session does.',
    args: { id: idArgument('upload session', uploadSessionFields.id.description) },
    subscribe: (_, { id }, ctx) => followSession(ctx, parseId('uploadSessionId', id)),
    resolve: (state) => {
      if (state instanceof Error) throw state
      return state
    },
  }),
)

builder.mutationFields((t) => ({
  createUploadSession: t.field({
    type: CreateUploadSessionPayload,
    description:
      'Creates an upload session, and its first track if the input contains one. It ends at the latest when its key ' +
      'expires or is revoked.',
    args: { input: inputArgument(CreateUploadSessionInput, 'The new session.') },
    resolve: permitted(
      (ctx) => writeScope(ctx, ['api', 'uploader']),
      (_, { input }, ctx) => createUploadSession(ctx, parse(createUploadSessionInput, input)),
    ),
  }),
  createUploadTrack: t.field({
    type: CreateUploadTrackPayload,
    description: 'Creates a track in a session. Called once per file. The ID of the session is the credential.',
    args: {
      uploadSessionId: idArgument('upload session', uploadSessionFields.id.description),
      input: inputArgument(UploadTrackInput, 'The new track.'),
    },
    resolve: async (_, { uploadSessionId, input }, ctx) => {
      const session = await getUploadSession(ctx, parseId('uploadSessionId', uploadSessionId))
      return { session, upload: await createUploadTrack(ctx, session, parse(newTrackInput, input)) }
    },
  }),
  createTrack: t.field({
    type: CreateTrackPayload,
    description: 'Creates a track outside a session.',
    args: { input: inputArgument(CreateTrackInput, 'The new track.') },
    resolve: permitted(writeScope, (_, { input }, ctx) => createTrack(ctx, parse(createTrackInput, input))),
  }),
  replaceRecording: t.field({
    type: ReplaceRecordingPayload,
    description:
      'Begins to replace the recording of a track. The returned address takes the new one as that of a new track. ' +
      'Listeners get the recording that the track has until the new one is ready; then all files change at once. A ' +
      'recording that cannot be used leaves the track as it is. Addresses, keys, names, metadata, chapters and plays ' +
      'stay. A replacement that had begun before ends.',
    args: { trackId: idArgument('track'), input: inputArgument(ReplaceRecordingInput, 'The new recording.') },
    resolve: permitted(writeScope, (_, { trackId, input }, ctx) =>
      replaceRecording(ctx, parseId('trackId', trackId), parse(replaceRecordingInput, input)),
    ),
  }),
}))
