import { limiterFilters } from './limiter.ts'
import type { SoundAnalysis } from './meter/sound.ts'

/** Highest true peak of a normalized recording or a downmix, in dBTP (EBU R128, recommendation m). */
export const CEILING_DBTP = -1
/** Share of the room below the ceiling that is left to the encoder: decoded sound has peaks that the source lacks. */
const ENCODER_ROOM_DB = 0.2
/** Differences that are not worth another encode: loudness in LU, peaks in dB. */
export const [LOUDNESS_TOLERANCE, PEAK_TOLERANCE] = [0.1, 0.05]
/** More is heard as distortion. */
export const MAX_LIMITING_DB = 12
/** Loudness rises by less than the gain of a limited sound. */
export const LIMITED_STEP = 1.3
/** Measurements of a limited sound before it is encoded. Three are usual. */
const MAX_MEASUREMENTS = 5

/** `linear` changes the gain only. `dynamic` limits peaks where the gain would raise them above the ceiling. */
export const normalizeModes = ['linear', 'dynamic'] as const
export type NormalizeMode = (typeof normalizeModes)[number]

/** The loudness that a file is normalized to, and the way. */
export interface GainTarget {
  /** Integrated loudness. */
  lufs: number
  mode: NormalizeMode
}

/** How a file is brought to its loudness. */
export interface Level {
  gainDb: number
  /** Ceiling of a limiter after the gain, in dBTP. Null without one. */
  limitDbtp: number | null
}

/** The level of a file, and what it follows from. */
export interface Leveling {
  target: GainTarget
  level: Level
  /** Loudness before any gain. */
  source: Loudness
  /** Filters of ffmpeg before the gain, in order. */
  filters: readonly string[]
  /** Of the sound, in Hz. */
  sampleRate: number
  /** True peak of the sound at this level, before it is encoded. */
  plannedPeakDbtp: number
  /** Whether a limiter may be added. False as well for a sound that a limiter makes softer. */
  canLimit: boolean
}

/** Loudness and true peak of a sound that is not silent. */
export interface Loudness {
  integratedLufs: number
  truePeakDbtp: number
}

/** The loudness of a measured sound. Null for silence. */
export function toLoudness(analysis: SoundAnalysis | null): Loudness | null {
  const { integrated_lufs: integratedLufs = null, true_peak_dbtp: truePeakDbtp = null } = analysis ?? {}
  return integratedLufs === null || truePeakDbtp === null ? null : { integratedLufs, truePeakDbtp }
}

/**
 * Returns the level to begin with.
 * @param source loudness of the sound before any gain
 * @see EBU R128
 */
export function firstLevel({ lufs, mode }: GainTarget, { integratedLufs, truePeakDbtp }: Loudness): Level {
  const gainDb = lufs - integratedLufs
  const room = CEILING_DBTP - truePeakDbtp
  if (gainDb <= room) return { gainDb, limitDbtp: null }
  if (mode === 'dynamic') {
    return { gainDb: Math.min(gainDb, room + MAX_LIMITING_DB), limitDbtp: CEILING_DBTP - ENCODER_ROOM_DB }
  }
  return { gainDb: room - ENCODER_ROOM_DB, limitDbtp: null }
}

/**
 * Returns a level of a limited sound that comes closer to the target, or keeps the ceiling that its peaks exceed: those
 * between the samples, at the sample rate of the sound.
 * @param level of the measured sound
 * @param source loudness of the sound before any gain
 * @param result loudness of the sound with this level
 * @returns null when no other level is better
 */
export function nextLevel(target: GainTarget, level: LimitedLevel, source: Loudness, result: Loudness): Level | null {
  const missing = target.lufs - result.integratedLufs
  const excess = result.truePeakDbtp - CEILING_DBTP
  const limitDbtp = excess > PEAK_TOLERANCE ? level.limitDbtp - excess - PEAK_TOLERANCE : level.limitDbtp
  const wantedGainDb = Math.abs(missing) > LOUDNESS_TOLERANCE ? level.gainDb + missing * LIMITED_STEP : level.gainDb
  const gainDb = Math.min(wantedGainDb, maxLimitedGain(source))
  return gainDb === level.gainDb && limitDbtp === level.limitDbtp ? null : { gainDb, limitDbtp }
}

/** The gain at which a limiter reduces the peaks of a sound by its bound. */
export const maxLimitedGain = ({ truePeakDbtp }: Loudness) => CEILING_DBTP - truePeakDbtp + MAX_LIMITING_DB

type LimitedLevel = Level & { limitDbtp: number }
const isLimited = (level: Level): level is LimitedLevel => level.limitDbtp !== null

/**
 * Finds the level of a sound. How much gain remains of a limited one depends on the sound, so that it is measured. Returns
 * a gain without a limiter for a sound that the limiter makes softer.
 * @param measure the loudness of the recording after filters; null for silence
 */
export async function findLeveling(
  { target, source, ...sound }: Pick<Leveling, 'target' | 'source' | 'filters' | 'sampleRate'>,
  measure: (filters: readonly string[]) => Promise<Loudness | null>,
): Promise<Leveling> {
  const atLevel = (level: Level, canLimit: boolean): Leveling => {
    const plannedPeakDbtp = source.truePeakDbtp + level.gainDb
    return { ...sound, target, source, level, plannedPeakDbtp, canLimit }
  }
  let level = firstLevel(target, source)
  if (!isLimited(level)) return atLevel(level, target.mode === 'dynamic')
  let result: Loudness | null = null
  for (let count = 0; count < MAX_MEASUREMENTS && isLimited(level); count++) {
    result = await measure(levelFilters(atLevel(level, true)))
    const next = result && nextLevel(target, level, source, result)
    if (!next) break
    level = next
  }
  const plainLevel = firstLevel({ ...target, mode: 'linear' }, source)
  const isLouder = result !== null && result.integratedLufs > source.integratedLufs + plainLevel.gainDb
  return isLouder
    ? { ...atLevel(level, true), plannedPeakDbtp: Math.min(CEILING_DBTP, result?.truePeakDbtp ?? CEILING_DBTP) }
    : atLevel(plainLevel, false)
}

/**
 * Returns the filters of a file, in order: those before the gain, the gain, and the limiter.
 * @param encoderGainDb gain of the encoder, to compensate
 */
export function levelFilters(
  { filters, level, sampleRate }: Pick<Leveling, 'filters' | 'level' | 'sampleRate'>,
  encoderGainDb = 0,
): string[] {
  const { gainDb, limitDbtp } = level
  if (limitDbtp === null) return [...filters, volumeFilter(gainDb - encoderGainDb)]
  const limiter = limiterFilters(sampleRate, limitDbtp)
  // Integers cannot exceed full scale.
  const limited = [...filters, 'aformat=sample_fmts=fltp', volumeFilter(gainDb), ...limiter]
  return encoderGainDb === 0 ? limited : [...limited, volumeFilter(-encoderGainDb)]
}

/** The filter that applies a gain. */
export const volumeFilter = (gainDb: number) => `volume=${gainDb.toFixed(2)}dB`

/**
 * Returns the gain that compensates the attenuation of a downmix as far as its peaks allow. Never negative.
 * @param attenuationDb of the measured mix, in dB
 * @param loudness of the attenuated mix; null for a recording without sound
 */
export function downmixGain(attenuationDb: number, loudness: Loudness | null): number {
  const room = loudness === null ? attenuationDb : Math.max(0, CEILING_DBTP - loudness.truePeakDbtp)
  return Math.min(attenuationDb, room)
}

/** The loudness of a sound after a gain. */
export const raised = (loudness: Loudness | null, gainDb: number): Loudness | null =>
  loudness && { integratedLufs: loudness.integratedLufs + gainDb, truePeakDbtp: loudness.truePeakDbtp + gainDb }
