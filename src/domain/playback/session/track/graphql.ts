import { builder } from '../../../../platform/graphql/builder.ts'
import { defineConnection } from '../../../../platform/graphql/list.ts'
import { needs, needsColumns, readWith } from '../../../../platform/graphql/plan.ts'
import { priceOfText } from '../../../../platform/graphql/price.ts'
import { themeField } from '../../../organization/graphql.ts'
import { TrackStatusEnum } from '../../../track/graphql.ts'
import { effectivePlayer, type PlayerLevels } from '../../../track/player.ts'
import { ORDER, toPosition, trackColumns } from '../../../track/record.ts'
import { effectiveFields } from '../record.ts'

/** Options of a field with an effective player value. */
const effectiveField = (name: keyof typeof effectiveFields) => ({
  description: effectiveFields[name].description,
  ...needs({
    columns: ['playerTitle', 'playerSubtitle', 'playerColor', 'fileName', 'fileNameOriginal', 'info'],
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

/** A separate type, because `Track` leads to records that listeners may not see. */
export const PlayTrack = builder.prismaObject('Track', {
  variant: 'PlayTrack',
  description: 'A track as listeners see it, with its effective player values.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'ID of the track. UUID.' }),
    collectionId: t.exposeID('collectionId', { description: 'ID of the collection.' }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'ID of the creator. Null without a creator.' }),
    index: t.exposeString('index', { description: 'Short URL-safe ID, unique in the organization.' }),
    order: t.int({ description: ORDER, ...needsColumns('order'), resolve: toPosition }),
    status: t.expose('status', { type: TrackStatusEnum, description: 'State of the track.' }),
    fileName: t.exposeString('fileName', {
      description: 'File name with only characters that are safe in headers and file systems.',
    }),
    duration: t.exposeFloat('durationSeconds', { nullable: true, description: 'Seconds. Null until processed.' }),
    organizationIndex: t.exposeString('organizationIndex', {
      nullable: true,
      description: "The client's own identifier. Null when not set.",
    }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      description: "The client's own JSON object.",
      extensions: { price: priceOfText(trackColumns.metadata.maxBytes) },
    }),
    playerTitle: t.string(effectiveField('playerTitle')),
    playerSubtitle: t.string(effectiveField('playerSubtitle')),
    playerColor: t.string(effectiveField('playerColor')),
    playerColorLight: t.string(effectiveField('playerColorLight')),
    playerColorDark: t.string(effectiveField('playerColorDark')),
    theme: t.field(themeField),
    transcriptionLanguage: t.exposeString('transcriptionLanguage', {
      nullable: true,
      description: 'Language of the transcription as a BCP 47 tag. Null when not set.',
    }),
  }),
})

/** The connection and edge types of the tracks of a session. */
export const playTrackConnection = defineConnection('PlayTrack', PlayTrack, 'A track')
