import { z } from 'zod'
import * as shape from '../../platform/schema/shape.ts'

/** What the probe found, as it is stored. */
export const infoShape = z
  .object({
    container: shape.text("ffprobe's name of the container.", 'wav'),
    codec: shape.text("ffprobe's name of the codec.", 'pcm_s16le'),
    sample_rate: shape.wholeNumber('Hz.', 44_100),
    bit_depth: shape.wholeNumber('Bits of a stored sample; null for codecs that store none.', 16).nullable().optional(),
    channels: shape.wholeNumber('How many there are.', 2),
    channel_layout: shape
      .text("ffmpeg's name of the speakers, where the recording tells.", 'stereo')
      .nullable()
      .optional(),
    bit_rate: shape.number('Bits per second, where the container tells.', 1_411_200).nullable(),
    tags: z
      .record(z.string(), z.string())
      .meta({ description: 'Tags of the container and of the stream.', examples: [{ artist: 'A band' }] }),
  })
  .meta({ id: 'TrackInfo', description: 'Of the uploaded recording.' })

const measured = (description: string, example: number) => shape.number(description, example).nullable()

/** What was measured of the decoded sound, as it is stored; null where it cannot be told, as of silence. */
export const analysisShape = z
  .object({
    integrated_lufs: measured('Programme loudness in LUFS (EBU R 128).', -14.02),
    loudness_range_lu: measured('How far soft and loud parts lie apart, in LU (EBU Tech 3342).', 6.1),
    true_peak_dbtp: measured('Highest peak between the samples, in dBTP.', -0.98),
    sample_peak_dbfs: measured('Highest sample in dBFS; 0 is full scale.', -1.2),
    leading_silence_seconds: measured('Seconds before the first sample above -60 dBFS.', 0.25),
    trailing_silence_seconds: measured('Seconds behind the last sample above -60 dBFS.', 1.5),
    clipped_samples: measured('Samples at full scale, in runs of three or more.', 0),
    dc_offset: measured('Mean of the samples, of the channel where it is farthest from 0; 1 is full scale.', 0.000012),
    tempo_bpm: measured('Beats per minute.', 120.5),
    tempo_confidence: measured('How sure the tempo is, 0-1.', 0.9),
    key: shape.text('Musical key.', 'F# minor').nullable(),
    key_confidence: measured('How sure the key is, 0-1.', 0.8),
  })
  .meta({ id: 'TrackAnalysis', description: 'Each value is null where it cannot be told, as of silence.' })
