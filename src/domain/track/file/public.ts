import { z } from 'zod'
import { coverSizeNames } from '../../../platform/media/cover/sizes.ts'
import * as shape from '../../../platform/schema/shape.ts'
import { variantTypeShape } from '../../variant/public.ts'

const PATH = '0199c3f0/0199c3f1/Ab3dE5gH1j_waveform.dat'
const URL = `https://cdn.example.com/${PATH}?verify=1777887000-XsZ5NmtNBxOd4f4fBOtqVmpWRnDRNkHKVZieqDPKu3U`

/** What lies beside a file, with an address of its own. */
const partFields = {
  path: shape.text('Of the delivery address.', PATH),
  url: shape.url('Signed now, valid for an hour.', URL),
  type: shape.text('Content type.', 'application/octet-stream'),
  size: shape.wholeNumber('Bytes.', 62_044),
  sha256: shape.text('Of the delivered bytes, lower-case hex.', 'a3f1'.repeat(16)),
}
const partShape = z.object(partFields)
const imageFields = {
  ...partFields,
  width: shape.wholeNumber('Pixels.', 500),
  height: shape.wholeNumber('Pixels.', 500),
}

const previewData = z
  .object({
    duration: shape.number('Seconds.', 30),
    extension: shape.text('Of its file name.', 'mp3'),
    capture_start: shape.number('Where it starts in the recording, in seconds.', 45.5),
    capture_end: shape.number('Where it ends in the recording, in seconds.', 75.5),
    content_type: shape.text('As it is delivered.', 'audio/mpeg'),
  })
  .meta({ id: 'PreviewData', description: 'Which part of the recording a preview holds.' })

const level = (description: string) => shape.number(description, 0.2371)
export const levelsShape = z
  .object({
    levels: z.array(level('RMS of a span.')).meta({ description: 'One value for each equal span; 1 is full scale.' }),
    num_samples: shape.wholeNumber('How many values there are.', 320),
    avg: level('Their mean.'),
    max: level('The largest.'),
    min: level('The smallest.'),
    metric: z.literal('rms'),
    resample: shape.wholeNumber('Hz that the recording was measured at.', 8000),
    waveform: z
      .object({
        version: z.literal(2),
        channels: shape.wholeNumber('1: the channels of the sound are averaged.', 1),
        sample_rate: shape.wholeNumber('Hz of the sound that it was taken from.', 44_100),
        samples_per_pixel: shape.wholeNumber('Samples that each pair stands for.', 256),
        bits: z.literal([8, 16]).meta({ description: 'Resolution of a value.' }),
        length: shape.wholeNumber('Number of pairs; the last may stand for fewer samples.', 31_010),
        json: partShape.meta({ description: 'As JSON.' }),
        dat: partShape.meta({ description: 'As binary data, a fraction of the size.' }),
        variant_index: shape
          .text('Index, at that time, of the transcode that it was taken from; null: the recording itself.', 'hq')
          .nullable(),
      })
      .optional()
      .meta({ description: 'For players, in the data format of BBC audiowaveform; not in files of older versions.' }),
  })
  .meta({ id: 'LevelsData', description: 'Loudness over time, for drawing a waveform.' })

const coverImage = z.object({
  ...imageFields,
  webp: z.object(imageFields).optional().meta({ description: 'The same as WebP; not for covers of older versions.' }),
})
const coverData = z
  .object(Object.fromEntries(coverSizeNames.map((size) => [size, coverImage])))
  .meta({ id: 'CoverData', description: 'The cover in its sizes.' })

const waveformImageData = z
  .object({
    width: shape.wholeNumber('Pixels.', 1800),
    height: shape.wholeNumber('Pixels.', 280),
    num_bars: shape.wholeNumber('How many bars it has.', 300),
    color: shape.color('Of the bars.'),
    background_color: shape.color('Null is transparent.').nullable(),
  })
  .meta({ id: 'WaveformImageData', description: 'A picture of the waveform.' })

const waveformVideoData = z
  .object({
    width: shape.wholeNumber('Pixels.', 1280),
    height: shape.wholeNumber('Pixels.', 720),
    fps: shape.wholeNumber('Frames per second.', 10),
    duration: shape.number('Seconds.', 183.25),
  })
  .meta({ id: 'WaveformVideoData', description: 'A video of the waveform with the sound.' })

/** What is really used beside, or instead of, what was asked for; the rest is the kind's. */
const usedProps = z.looseObject({
  codec: shape.text('Of the sound.', 'aac').optional(),
  bitrate: shape.number('kbps; null where the recording does not tell.', 192).nullable().optional(),
  sample_rate: shape.wholeNumber('Hz.', 44_100).optional(),
  channels: shape.wholeNumber('How many.', 2).optional(),
})

/** Contract, section 3, Track file. */
export const fileShape = z
  .object({
    id: shape.id(),
    path: shape.text('Of the delivery address; null until it is made.', PATH).nullable(),
    url: shape.url('Signed now, valid for an hour; null until the file is made.', URL).nullable(),
    size: shape.wholeNumber('Bytes.', 4_404_019).nullable(),
    contentType: shape.text('As it is delivered.', 'audio/mp4').nullable(),
    fileName: shape.text('For a download.', 'song.m4a').nullable(),
    isPublic: shape.flag('Whether it is delivered without a signature.'),
    isSuccess: shape.flag('Whether it can be delivered.'),
    statusCode: shape
      .text('Why it failed, or differs from what was asked for: a stable word.', 'bitrate_clamped')
      .nullable(),
    statusText: shape.text('The same for a person.', 'Made with 320 kbps instead of 500.').nullable(),
    data: shape.stored(
      z.union([previewData, levelsShape, coverData, waveformImageData, waveformVideoData]).nullable(),
      'What the file holds besides its bytes, by its kind; null for those that are only bytes.',
    ),
    props: shape.stored(usedProps, 'Parameters that it was made with: those that were really used.'),
    variant: z.object({
      id: shape.id('The recipe.'),
      index: shape.text('Delivery name.', 'hq'),
      variantType: z.object({
        id: variantTypeShape,
        title: shape.text('The kind, for a person.', 'Transcode'),
        viewerId: shape.text('Which widget shows it.', 'audio'),
      }),
    }),
  })
  .meta({ id: 'TrackFile', description: 'What one variant made of a track.' })
