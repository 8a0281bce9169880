import type { Analysis } from './meter/sound.ts'

/** Highest true peak of a raised recording or a downmix, in dBTP (EBU R128, recommendation m). */
const CEILING_DBTP = -1

export interface Gain {
  gainDb: number
  /** Loudness of the result. Null for silence. */
  integratedLufs: number | null
  truePeakDbtp: number | null
  /** Whether peaks kept the gain below its target. */
  isLimited: boolean
}

/**
 * Returns the gain that brings a recording to a loudness by linear normalization: dynamics are kept, so that peaks may
 * limit the gain.
 * @param targetLufs integrated loudness
 * @see EBU R128; ffmpeg's loudnorm in its linear mode
 */
export function gainFor(targetLufs: number, { integrated_lufs, true_peak_dbtp }: Analysis): Gain {
  if (integrated_lufs === null || true_peak_dbtp === null) {
    return { gainDb: 0, integratedLufs: null, truePeakDbtp: true_peak_dbtp, isLimited: false }
  }
  const targetGainDb = targetLufs - integrated_lufs
  // A recording above the ceiling is not reduced beyond its target.
  const room = Math.max(0, CEILING_DBTP - true_peak_dbtp)
  const gainDb = Math.min(targetGainDb, room)
  return {
    gainDb,
    integratedLufs: integrated_lufs + gainDb,
    truePeakDbtp: true_peak_dbtp + gainDb,
    isLimited: gainDb < targetGainDb - 0.05,
  }
}

/**
 * Returns the gain that compensates the attenuation of a downmix as far as its peaks allow. Never negative.
 * @param attenuationDb of the measured mix, in dB
 * @param analysis of the attenuated mix; null for a recording without sound
 */
export function downmixGain(attenuationDb: number, analysis: Analysis | null): Omit<Gain, 'isLimited'> {
  const { integrated_lufs = null, true_peak_dbtp = null } = analysis ?? {}
  const room = true_peak_dbtp === null ? attenuationDb : Math.max(0, CEILING_DBTP - true_peak_dbtp)
  const gainDb = Math.min(attenuationDb, room)
  const raised = (level: number | null) => (level === null ? null : level + gainDb)
  return { gainDb, integratedLufs: raised(integrated_lufs), truePeakDbtp: raised(true_peak_dbtp) }
}
