import { z } from 'zod'
import { coverSizeNames } from '../../../platform/media/cover/sizes.ts'
import { type Fields, restShape } from '../../../platform/schema/record.ts'
import * as shape from '../../../platform/schema/shape.ts'
import { variantTypeShape } from '../../variant/record.ts'
import {
  bitsDescription,
  dataDescription,
  datFileDescription,
  derivedFields,
  fileColumns,
  fileDescription,
  imageFields,
  jsonFileDescription,
  levelsDescription,
  levelsFields,
  levelsListDescription,
  previewDescription,
  previewFields,
  propsDescription,
  siblingFields,
  waveformDescription,
  waveformFields,
  waveformImageDescription,
  waveformImageFields,
  waveformVideoDescription,
  waveformVideoFields,
} from './record.ts'

const object = <F extends Fields>(fields: F) => z.object(restShape(fields))
const siblingShape = object(siblingFields)

const previewData = object(previewFields).meta({ id: 'PreviewData', description: previewDescription })
const waveformShape = object(waveformFields)
  .extend({
    version: z.literal(2),
    bits: z.literal([8, 16]).meta({ description: bitsDescription }),
    json: siblingShape.meta({ description: jsonFileDescription }),
    dat: siblingShape.meta({ description: datFileDescription }),
  })
  .meta({ description: `${waveformDescription} Absent from files of early versions.` })
export const levelsShape = object(levelsFields)
  .extend({
    levels: z.array(shape.number('RMS of a span.', 0.2371)).meta({ description: levelsListDescription }),
    metric: z.literal('rms'),
    waveform: waveformShape.optional(),
  })
  .meta({ id: 'LevelsData', description: levelsDescription })

const coverImage = object(imageFields).extend({
  webp: object(imageFields)
    .optional()
    .meta({ description: 'The same image as WebP. Absent from covers of early versions.' }),
})
const coverData = z
  .object(Object.fromEntries(coverSizeNames.map((size) => [size, coverImage])))
  .meta({ id: 'CoverData', description: 'A cover in its four sizes.' })

const waveformImageData = object(waveformImageFields).meta({
  id: 'WaveformImageData',
  description: waveformImageDescription,
})
const waveformVideoData = object(waveformVideoFields).meta({
  id: 'WaveformVideoData',
  description: waveformVideoDescription,
})

/** Parameters of audio files as they were used. Those of other types are documented with the variant. */
const usedProps = z.looseObject({
  codec: shape.text('Codec of the sound.', 'aac').optional(),
  bitrate: shape.number('kbps. Null when the recording does not contain it.', 192).nullable().optional(),
  sample_rate: shape.wholeNumber('Sample rate in Hz.', 44_100).optional(),
  channels: shape.wholeNumber('Number of channels.', 2).optional(),
})

/** Contract, section 3, Track file. */
export const fileShape = z
  .object({
    ...restShape({ ...fileColumns, ...derivedFields }),
    data: shape.stored(
      z.union([previewData, levelsShape, coverData, waveformImageData, waveformVideoData]).nullable(),
      dataDescription,
    ),
    props: shape.stored(usedProps, propsDescription),
    variant: z.object({
      id: shape.id('ID of the variant.'),
      index: shape.text('Index of the variant.', 'hq'),
      variantType: z.object({
        id: variantTypeShape,
        title: shape.text('Name of the type.', 'Transcode'),
        viewerId: shape.text('Widget that shows the file.', 'audio'),
      }),
    }),
  })
  .meta({ id: 'TrackFile', description: fileDescription })
