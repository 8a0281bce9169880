import { builder } from '../../../../platform/graphql/builder.ts'
import { priceOfText, signedPrice } from '../../../../platform/graphql/price.ts'
import { signedUrl } from '../../../delivery/address.ts'
import { coverImages, toRestCover } from '../../../organization/cover/graphql.ts'
import { inheritedCover } from '../../../organization/inherit.ts'
import { PreviewData, toRestPreview } from '../../../track/file/graphql.ts'
import { LevelsData, toRestLevels } from '../../../track/file/levels/graphql.ts'
import { trackColumns } from '../../../track/record.ts'
import type { FileWithVariant } from '../../../track/service.ts'
import { playedTranslationsField } from '../../../track/translation/graphql.ts'
import { VariantTypeEnum } from '../../../variant/graphql.ts'
import { propsField, toRestProps } from '../../../variant/types/graphql.ts'
import { adaptiveUrl, createDownload, listeningUrl, type Playback, type PlaybackDownload } from '../playback.ts'
import { downloadDescription, downloadDescriptions, playbackDescription, playbackDescriptions } from '../record.ts'
import { PlayTrack } from '../track/graphql.ts'

/** Variants that a session may name. */
const MAX_VARIANTS = 50

interface PlayFileShape {
  file: FileWithVariant
  playback: Playback
}
const PlayFile = builder.objectRef<PlayFileShape>('PlayFile').implement({
  description: 'A file that plays.',
  fields: (t) => ({
    id: t.id({ description: 'ID of the file. UUID.', resolve: ({ file }) => file.id }),
    variantIndex: t.string({ description: 'Index of its variant.', resolve: ({ file }) => file.variant.index }),
    variantTypeId: t.field({
      type: VariantTypeEnum,
      description: 'Type of its variant: one that plays.',
      resolve: ({ file }) => file.variant.type,
    }),
    url: t.string({
      description: 'Signed URL, valid for an hour.',
      ...signedPrice,
      resolve: ({ file, playback }, _, ctx) => signedUrl(ctx, playback.track.organization, file.path ?? ''),
    }),
    contentType: t.string({
      nullable: true,
      description: 'Content type of the delivery.',
      resolve: ({ file }) => file.contentType,
    }),
    size: t.float({ description: 'Bytes.', resolve: ({ file }) => Number(file.size) }),
    fileName: t.string({
      nullable: true,
      description: 'File name of a download.',
      resolve: ({ file }) => file.fileName,
    }),
    preview: t.field({
      type: PreviewData,
      nullable: true,
      description: 'The part of the recording in the file. Null for the whole recording.',
      resolve: ({ file }) => (file.variant.type === 'preview' ? toRestPreview(file.data) : null),
    }),
    props: t.field({
      ...propsField,
      description: 'Parameters that the file was made with.',
      resolve: ({ file }) => toRestProps(file.variant.type, file.props),
    }),
  }),
})

const DownloadObject = builder.objectRef<PlaybackDownload>('PlayDownload').implement({
  description: downloadDescription,
  fields: (t) => ({
    variantIndex: t.string({ description: 'Index of its variant.', resolve: ({ file }) => file.variant.index }),
    url: t.exposeString('url', { description: downloadDescriptions.url }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: downloadDescriptions.expiresAt }),
  }),
})

export const PlaybackObject = builder.objectRef<Playback>('Playback').implement({
  description: playbackDescription,
  fields: (t) => ({
    trackId: t.id({ description: playbackDescriptions.trackId, resolve: ({ track }) => track.id }),
    track: t.field({ type: PlayTrack, description: playbackDescriptions.track, resolve: ({ track }) => track }),
    transcription: t.string({
      nullable: true,
      description:
        'Transcription of the track. Null when not set. PlayTrack, which also appears in lists, does not have it.',
      extensions: { price: priceOfText(trackColumns.transcription.maxBytes) },
      resolve: ({ track }) => track.transcription,
    }),
    translations: t.field({
      ...playedTranslationsField,
      resolve: ({ track }, args, ctx) => playedTranslationsField.resolve(track.id, args, ctx),
    }),
    variants: t.field({
      type: [PlayFile],
      extensions: { price: { items: MAX_VARIANTS } },
      description: playbackDescriptions.variants,
      resolve: (playback) => playback.files.map((file) => ({ file, playback })),
    }),
    hlsUrl: t.string({
      nullable: true,
      description: playbackDescriptions.hlsUrl,
      resolve: (playback, _, ctx) => adaptiveUrl(ctx, playback, 'm3u8'),
    }),
    dashUrl: t.string({
      nullable: true,
      description: playbackDescriptions.dashUrl,
      resolve: (playback, _, ctx) => adaptiveUrl(ctx, playback, 'mpd'),
    }),
    listeningUrl: t.string({
      nullable: true,
      description: playbackDescriptions.listeningUrl,
      ...signedPrice,
      resolve: (playback, _, ctx) => listeningUrl(ctx, playback),
    }),
    levels: t.field({
      type: LevelsData,
      nullable: true,
      description: playbackDescriptions.levels,
      resolve: ({ levels, track }) => levels && toRestLevels(levels.data as object, track.organizationId),
    }),
    coverImage: t.field({
      type: coverImages,
      nullable: true,
      description: playbackDescriptions.coverImage,
      resolve: ({ track, cover }) => toRestCover(track.organizationId, inheritedCover({ ...track, trackCover: cover })),
    }),
    download: t.field({
      type: DownloadObject,
      nullable: true,
      description: 'Returns a signed URL that makes a browser save a file, if the session is downloadable.',
      args: { variantIndex: t.arg.string({ required: true, description: 'Index of the variant.' }) },
      resolve: (playback, { variantIndex }, ctx) => createDownload(ctx, playback, variantIndex),
    }),
  }),
})
