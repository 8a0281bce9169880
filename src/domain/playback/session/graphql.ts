import { invalidInput } from '../../../platform/errors.ts'
import { builder, omitNulls } from '../../../platform/graphql/builder.ts'
import { rootPage } from '../../../platform/graphql/page.ts'
import { legibleColors } from '../../organization/colors.ts'
import { createPlaySession } from './open.ts'
import { PlaybackObject } from './playback/graphql.ts'
import { getFirstPlayback, getPlayback } from './playback.ts'
import {
  byPlace,
  countPlayTracks,
  findPlayTracks,
  getPlaySession,
  type PlaySessionWithLevels,
  playerColorOf,
} from './service.ts'
import { PlayTrack, playTrackConnection } from './track/graphql.ts'

const order = { orderBy: byPlace, key: 'id' }
const PlaySessionObject = builder.objectRef<PlaySessionWithLevels>('PlaySession').implement({
  description: 'Lets listeners hear one collection or one track. Its id is the credential.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID, random: who knows it may listen.' }),
    collectionId: t.exposeID('collectionId', { nullable: true, description: 'What it plays; null for a track alone.' }),
    trackId: t.exposeID('trackId', { nullable: true, description: 'What it plays; null for a collection.' }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The creator of what it plays, if one.' }),
    organizationIndex: t.exposeString('organizationIndex', {
      nullable: true,
      description: "The client's own identifier.",
    }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    variants: t.exposeStringList('variants', {
      description: 'Indexes of the variants that it hands out, in this order; empty is all that play.',
    }),
    isDownloadable: t.exposeBoolean('isDownloadable', { description: 'Whether it hands out files to be saved.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends by itself.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was opened.' }),
    playerColor: t.string({
      description: "The track's colour, else the collection's, else the organization's.",
      resolve: (session) => playerColorOf(session),
    }),
    playerColorLight: t.string({
      description: 'Derived from playerColor, legible on light backgrounds.',
      resolve: (session) => legibleColors(playerColorOf(session)).playerColorLight,
    }),
    playerColorDark: t.string({
      description: 'Derived from playerColor, legible on dark backgrounds.',
      resolve: (session) => legibleColors(playerColorOf(session)).playerColorDark,
    }),
    tracks: t.connection(
      {
        type: PlayTrack,
        description: 'Its tracks of which something plays, in their order.',
        resolve: (session, args, ctx, info) => {
          const list = (query: object) => findPlayTracks(ctx, session, query)
          return rootPage({ info, ctx, args, order, list, count: () => countPlayTracks(ctx, session) })
        },
      },
      ...playTrackConnection,
    ),
    firstTrack: t.field({
      type: PlaybackObject,
      nullable: true,
      description: 'All that is needed to begin with the first of its tracks; null where none plays.',
      resolve: (session, _, ctx) => getFirstPlayback(ctx, session),
    }),
    playback: t.field({
      type: PlaybackObject,
      nullable: true,
      description: 'All that is needed to play one of its tracks.',
      args: { trackId: t.arg.id({ required: true, description: 'UUID of the track.' }) },
      resolve: (session, { trackId }, ctx) => getPlayback(ctx, session, trackId),
    }),
  }),
})

const CreatePlaySessionInput = builder.inputType('CreatePlaySessionInput', {
  description: 'A new play session, of a collection or of a track.',
  fields: (t) => ({
    collectionId: t.id({ description: 'What it plays. Implied by a key that is limited to a collection.' }),
    trackId: t.id({ description: 'What it plays instead of a collection.' }),
    variants: t.stringList({
      description: 'Indexes or ids of the variants that it hands out; all that play unless told.',
    }),
    isDownloadable: t.boolean({ description: 'Whether files may be saved; false unless told.' }),
    organizationIndex: t.string({ description: "The client's own identifier." }),
    metadata: t.field({ type: 'JSON', description: "The client's own JSON object, `{}` unless given." }),
    expiresIn: t.int({ description: 'Seconds, 60 to 86400; 3600 unless told.' }),
  }),
})
const CreatePlaySessionPayload = builder
  .objectRef<{ playSession: PlaySessionWithLevels }>('CreatePlaySessionPayload')
  .implement({
    description: 'Holds the session.',
    fields: (t) => ({
      playSession: t.field({
        type: PlaySessionObject,
        description: 'The session.',
        resolve: ({ playSession }) => playSession,
      }),
    }),
  })

builder.queryField('playSession', (t) =>
  t.field({
    type: PlaySessionObject,
    nullable: true,
    description: 'The session of an id, which is its own credential.',
    args: { id: t.arg.id({ required: true, description: 'UUID of the session.' }) },
    resolve: (_, { id }, ctx) => getPlaySession(ctx, id),
  }),
)
builder.mutationField('createPlaySession', (t) =>
  t.field({
    type: CreatePlaySessionPayload,
    description: 'Opens a play session. The key that opened it ends it when it is revoked.',
    args: { input: t.arg({ type: CreatePlaySessionInput, required: true, description: 'The new session.' }) },
    resolve: async (_, { input }, ctx) => {
      if (input.collectionId && input.trackId)
        throw invalidInput('trackId', 'cannot be given together with collectionId')
      const scope = input.trackId ? 'track' : 'collection'
      return { playSession: await createPlaySession(ctx, { ...omitNulls(input), scope }) }
    },
  }),
)
