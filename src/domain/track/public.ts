import type { Services } from '../../platform/context.ts'
import { legibleColors } from '../organization/colors.ts'
import { signedUrl } from '../organization/delivery.ts'
import { variantType } from '../variant/types/index.ts'
import { withParts } from './file/bytes.ts'
import { baseUrlOf, type FileWithVariant, type TrackWithDomain } from './service.ts'

/** A track as /v1 shows it (contract, section 3; `status_code`, `status_text` and `analysis` are ours). */
export const shownTrack = (services: Pick<Services, 'config'>, track: TrackWithDomain) => ({
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
  transcription: track.transcription,
  transcriptionLanguage: track.transcriptionLanguage,
  basePath: track.basePath,
  baseUrl: baseUrlOf(services, track),
  filesCompletedAt: track.filesCompletedAt,
  createdAt: track.createdAt,
  updatedAt: track.updatedAt,
})

/** One of a track's files as /v1 shows it, with addresses signed now, also of what lies beside it (contract, section 3). */
export const shownFile = (services: Services, file: FileWithVariant, track: TrackWithDomain) => ({
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
