import type { TagField } from './fields.ts'

/** Loudness of a delivered sound. */
export interface Gain {
  integratedLufs: number
  /** Null unless measured. */
  truePeakDbtp: number | null
}

/** Reference loudness of ReplayGain 2.0, and of R128 tags. */
const REPLAYGAIN_LUFS = -18
const R128_LUFS = -23
const Q7_8 = 256

/**
 * Returns ReplayGain 2.0 tags for MP3, MP4 and Vorbis. Silence has no gain.
 * @returns gain in dB with its unit; peak linear, 1 = full scale
 */
export function replayGain({ integratedLufs, truePeakDbtp }: Gain): TagField[] {
  if (!Number.isFinite(integratedLufs)) return []
  const gain = `${(REPLAYGAIN_LUFS - integratedLufs).toFixed(2)} dB`
  const peak = truePeakDbtp === null ? null : 10 ** (truePeakDbtp / 20)
  return [
    { name: 'REPLAYGAIN_TRACK_GAIN', values: [gain] },
    ...(peak === null ? [] : [{ name: 'REPLAYGAIN_TRACK_PEAK', values: [peak.toFixed(6)] } satisfies TagField]),
  ]
}

/** Returns Opus' gain tag: 1/256 dB as a 16-bit number (RFC 7845, section 5.2.1), which excludes ReplayGain. */
export function r128Gain({ integratedLufs }: Gain): TagField[] {
  if (!Number.isFinite(integratedLufs)) return []
  const steps = Math.round((R128_LUFS - integratedLufs) * Q7_8)
  return [{ name: 'R128_TRACK_GAIN', values: [String(Math.min(32_767, Math.max(-32_768, steps)))] }]
}
