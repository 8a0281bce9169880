import { builder } from '../../../../platform/graphql/builder.ts'
import { coverImages, toRestCover } from '../../../organization/cover/graphql.ts'
import { signedUrl } from '../../../organization/delivery.ts'
import { inheritedCover } from '../../../organization/inherit.ts'
import { PreviewData, toRestPreview } from '../../../track/file/graphql.ts'
import { LevelsData, toRestLevels } from '../../../track/levels/graphql.ts'
import type { FileWithVariant } from '../../../track/service.ts'
import { VariantTypeEnum } from '../../../variant/graphql.ts'
import { propsField, toRestProps } from '../../../variant/types/graphql.ts'
import { type Download, downloadOf, type Playback } from '../playback.ts'
import { PlayTrack } from '../track/graphql.ts'

interface PlayFileShape {
  file: FileWithVariant
  playback: Playback
}
const PlayFile = builder.objectRef<PlayFileShape>('PlayFile').implement({
  description: 'A file that plays.',
  fields: (t) => ({
    id: t.id({ description: 'UUID.', resolve: ({ file }) => file.id }),
    variantIndex: t.string({ description: 'Delivery name of its variant.', resolve: ({ file }) => file.variant.index }),
    variantTypeId: t.field({
      type: VariantTypeEnum,
      description: 'Kind of its variant: TRANSCODE or PREVIEW.',
      resolve: ({ file }) => file.variant.type,
    }),
    url: t.string({
      description: 'Signed now, valid for an hour.',
      resolve: ({ file, playback }, _, ctx) => signedUrl(ctx, playback.track.organization, file.path ?? ''),
    }),
    contentType: t.string({
      nullable: true,
      description: 'As it is delivered.',
      resolve: ({ file }) => file.contentType,
    }),
    size: t.float({ description: 'Bytes.', resolve: ({ file }) => Number(file.size) }),
    fileName: t.string({ nullable: true, description: 'For a download.', resolve: ({ file }) => file.fileName }),
    preview: t.field({
      type: PreviewData,
      nullable: true,
      description: 'Which part of the recording it holds; null for a whole one.',
      resolve: ({ file }) => (file.variant.type === 'preview' ? toRestPreview(file.data) : null),
    }),
    props: t.field({
      ...propsField,
      description: 'Parameters that it was made with.',
      resolve: ({ file }) => toRestProps(file.variant.type, file.props),
    }),
  }),
})

const DownloadObject = builder.objectRef<Download>('PlayDownload').implement({
  description: 'A file to be saved.',
  fields: (t) => ({
    variantIndex: t.string({ description: 'Delivery name of its variant.', resolve: ({ file }) => file.variant.index }),
    url: t.exposeString('url', { description: 'Signed now, valid for an hour; browsers save what it leads to.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the address ends.' }),
  }),
})

export const PlaybackObject = builder.objectRef<Playback>('Playback').implement({
  description: 'All that a player needs of one track.',
  fields: (t) => ({
    trackId: t.id({ description: 'UUID of the track.', resolve: ({ track }) => track.id }),
    track: t.field({ type: PlayTrack, description: 'The track.', resolve: ({ track }) => track }),
    transcription: t.string({
      nullable: true,
      description: 'The words of the track. Not a field of PlayTrack, which also appears in lists.',
      resolve: ({ track }) => track.transcription,
    }),
    variants: t.field({
      type: [PlayFile],
      description:
        'Finished files that play, in the order that the session was asked for; without one whole recordings first.',
      resolve: (playback) => playback.files.map((file) => ({ file, playback })),
    }),
    levels: t.field({
      type: LevelsData,
      nullable: true,
      description: 'Loudness over time; null until it is made.',
      resolve: ({ levels, track }) => levels && toRestLevels(levels.data as object, track.organizationId),
    }),
    coverImage: t.field({
      type: coverImages,
      nullable: true,
      description: "The track's cover, or its collection's or organization's, as those say; null where there is none.",
      resolve: ({ track, cover }) => toRestCover(track.organizationId, inheritedCover({ ...track, own: cover })),
    }),
    download: t.field({
      type: DownloadObject,
      nullable: true,
      description: 'One of its files to be saved, where the session allows it.',
      args: { variantIndex: t.arg.string({ required: true, description: 'Delivery name of the variant.' }) },
      resolve: (playback, { variantIndex }, ctx) => downloadOf(ctx, playback, variantIndex),
    }),
  }),
})
