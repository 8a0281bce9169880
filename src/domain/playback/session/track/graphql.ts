import { builder } from '../../../../platform/graphql/builder.ts'
import { needs, readWith } from '../../../../platform/graphql/plan.ts'
import { themeField } from '../../../organization/graphql.ts'
import { TrackStatusEnum } from '../../../track/graphql.ts'
import { effectivePlayer, type PlayerLevels } from '../../../track/player.ts'

/** Options of a field with a player value that applies to the track. */
const effectiveField = (name: keyof ReturnType<typeof effectivePlayer>, description: string) => ({
  description,
  ...needs({
    columns: ['playerTitle', 'playerSubtitle', 'playerColor', 'fileName', 'info'],
    also: {
      organization: { relation: 'organization', columns: ['playerColor'] },
      collection: { relation: 'collection', columns: ['playerColor', 'playerSubtitle'] },
    },
  }),
  resolve: (track: Omit<PlayerLevels, 'organization' | 'collection'>) =>
    effectivePlayer({
      ...track,
      organization: readWith<PlayerLevels['organization']>(track, 'organization'),
      collection: readWith<PlayerLevels['collection']>(track, 'collection'),
    })[name],
})

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
    playerTitle: t.string(
      effectiveField('playerTitle', "The track's title, else the title tag of the recording, else its file name."),
    ),
    playerSubtitle: t.string(
      effectiveField('playerSubtitle', "The track's subtitle, else the artist tag, else the collection's, else empty."),
    ),
    playerColor: t.string(
      effectiveField('playerColor', "The track's color, else the collection's, else the organization's."),
    ),
    playerColorLight: t.string(
      effectiveField('playerColorLight', 'Derived from playerColor, legible on light backgrounds.'),
    ),
    playerColorDark: t.string(
      effectiveField('playerColorDark', 'Derived from playerColor, legible on dark backgrounds.'),
    ),
    theme: t.field(themeField),
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
