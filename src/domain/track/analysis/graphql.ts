import { builder } from '../../../platform/graphql/builder.ts'

/** What was measured of the decoded sound, as it is stored; null where it cannot be told. */
export interface Analysis {
  integrated_lufs: number | null
  loudness_range_lu: number | null
  true_peak_dbtp: number | null
  sample_peak_dbfs: number | null
  leading_silence_seconds: number | null
  trailing_silence_seconds: number | null
  clipped_samples: number | null
  dc_offset: number | null
  tempo_bpm: number | null
  tempo_confidence: number | null
  key: string | null
  key_confidence: number | null
}

export const TrackAnalysis = builder.objectRef<Analysis>('TrackAnalysis').implement({
  description: 'What was measured of the decoded recording. Each value is null where it cannot be told, as of silence.',
  fields: (t) => ({
    integratedLufs: t.exposeFloat('integrated_lufs', {
      nullable: true,
      description: 'Programme loudness of the whole recording in LUFS (EBU R 128, ITU-R BS.1770-5).',
    }),
    loudnessRangeLu: t.exposeFloat('loudness_range_lu', {
      nullable: true,
      description: 'Loudness range, how far soft and loud parts lie apart, in LU (EBU Tech 3342).',
    }),
    truePeakDbtp: t.exposeFloat('true_peak_dbtp', {
      nullable: true,
      description: 'Highest peak between the samples, in dBTP (ITU-R BS.1770-5, annex 2).',
    }),
    samplePeakDbfs: t.exposeFloat('sample_peak_dbfs', {
      nullable: true,
      description: 'Highest sample in dBFS; 0 is full scale.',
    }),
    leadingSilenceSeconds: t.exposeFloat('leading_silence_seconds', {
      nullable: true,
      description: 'Seconds before the first sample, of any channel, above -60 dBFS.',
    }),
    trailingSilenceSeconds: t.exposeFloat('trailing_silence_seconds', {
      nullable: true,
      description: 'Seconds behind the last sample, of any channel, above -60 dBFS.',
    }),
    // Of many hours there may be more than an Int holds.
    clippedSamples: t.exposeFloat('clipped_samples', {
      nullable: true,
      description: 'Samples at full scale, of all channels, in runs of three or more.',
    }),
    dcOffset: t.exposeFloat('dc_offset', {
      nullable: true,
      description: 'Mean of the samples of the channel where it is farthest from 0; linear, 1 is full scale.',
    }),
    tempoBpm: t.exposeFloat('tempo_bpm', { nullable: true, description: 'Tempo in beats per minute.' }),
    tempoConfidence: t.exposeFloat('tempo_confidence', {
      nullable: true,
      description: 'How sure the tempo is, 0-1.',
    }),
    key: t.exposeString('key', { nullable: true, description: 'Musical key, such as `F# minor`.' }),
    keyConfidence: t.exposeFloat('key_confidence', { nullable: true, description: 'How sure the key is, 0-1.' }),
  }),
})
