import { invalidInput } from '../../../platform/errors.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument, inputArgument, parseCreation } from '../../../platform/graphql/input.ts'
import { defineNode, Node } from '../../../platform/graphql/node.ts'
import { rootPage } from '../../../platform/graphql/page.ts'
import { expose, schemaFields } from '../../../platform/graphql/record.ts'
import { listCursors } from '../../../platform/schema/cursor.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { permitted, writeScope } from '../../access/viewer.ts'
import { legibleColors } from '../../organization/colors.ts'
import { createPlaySession } from './open.ts'
import { PlaybackObject } from './playback/graphql.ts'
import { getFirstPlayback, getPlayback } from './playback.ts'
import {
  createPlaySessionBody,
  createPlaySessionInput,
  playbackDescription,
  playerColorFields,
  playSessionDescription,
  playSessionFields,
  playSessionSubjectFields,
  variantsDescription,
} from './record.ts'
import {
  byPlace,
  countPlayTracks,
  findPlayerColor,
  findPlayTracks,
  getPlaySession,
  type PlaySessionWithLevels,
} from './service.ts'
import { PlayTrack, playTrackConnection } from './track/graphql.ts'

const PlaySessionObject = builder.objectRef<PlaySessionWithLevels>('PlaySession').implement({
  interfaces: [Node],
  description: playSessionDescription,
  fields: (t) => ({
    ...expose(t, { ...playSessionFields, ...playSessionSubjectFields }),
    variants: t.exposeStringList('variants', { description: variantsDescription }),
    playerColor: t.string({
      description: playerColorFields.playerColor.description,
      resolve: (session) => findPlayerColor(session),
    }),
    playerColorLight: t.string({
      description: playerColorFields.playerColorLight.description,
      resolve: (session) => legibleColors(findPlayerColor(session)).playerColorLight,
    }),
    playerColorDark: t.string({
      description: playerColorFields.playerColorDark.description,
      resolve: (session) => legibleColors(findPlayerColor(session)).playerColorDark,
    }),
    tracks: t.connection(
      {
        type: PlayTrack,
        description: 'The tracks that play, in the order of the collection. `totalCount` is at most 1,000.',
        resolve: (session, args, ctx, info) => {
          const { id: parentId, organizationId } = session
          const name = 'PlaySession.tracks'
          const cursors = listCursors(ctx.signing, { organizationId, name, orderBy: byPlace, parentId })
          const list = (query: object) => findPlayTracks(ctx, session, query)
          const count = () => countPlayTracks(ctx, session)
          return rootPage({ info, ctx, args, order: byPlace, list, count, cursors })
        },
      },
      ...playTrackConnection,
    ),
    firstTrack: t.field({
      type: PlaybackObject,
      nullable: true,
      description: 'The first track that plays. Null when no track plays.',
      resolve: (session, _, ctx) => getFirstPlayback(ctx, session),
    }),
    playback: t.field({
      type: PlaybackObject,
      nullable: true,
      description: playbackDescription,
      args: { trackId: idArgument('track') },
      resolve: (session, { trackId }, ctx) => getPlayback(ctx, session, parseId('trackId', trackId)),
    }),
  }),
})

const CreatePlaySessionInput = builder.inputType('CreatePlaySessionInput', {
  description: 'A new play session, of a collection or of a track.',
  fields: (t) =>
    schemaFields(t, createPlaySessionBody, {
      collectionId: 'ID',
      trackId: 'ID',
      variants: ['String'],
      isDownloadable: 'Boolean',
      organizationIndex: 'String',
      metadata: 'JSON',
      expiresIn: 'Int',
    }),
})
const CreatePlaySessionPayload = builder
  .objectRef<{ playSession: PlaySessionWithLevels }>('CreatePlaySessionPayload')
  .implement({
    description: 'The play session that was created.',
    fields: (t) => ({
      playSession: t.field({
        type: PlaySessionObject,
        description: 'The play session.',
        resolve: ({ playSession }) => playSession,
      }),
    }),
  })

defineNode('PlaySession', { model: 'PlaySession', find: getPlaySession, isCredential: true })

builder.queryField('playSession', (t) =>
  t.field({
    type: PlaySessionObject,
    nullable: true,
    description: 'Returns a play session. Its ID is the credential.',
    args: { id: idArgument('play session') },
    resolve: (_, { id }, ctx) => getPlaySession(ctx, parseId('playSessionId', id)),
  }),
)
builder.mutationField('createPlaySession', (t) =>
  t.field({
    type: CreatePlaySessionPayload,
    description: 'Creates a play session. It ends at the latest when its key expires or is revoked.',
    args: { input: inputArgument(CreatePlaySessionInput, 'The new play session.') },
    resolve: permitted(
      (ctx) => writeScope(ctx, ['api', 'player']),
      async (_, { input }, ctx) => {
        if (input.collectionId && input.trackId)
          throw invalidInput('trackId', 'cannot be given together with collectionId')
        const scope = input.trackId ? 'track' : input.collectionId ? 'collection' : undefined
        return { playSession: await createPlaySession(ctx, parseCreation(createPlaySessionInput, { ...input, scope })) }
      },
    ),
  }),
)
