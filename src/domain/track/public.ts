import { z } from 'zod'
import type { Services } from '../../platform/context.ts'
import { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import * as shape from '../../platform/schema/shape.ts'
import { legibleColors } from '../organization/colors.ts'
import { signedUrl } from '../organization/delivery.ts'
import { legibleColorShape, theme } from '../organization/record.ts'
import { variantType } from '../variant/types/index.ts'
import { withParts } from './file/bytes.ts'
import type { fileShape } from './file/public.ts'
import { analysisShape, infoShape } from './recording.ts'
import { baseUrlOf, type FileWithVariant, type ListedTrack, omittedInLists, type TrackWithDomain } from './service.ts'

/** Where a track is (contract, section 4). */
export const trackStatusShape = z.enum(TrackStatus).meta({ description: 'How far it is.', examples: ['ready'] })

const BASE_PATH = '0199c3f0/0199c3f1/Ab3dE5gH1j'

/** Contract, section 3, Track; `status_code`, `status_text` and `analysis` are ours. */
export const trackShape = z
  .object({
    id: shape.id(),
    organizationId: shape.id('The organization that it belongs to.'),
    collectionId: shape.id('The collection that it lies in.'),
    creatorId: shape.id('The creator that it belongs to, if one.').nullable(),
    index: shape.text('Short URL-safe id, unique in the organization.', 'Ab3dE5gH1j'),
    order: shape.wholeNumber('Place in the collection, from 0.', 0),
    trackStatusId: trackStatusShape,
    statusCode: shape
      .text('Machine-readable reason why the track failed, or is ready without a file.', 'not_audio')
      .nullable(),
    statusText: shape.text('The reason as a sentence for people.', 'There is no sound in it.').nullable(),
    fileName: shape.text('In characters that are safe in headers and file systems.', 'song.wav'),
    fileNameOriginal: shape.text('As it was named when it was created.', 'Song.wav').nullable(),
    duration: shape.number('Seconds; null until it is known.', 183.25).nullable(),
    info: shape.stored(infoShape.nullable(), 'What was found in the recording; null until it was looked at.'),
    analysis: shape.stored(analysisShape.nullable(), 'What was measured of the decoded recording; null until then.'),
    organizationIndex: shape.text('Your own identifier.', 'song-12').nullable(),
    metadata: shape.metadata(),
    playerTitle: shape.text('Shown to listeners.', 'A song').nullable(),
    playerSubtitle: shape.text('Shown below the title.', 'A band').nullable(),
    playerColor: shape.color("What players are drawn in; null inherits the collection's.").nullable(),
    ...legibleColorShape,
    theme: theme.shown,
    transcription: shape.text('What is said in it.', 'La la la').nullable(),
    transcriptionLanguage: shape.text('BCP 47 tag.', 'en').nullable(),
    basePath: shape.text('Where its files lie.', BASE_PATH),
    baseUrl: shape.url('Files lie at `{base_url}_{variant index}.{ext}`.', `https://cdn.example.com/${BASE_PATH}`),
    filesCompletedAt: shape.time('When its files were made.').nullable(),
    createdAt: shape.time('When it was created.'),
    updatedAt: shape.time('When it was last changed.'),
  })
  .meta({ id: 'Track', description: 'A recording with what was made of it.' })

/** A track in a list: without `transcription` (contract, section 3). */
export const listedTrackShape = trackShape
  .omit(omittedInLists)
  .meta({ id: 'ListedTrack', description: 'A track in a list: without its transcription.' })

/** A track as lists of /v1 show it. */
export const toListedTrack = (
  services: Pick<Services, 'config'>,
  track: ListedTrack,
): z.input<typeof listedTrackShape> => ({
  id: track.id,
  organizationId: track.organizationId,
  collectionId: track.collectionId,
  creatorId: track.creatorId,
  index: track.index,
  order: track.order,
  trackStatusId: track.status,
  statusCode: track.statusCode,
  statusText: track.statusText,
  fileName: track.fileName,
  fileNameOriginal: track.fileNameOriginal,
  duration: track.durationSeconds,
  info: track.info,
  analysis: track.analysis,
  organizationIndex: track.organizationIndex,
  metadata: track.metadata,
  playerTitle: track.playerTitle,
  playerSubtitle: track.playerSubtitle,
  playerColor: track.playerColor,
  ...legibleColors(track.playerColor),
  theme: track.theme,
  transcriptionLanguage: track.transcriptionLanguage,
  basePath: track.basePath,
  baseUrl: baseUrlOf(services, track),
  filesCompletedAt: track.filesCompletedAt,
  createdAt: track.createdAt,
  updatedAt: track.updatedAt,
})

/** A track as /v1 shows it. */
export const toRestTrack = (
  services: Pick<Services, 'config'>,
  track: TrackWithDomain,
): z.input<typeof trackShape> => ({
  ...toListedTrack(services, track),
  transcription: track.transcription,
})

/** One of a track's files as /v1 shows it, with addresses signed now, also of what lies beside it (contract, section 3). */
export const toRestFile = (
  services: Services,
  file: FileWithVariant,
  track: TrackWithDomain,
): z.input<typeof fileShape> => ({
  id: file.id,
  path: file.path,
  url: file.path && file.state === 'done' ? signedUrl(services, track.organization, file.path) : null,
  size: file.size === null ? null : Number(file.size),
  contentType: file.contentType,
  fileName: file.fileName,
  isPublic: file.isPublic,
  isSuccess: file.state === 'done',
  statusCode: file.statusCode,
  statusText: file.statusText,
  data: withParts(file.data, (path) => ({ url: signedUrl(services, track.organization, path) })),
  props: file.props,
  variant: {
    id: file.variant.id,
    index: file.variant.index,
    variantType: {
      id: file.variant.type,
      title: variantType(file.variant.type).title,
      viewerId: viewerOf(file.variant.type),
    },
  },
})

/** Which widget shows a file of that kind. */
const viewerOf = (type: string): string => (['transcode', 'preview', 'original'].includes(type) ? 'audio' : type)
