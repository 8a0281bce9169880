import { mapKeys, toCamel } from '../../../platform/case.ts'
import { builder, enumValues } from '../../../platform/graphql/builder.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import type { Analysis, Info } from '../recording/record.ts'
import { type Figures, type Finding, type FindingCode, listFindings, type Severity } from './record.ts'

const FindingCodeEnum = builder.enumType('QualityFindingCode', {
  description: 'Subject of a finding.',
  values: enumValues<FindingCode>({
    damaged: 'A part of the file could not be read. `value` and `atSeconds` are the place.',
    clipped: 'Samples were cut off at full scale. `value` is their number, `atSeconds` the first place.',
    over_full_scale: 'Peaks between the samples exceed full scale. `value` in dBTP.',
    dc_offset: 'The signal is off center. `value` of full scale.',
    out_of_phase: 'The channels cancel each other in mono. `value` is their correlation.',
    phase_dip: 'They do for 3 seconds. `value` is the correlation there.',
    identical_channels: 'Both channels are the same.',
    one_sided: 'One of two channels is nearly silent. `value` in dB, above 0 when the left one is louder.',
    leading_silence: 'Silence at the start. `value` in seconds.',
    pause: 'Silence within the recording. `value` in seconds.',
    trailing_silence: 'Silence at the end. `value` in seconds.',
    noise: 'Noise in pauses. `value` in dBFS.',
    lossy: 'The uploaded file is lossy already.',
    cut_off: 'A lossless file without high frequencies, as decoders of lossy files leave it. `value` in Hz.',
  }),
})

const SeverityEnum = builder.enumType('QualitySeverity', {
  description: 'How serious a finding is.',
  values: enumValues<Severity>({ warning: 'Listeners may hear it.', notice: 'Worth a look before a release.' }),
})

const QualityFinding = builder.objectRef<Finding>('QualityFinding').implement({
  description: 'Something that an engineer would ask about before a release.',
  fields: (t) => ({
    code: t.expose('code', { type: FindingCodeEnum, description: 'Its subject.' }),
    severity: t.expose('severity', { type: SeverityEnum, description: 'How serious it is.' }),
    text: t.exposeString('text', { description: 'A sentence for people, in English.' }),
    value: t.exposeFloat('value', {
      nullable: true,
      description: 'The measured value, in the unit of the code. Null for a finding without a value.',
    }),
    atSeconds: t.exposeFloat('atSeconds', {
      nullable: true,
      description: 'Where it begins. Null when it concerns the whole recording.',
    }),
  }),
})

const figure = (description: string) => ({ nullable: true, description }) as const

const QualityReport = builder.objectRef<Figures & { findings: Finding[] }>('QualityReport').implement({
  description: 'Findings and figures of a recording. Level, silence, clipping and offset are in `analysis`.',
  fields: (t) => ({
    findings: t.field({
      type: [QualityFinding],
      extensions: { price: { items: 20 } },
      description: 'Warnings first. Empty for a recording that raises no question.',
      resolve: ({ findings }) => findings,
    }),
    phaseCorrelation: t.exposeFloat(
      'phaseCorrelation',
      figure(
        'Correlation of the two channels: 1 for mono, 0 for unrelated, -1 for opposite. Null unless stereo with sound in both.',
      ),
    ),
    lowestPhaseCorrelation: t.exposeFloat(
      'lowestPhaseCorrelation',
      figure('The lowest correlation of 3 seconds above -50 dBFS. Null unless stereo, and for shorter recordings.'),
    ),
    lowestPhaseCorrelationAtSeconds: t.exposeFloat(
      'lowestPhaseCorrelationAtSeconds',
      figure('Start of these 3 seconds. Null without them.'),
    ),
    monoLossDb: t.exposeFloat(
      'monoLossDb',
      figure('dB that the sound loses in a mono player, against identical channels. Null unless stereo.'),
    ),
    balanceDb: t.exposeFloat(
      'balanceDb',
      figure('Level of the left channel above the right one in dB, -120 to 120. Null unless stereo.'),
    ),
    noiseFloorDbfs: t.exposeFloat(
      'noiseFloorDbfs',
      figure('Mean level of the softest 50 ms that are not digital silence, in dBFS. Null without any.'),
    ),
    noiseFloorSeconds: t.exposeFloat(
      'noiseFloorSeconds',
      figure('Seconds that are at most 3 dB louder than the softest 50 ms. Null without any.'),
    ),
    longestPauseSeconds: t.exposeFloat(
      'longestPauseSeconds',
      figure('Longest silence (all channels below -60 dBFS) between two sounds. Null below half a second.'),
    ),
    longestPauseAtSeconds: t.exposeFloat('longestPauseAtSeconds', figure('Its start. Null without it.')),
    cutoffHz: t.exposeFloat(
      'cutoffHz',
      figure(
        'Frequency at which the spectrum ends abruptly. Null when it does not below 93 % of half the sample rate.',
      ),
    ),
    clippedAtSeconds: t.exposeFloatList('clippedAtSeconds', {
      extensions: { price: { items: 10 } },
      description: 'Places at which clipping begins: the first ten, at least a second apart.',
    }),
  }),
})

/** Options of the `qualityReport` field. */
export const qualityReportField = {
  type: QualityReport,
  nullable: true,
  description:
    'Findings and figures of the recording. Null until measured; `rebuildTrack` measures a recording ' +
    'that an older version processed.',
  ...needsColumns('quality', 'analysis', 'info'),
  resolve: ({ quality, analysis, info }: { quality: unknown; analysis: unknown; info: unknown }) => {
    if (quality === null || analysis === null) return null
    const figures = mapKeys(quality, toCamel) as Figures
    const measured = mapKeys(analysis, toCamel) as Analysis
    return { ...figures, findings: listFindings(figures, measured, mapKeys(info, toCamel) as Info | null) }
  },
} as const
