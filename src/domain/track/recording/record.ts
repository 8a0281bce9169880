import { z } from 'zod'
import { integer, json, number, text } from '../../../platform/schema/fields.ts'
import { restShape } from '../../../platform/schema/record.ts'

/** Properties of the uploaded recording, as the probe reports them. */
export const infoFields = {
  container: text({ description: 'Container, as ffprobe names it.', example: 'wav' }),
  codec: text({ description: 'Codec, as ffprobe names it.', example: 'pcm_s16le' }),
  sampleRate: integer({ description: 'Sample rate in Hz.', example: 44_100 }),
  bitDepth: integer({
    description: 'Bits of a stored sample.',
    example: 16,
    nullable: true,
    nullMeans: 'Null for codecs that store none.',
  }),
  channels: integer({ description: 'Number of channels.', example: 2 }),
  channelLayout: text({
    description: 'Speakers, as ffmpeg names them, such as `stereo` or `5.1`.',
    example: 'stereo',
    nullable: true,
    nullMeans: 'Null when the recording does not contain them.',
  }),
  bitRate: number({
    description: 'Bits per second.',
    example: 1_411_200,
    nullable: true,
    nullMeans: 'Null when the container does not contain it.',
  }),
}

/** Joins the values of a tag that has several. GraphQL shows them apart. */
export const VALUE_SEPARATOR = '; '

/** Stored in snake_case. Bit depth and channel layout are optional in the document of /v1. */
export const infoShape = z
  .object({
    ...restShape(infoFields),
    tags: z.record(z.string(), z.string()).meta({
      description:
        'Tags of the recording. Names are in lower case. Several values of a tag are joined by a semicolon and a space.',
      examples: [{ artist: 'A band' }],
    }),
  })
  .partial({ bitDepth: true, channelLayout: true })
  .meta({ id: 'TrackInfo', description: 'Properties of the uploaded recording.' })
export type Info = z.output<typeof infoShape>

const measured = (description: string, example: number) =>
  number({ description, example, nullable: true, nullMeans: 'Null when it cannot be measured.' })

/** Measurements of the decoded recording. */
export const analysisFields = {
  integratedLufs: measured('Programme loudness of the recording in LUFS (EBU R 128, ITU-R BS.1770-5).', -14.02),
  loudnessRangeLu: measured('Loudness range in LU (EBU Tech 3342).', 6.1),
  truePeakDbtp: measured('Highest peak between the samples in dBTP (ITU-R BS.1770-5, annex 2).', -0.98),
  samplePeakDbfs: measured('Highest sample in dBFS. 0 is full scale.', -1.2),
  leadingSilenceSeconds: measured('Seconds before the first sample of any channel above -60 dBFS.', 0.25),
  trailingSilenceSeconds: measured('Seconds after the last sample of any channel above -60 dBFS.', 1.5),
  // Not an integer: the count may exceed 32 bits.
  clippedSamples: measured('Number of samples at full scale, of all channels, in runs of three or more.', 0),
  dcOffset: measured(
    'Mean of the samples of the channel whose mean is farthest from 0. Linear, 1 is full scale.',
    0.000012,
  ),
  tempoBpm: measured(
    'Estimated tempo in beats per minute. Within 4 % of the annotated tempo for 76 % of 342 test pieces; for 17 % it is ' +
      'half or double.',
    120.5,
  ),
  tempoConfidence: measured(
    'Confidence of the tempo: about the share of such estimates that are right. 0.5 to 1. Near 0.5, another tempo, ' +
      'mostly half or double, explains the sound as well. Of the test pieces with 0.8 or more, 90 % are right.',
    0.9,
  ),
  key: text({
    description:
      'Estimated musical key. Right for 87 % of 378 annotated test pieces; for 12 % it is the relative key or a fifth away.',
    example: 'F# minor',
    nullable: true,
    nullMeans: 'Null when it cannot be measured.',
  }),
  keyConfidence: measured(
    'Confidence of the key. 0 to 1. Of the test pieces with 0.8 or more, 95 % are right; of those below 0.6, 74 %.',
    0.8,
  ),
  damagedAtSeconds: number({
    description: 'Seconds before the first place at which the file is damaged: its decoder reports an error there.',
    example: 62.4,
    nullable: true,
    nullMeans: 'Null for an undamaged file.',
  }),
}

/** Stored in snake_case. The time of a damage is optional in the document of /v1. */
export const analysisShape = z.object(restShape(analysisFields)).partial({ damagedAtSeconds: true }).meta({
  id: 'TrackAnalysis',
  description: 'Measurements of the decoded recording. A value is null when it cannot be measured, as for silence.',
})
export type Analysis = z.output<typeof analysisShape>

/** The fields of a track that describe its recording. */
export const recordingFields = {
  info: json({
    description: 'Properties of the uploaded recording. Null until probed.',
    restShape: infoShape.nullable(),
  }),
  analysis: json({
    description: 'Measurements of the decoded recording. Null until measured.',
    restShape: analysisShape.nullable(),
  }),
}
