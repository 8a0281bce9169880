import { z } from 'zod'
import type { Services } from '../../platform/context.ts'
import { restShape, toRest } from '../../platform/schema/record.ts'
import { fileAddresses } from '../delivery/address.ts'
import { legibleColors } from '../organization/colors.ts'
import { variantType } from '../variant/types/index.ts'
import type { fileShape } from './file/record.ts'
import { toPosition, trackFields, trackStatusShape } from './record.ts'
import { type FileWithVariant, type ListedTrack, type TrackWithDomain, toBaseUrl, unlistedFields } from './service.ts'

const { transcription: _, ...listedTrackFields } = trackFields

export const trackShape = z
  .object({ ...restShape(trackFields), trackStatusId: trackStatusShape })
  .meta({ id: 'Track', description: 'An uploaded recording and the files that were generated from it.' })

/** A track in a list: without `transcription` (contract, section 3). */
export const listedTrackShape = trackShape
  .omit(unlistedFields)
  .meta({ id: 'ListedTrack', description: 'A track in a list: without its transcription.' })

/** Maps a track to its form in lists of /v1. */
export const toListedTrack = (
  services: Pick<Services, 'config'>,
  track: ListedTrack,
): z.input<typeof listedTrackShape> => ({
  ...toRest(listedTrackFields, {
    ...track,
    order: toPosition(track),
    ...legibleColors(track.playerColor),
    duration: track.durationSeconds,
    baseUrl: toBaseUrl(services, track),
  }),
  trackStatusId: track.status,
})

/** Maps a track to its /v1 form. */
export const toRestTrack = (
  services: Pick<Services, 'config'>,
  track: TrackWithDomain,
): z.input<typeof trackShape> => ({
  ...toListedTrack(services, track),
  transcription: track.transcription,
})

/** Maps a track's file to its /v1 form. Signs its address and those of its sibling files (contract, section 3). */
export const toRestFile = (
  services: Services,
  file: FileWithVariant,
  track: TrackWithDomain,
): z.input<typeof fileShape> => ({
  id: file.id,
  path: file.path,
  size: file.size === null ? null : Number(file.size),
  contentType: file.contentType,
  fileName: file.fileName,
  isPublic: file.isPublic,
  isSuccess: file.state === 'done',
  statusCode: file.statusCode,
  statusText: file.statusText,
  ...fileAddresses(services, track.organization, {
    path: file.state === 'done' ? file.path : null,
    data: file.data,
  }),
  props: file.props,
  variant: {
    id: file.variant.id,
    index: file.variant.index,
    variantType: {
      id: file.variant.type,
      title: variantType(file.variant.type).title,
      viewerId: toViewerId(file.variant.type),
    },
  },
})

/** The widget that shows a file of this type. */
const toViewerId = (type: string): string =>
  ['transcode', 'preview', 'adaptive', 'original'].includes(type) ? 'audio' : type
