import type { Quality as StoredQuality } from '../../../platform/media/meter/sound.ts'
import { roundTo } from '../../../platform/number.ts'
import type { Analysis, Info } from '../recording/record.ts'

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : S
/** Figures of a recording, with the names of GraphQL. */
export type Figures = { [Name in keyof StoredQuality as CamelCase<Name>]: StoredQuality[Name] }

/** Subject of a finding. Stored nowhere: rules may change with the service. */
export type FindingCode =
  | 'damaged'
  | 'clipped'
  | 'over_full_scale'
  | 'dc_offset'
  | 'out_of_phase'
  | 'phase_dip'
  | 'identical_channels'
  | 'one_sided'
  | 'leading_silence'
  | 'pause'
  | 'trailing_silence'
  | 'noise'
  | 'lossy'
  | 'cut_off'

/** A `warning` is heard by listeners; a `notice` is worth a look. */
export type Severity = 'warning' | 'notice'

/** Something that an engineer would ask about before a release. */
export interface Finding {
  code: FindingCode
  severity: Severity
  text: string
  /** The figure that the finding is about, in the unit that `code` implies. */
  value: number | null
  atSeconds: number | null
}

/** Limits of the findings. */
const OFFSET = 0.002
const PHASE_DIP = -0.5
const IDENTICAL_LOSS_DB = 0.01
const ONE_SIDED_DB = 20
const LEADING_SECONDS = 3
const PAUSE_SECONDS = 5
const TRAILING_SECONDS = 10
/** A floor in this range is noise, when it lasts and the programme is much louder. A softer one is not audible. */
const NOISE_DBFS = { least: -60, most: -35 }
const NOISE_SECONDS = 1
const NOISE_BELOW_LUFS = 20

const LOSSLESS = /^(pcm_|flac$|alac$|wavpack$|ape$|tta$|tak$|mlp$|truehd$|shorten$|als$|mp4als$)/

/**
 * Judges the measurements of a recording.
 * @returns what was found, warnings first, each at most once
 */
export function listFindings(figures: Figures, analysis: Analysis, info: Info | null): Finding[] {
  const sound = [...damage(analysis), ...clipping(figures, analysis), ...channels(figures)]
  const all = [...sound, ...silence(figures, analysis), ...noise(figures, analysis), ...coding(figures, info)]
  return [
    ...all.filter(({ severity }) => severity === 'warning'),
    ...all.filter(({ severity }) => severity === 'notice'),
  ]
}

type Rest = Partial<Pick<Finding, 'value' | 'atSeconds'>>

const finding = (severity: Severity, code: FindingCode, text: string, { value, atSeconds }: Rest = {}): Finding => ({
  severity,
  code,
  text,
  value: value ?? null,
  atSeconds: atSeconds ?? null,
})

function damage({ damagedAtSeconds: at }: Analysis): Finding[] {
  if (at == null) return []
  const text = 'The file is damaged: a part of the sound could not be read.'
  return [finding('warning', 'damaged', text, { value: at, atSeconds: at })]
}

function clipping(
  { clippedAtSeconds: [first] }: Figures,
  { clippedSamples, samplePeakDbfs, truePeakDbtp, dcOffset }: Analysis,
): Finding[] {
  const qualityFindings: Finding[] = []
  if (clippedSamples) {
    const text = `${clippedSamples} samples are clipped: peaks were cut off at full scale. Ask for a mix with more headroom.`
    qualityFindings.push(finding('warning', 'clipped', text, { value: clippedSamples, atSeconds: first }))
  } else if (first !== undefined) {
    const text = `Peaks were cut off before the recording was turned down: they are flat at ${samplePeakDbfs} dBFS. Ask for a mix with more headroom.`
    qualityFindings.push(finding('warning', 'clipped', text, { atSeconds: first }))
  } else if (truePeakDbtp !== null && truePeakDbtp > 0) {
    const text = `Between the samples, peaks reach ${truePeakDbtp} dBTP: players and encoders may clip them.`
    qualityFindings.push(finding('notice', 'over_full_scale', text, { value: truePeakDbtp }))
  }
  if (dcOffset !== null && dcOffset >= OFFSET) {
    const percent = roundTo(dcOffset * 100, 1)
    const text = `The signal is off center by ${percent} % of full scale, which costs headroom and clicks at cuts.`
    qualityFindings.push(finding('notice', 'dc_offset', text, { value: dcOffset }))
  }
  return qualityFindings
}

function channels(figures: Figures): Finding[] {
  const { phaseCorrelation, lowestPhaseCorrelation, lowestPhaseCorrelationAtSeconds, monoLossDb, balanceDb } = figures
  if (balanceDb !== null && Math.abs(balanceDb) >= ONE_SIDED_DB) {
    const side = balanceDb > 0 ? 'right' : 'left'
    return [finding('warning', 'one_sided', `Nearly nothing is in the ${side} channel.`, { value: balanceDb })]
  }
  if (phaseCorrelation === null) return []
  if (phaseCorrelation < 0) {
    const text = `The channels are out of phase: a mono player loses ${monoLossDb} dB. One channel may be inverted.`
    return [finding('warning', 'out_of_phase', text, { value: phaseCorrelation })]
  }
  if (monoLossDb !== null && monoLossDb <= IDENTICAL_LOSS_DB) {
    return [finding('notice', 'identical_channels', 'Both channels are the same: the recording is mono.')]
  }
  if (lowestPhaseCorrelation === null || lowestPhaseCorrelation > PHASE_DIP) return []
  const text = 'For 3 seconds the channels are nearly opposite: mono players lose most of the sound there.'
  const place = { value: lowestPhaseCorrelation, atSeconds: lowestPhaseCorrelationAtSeconds }
  return [finding('notice', 'phase_dip', text, place)]
}

function silence(
  { longestPauseSeconds, longestPauseAtSeconds }: Figures,
  { leadingSilenceSeconds, trailingSilenceSeconds, samplePeakDbfs }: Analysis,
): Finding[] {
  if (samplePeakDbfs === null) return []
  const qualityFindings: Finding[] = []
  if (leadingSilenceSeconds !== null && leadingSilenceSeconds >= LEADING_SECONDS) {
    const text = `The recording starts with ${roundTo(leadingSilenceSeconds, 1)} seconds of silence.`
    qualityFindings.push(finding('notice', 'leading_silence', text, { value: leadingSilenceSeconds, atSeconds: 0 }))
  }
  if (longestPauseSeconds !== null && longestPauseSeconds >= PAUSE_SECONDS) {
    const text = `There are ${roundTo(longestPauseSeconds, 1)} seconds of silence within the recording.`
    qualityFindings.push(
      finding('notice', 'pause', text, { value: longestPauseSeconds, atSeconds: longestPauseAtSeconds }),
    )
  }
  if (trailingSilenceSeconds !== null && trailingSilenceSeconds >= TRAILING_SECONDS) {
    const text = `The recording ends with ${roundTo(trailingSilenceSeconds, 1)} seconds of silence.`
    qualityFindings.push(finding('notice', 'trailing_silence', text, { value: trailingSilenceSeconds }))
  }
  return qualityFindings
}

function noise(
  { noiseFloorDbfs: level, noiseFloorSeconds: seconds }: Figures,
  { integratedLufs }: Analysis,
): Finding[] {
  if (level === null || seconds === null || integratedLufs === null) return []
  if (level < NOISE_DBFS.least || level > NOISE_DBFS.most) return []
  if (seconds < NOISE_SECONDS || integratedLufs - level < NOISE_BELOW_LUFS) return []
  return [finding('notice', 'noise', `In its pauses, the recording has noise of ${level} dBFS.`, { value: level })]
}

function coding({ cutoffHz }: Figures, info: Info | null): Finding[] {
  if (info && !LOSSLESS.test(info.codec)) {
    const text = `The recording is already lossy (${info.codec}). Upload the original, if there is one.`
    return [finding('notice', 'lossy', text)]
  }
  if (cutoffHz === null) return []
  const text = `There is nothing above ${roundTo(cutoffHz / 1000, 1)} kHz: it was probably made from a lossy file or a lower sample rate.`
  return [finding('warning', 'cut_off', text, { value: cutoffHz })]
}
