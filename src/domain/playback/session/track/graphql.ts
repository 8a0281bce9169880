import { builder } from '../../../../platform/builder.ts'
import { playerColorDarkField, playerColorLightField, themeField } from '../../../organization/graphql.ts'
import { TrackStatusEnum } from '../../../track/graphql.ts'

/** A type of its own: from `Track` a listener would get to everything that belongs to it. */
export const PlayTrack = builder.prismaObject('Track', {
  variant: 'PlayTrack',
  description: 'A track as its listeners see it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    collectionId: t.exposeID('collectionId', { description: 'The collection it lies in.' }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The creator it belongs to, if one.' }),
    index: t.exposeString('index', { description: 'Short URL-safe id, unique in the organization.' }),
    order: t.exposeInt('order', { description: 'Place in the collection, from 0.' }),
    status: t.expose('status', { type: TrackStatusEnum, description: 'How far it is.' }),
    fileName: t.exposeString('fileName', { description: 'In characters that are safe in headers and file systems.' }),
    duration: t.exposeFloat('durationSeconds', { nullable: true, description: 'Seconds; null until it is known.' }),
    organizationIndex: t.exposeString('organizationIndex', {
      nullable: true,
      description: "The client's own identifier.",
    }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    playerTitle: t.exposeString('playerTitle', { nullable: true, description: 'Shown to listeners.' }),
    playerSubtitle: t.exposeString('playerSubtitle', { nullable: true, description: 'Shown below the title.' }),
    playerColor: t.exposeString('playerColor', { nullable: true, description: "Null inherits the session's." }),
    playerColorLight: t.string(playerColorLightField),
    playerColorDark: t.string(playerColorDarkField),
    theme: t.field(themeField),
    transcription: t.exposeString('transcription', { nullable: true, description: 'What is said in it.' }),
    transcriptionLanguage: t.exposeString('transcriptionLanguage', { nullable: true, description: 'BCP 47 tag.' }),
  }),
})

const PlayTrackEdge = builder.edgeObject({
  name: 'PlayTrackEdge',
  description: 'A track and its place in the list.',
  type: PlayTrack,
})
/** The two types of a page of a session's tracks. */
export const playTrackConnection = [
  builder.connectionObject(
    { name: 'PlayTrackConnection', description: 'A page of a list (Relay cursor connections).', type: PlayTrack },
    PlayTrackEdge,
  ),
  PlayTrackEdge,
] as const
