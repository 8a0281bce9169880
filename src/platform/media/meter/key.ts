import { measureChroma } from './chroma.ts'

export interface Key {
  /** 'C major', 'F# minor'. */
  name: string
  /** 0-1. */
  confidence: number
}

const NAMES = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B']
/** Minimum number of equally strong pitch classes: two notes occur in many keys. */
const MIN_CLASSES = 2.9
/** Lower values may be speech, noise or drums, which stay under 0.25. Music in one key is mostly above 0.4. */
const MIN_CONFIDENCE = 0.25
/** Fit of each note in a key, from the tonic on: Temperley's revision of the profiles of Krumhansl and Kessler. */
const PROFILES = {
  major: [5, 2, 3.5, 2, 4.5, 4, 2, 4.5, 2, 3.5, 1.5, 4],
  minor: [5, 2, 3.5, 4.5, 2, 4, 2, 4.5, 3.5, 2, 1.5, 4],
}

/**
 * Estimates the key by the best-matching profile.
 * @param excerpts mono
 * @param sampleRate in Hz
 * @returns null with too few notes, or when no key fits
 * @see Temperley, "What's key for key?", Music Perception 17 (1999)
 */
export function estimateKey(excerpts: readonly Float32Array[], sampleRate: number): Key | null {
  const chroma = measureChroma(excerpts, sampleRate)
  if (!chroma || 1 / chroma.classes.reduce((sum, share) => sum + share * share, 0) < MIN_CLASSES) return null
  const keys = NAMES.flatMap((name, tonic) =>
    (['major', 'minor'] as const).map((mode) => ({
      name: `${name} ${mode}`,
      fit: correlation(PROFILES[mode], (i) => chroma.classes[(tonic + i) % 12] ?? 0),
    })),
  ).sort((a, b) => b.fit - a.fit)
  const best = keys[0]
  if (!best || best.fit * chroma.tuned < MIN_CONFIDENCE) return null
  return { name: best.name, confidence: best.fit * chroma.tuned }
}

/** Pearson's correlation coefficient. */
function correlation(profile: readonly number[], valueAt: (i: number) => number): number {
  const mean = profile.reduce((sum, value) => sum + value, 0) / profile.length
  const valueMean = profile.reduce((sum, _, i) => sum + valueAt(i), 0) / profile.length
  let [product, square, valueSquare] = [0, 0, 0]
  for (const [i, expected] of profile.entries()) {
    const [a, b] = [expected - mean, valueAt(i) - valueMean]
    product += a * b
    square += a * a
    valueSquare += b * b
  }
  return valueSquare === 0 ? 0 : product / Math.sqrt(square * valueSquare)
}
