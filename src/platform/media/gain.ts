import type { Analysis } from './meter/sound.ts'

/** The highest true peak that a raised recording or a downmix may have, in dBTP (EBU R128, recommendation m). */
const CEILING_DBTP = -1

export interface Gain {
  gainDb: number
  /** What the result measures; null for silence. */
  integratedLufs: number | null
  truePeakDbtp: number | null
  /** Whether peaks kept it from reaching its target. */
  isLimited: boolean
}

/**
 * The one gain that brings a recording to a loudness, as linear normalisation does: its dynamics stay as they are, so
 * that peaks may keep it below its target.
 * @param targetLufs integrated loudness wished for
 * @see EBU R128; ffmpeg's loudnorm in its linear mode
 */
export function gainFor(targetLufs: number, { integrated_lufs, true_peak_dbtp }: Analysis): Gain {
  if (integrated_lufs === null || true_peak_dbtp === null) {
    return { gainDb: 0, integratedLufs: null, truePeakDbtp: true_peak_dbtp, isLimited: false }
  }
  const wished = targetLufs - integrated_lufs
  // What is too loud as it came is not made quieter than asked for.
  const room = Math.max(0, CEILING_DBTP - true_peak_dbtp)
  const gainDb = Math.min(wished, room)
  return {
    gainDb,
    integratedLufs: integrated_lufs + gainDb,
    truePeakDbtp: true_peak_dbtp + gainDb,
    isLimited: gainDb < wished - 0.05,
  }
}

/**
 * The gain that takes back the attenuation of a downmix, as far as its peaks leave room below the ceiling. Never
 * negative.
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
