import type { Probe } from './probe.ts'
import { findSpeakers, type Speaker } from './speakers.ts'

type Channels = Pick<Probe, 'channels' | 'channelLayout'>

/** -3 dB. */
const SIDE = Math.SQRT1_2
/** Gain of a rear or ceiling center speaker in each side: -3 dB of its power in total. */
const SPLIT = 0.5

/**
 * Gain of each speaker in the left and right channel: front 0 dB, center and surround -3 dB, low frequency effects left
 * out. Speakers that the recommendation does not list count as surround.
 * @see ITU-R BS.775-3, annex 4, table 2
 */
const shares: Record<Speaker, readonly [toLeft: number, toRight: number]> = {
  FL: [1, 0],
  FR: [0, 1],
  FLC: [1, 0],
  FRC: [0, 1],
  FC: [SIDE, SIDE],
  LFE: [0, 0],
  LFE2: [0, 0],
  BL: [SIDE, 0],
  BR: [0, SIDE],
  SL: [SIDE, 0],
  SR: [0, SIDE],
  WL: [SIDE, 0],
  WR: [0, SIDE],
  TFL: [SIDE, 0],
  TFR: [0, SIDE],
  TSL: [SIDE, 0],
  TSR: [0, SIDE],
  TBL: [SIDE, 0],
  TBR: [0, SIDE],
  BFL: [SIDE, 0],
  BFR: [0, SIDE],
  BC: [SPLIT, SPLIT],
  TC: [SPLIT, SPLIT],
  TFC: [SPLIT, SPLIT],
  TBC: [SPLIT, SPLIT],
  BFC: [SPLIT, SPLIT],
}

/**
 * Returns one list of factors per output channel. Null for a recording with at most two channels. Channels of unknown
 * positions are all in the middle of mono, and on alternating sides of stereo.
 */
function toMatrix(channels: number, { channels: has, channelLayout }: Channels): number[][] | null {
  if (has <= 2) return null
  const speakers = findSpeakers(channelLayout, has)
  const sides = Array.from({ length: has }, (_, at) => {
    const speaker = speakers?.[at]
    if (speaker) return shares[speaker]
    return channels === 1 ? ([SIDE, SIDE] as const) : at % 2 === 0 ? shares.FL : shares.FR
  })
  if (channels === 1) return [sides.map(([toLeft, toRight]) => (toLeft + toRight) * SIDE)]
  return [sides.map(([toLeft]) => toLeft), sides.map(([, right]) => right)]
}

/** Level of a mix when all channels are at full scale, 1 or more. */
const highest = (matrix: readonly number[][]) =>
  Math.max(1, ...matrix.map((row) => row.reduce((sum, factor) => sum + factor, 0)))

/**
 * Returns filters that mix a recording down to one or two channels. Empty when it has no more channels than that.
 * Attenuates so that no recording can clip: see `mixAttenuationDb`.
 * @param channels 1 or 2
 */
export function mixTo(channels: number, probe: Channels): string[] {
  if (channels >= probe.channels) return []
  const matrix = toMatrix(channels, probe)
  // Mixed as integers, because only then does ffmpeg keep the sum of both channels within full scale.
  if (!matrix) return ['aformat=sample_fmts=s32:channel_layouts=mono']
  const scale = 1 / highest(matrix)
  return ['aformat=sample_fmts=fltp', pan(matrix.map((row) => row.map((factor) => factor * scale)))]
}

/** Returns the attenuation of `mixTo` relative to its matrix, in dB. 0 for at most two channels. */
export function mixAttenuationDb(channels: number, probe: Channels): number {
  const matrix = toMatrix(channels, probe)
  return matrix ? 20 * Math.log10(highest(matrix)) : 0
}

/** Returns filters that fix the channel layout of a recording whose channels change midway. They precede all others. */
export function layoutFilters({ channels, channelLayout }: Channels): string[] {
  const speakers = findSpeakers(channelLayout, channels)
  return speakers ? [`aformat=channel_layouts=${speakers.join('+')}`] : []
}

function pan(matrix: readonly number[][]): string {
  const terms = (row: readonly number[]) =>
    row.flatMap((factor, at) => (factor > 0 ? [`${factor.toFixed(6)}*c${at}`] : [])).join('+')
  const rows = matrix.map((row, channel) => `c${channel}=${terms(row) || '0*c0'}`)
  return `pan=${matrix.length === 1 ? 'mono' : 'stereo'}|${rows.join('|')}`
}
