import { onsetCurve } from './onsets.ts'
import { createSpectrum } from './spectrum.ts'

export interface Tempo {
  bpm: number
  /** 0-1. */
  confidence: number
}

/** In samples of an excerpt: about 50 ms. */
const WINDOW = 512
const [SLOWEST, FASTEST] = [50, 210]
/** Candidates differ by this factor. */
const GRID = 1.005
const FINE_GRID = 1.0002
/** Prior of human tapping: near 120 beats per minute, seldom an octave away. */
const [USUAL_BPM, SPREAD_OCTAVES] = [120, 0.9]
/**
 * Periods after which a beat repeats, and their weights. Half periods count a little, to distinguish a beat from one
 * and a half.
 */
const ECHOES = [
  { periods: 0.5, weight: 0.05 },
  { periods: 1, weight: 0.35 },
  { periods: 2, weight: 0.25 },
  { periods: 3, weight: 0.15 },
  { periods: 4, weight: 0.2 },
]
const LONGEST_ECHO = 4
/** Lower variation is ripple in a steady sound: 0.05 was measured there, 1.8 and more in music. */
const MIN_RISE = 0.5
/** Lower values may be speech or noise, which stay under 0.06. Music with a beat is seldom under 0.2. */
const MIN_CONFIDENCE = 0.12
/** Shorter excerpts have too few beats. */
const MIN_SECONDS = 5

/**
 * Estimates the tempo by the autocorrelation of onsets.
 * @param excerpts mono
 * @param sampleRate in Hz
 * @returns null with too little sound, or no beat
 */
export function estimateTempo(excerpts: readonly Float32Array[], sampleRate: number): Tempo | null {
  const autocorrelation = onsetAutocorrelation(excerpts, sampleRate)
  if (!autocorrelation) return null
  const { at, rate } = autocorrelation
  const scoreTempo = (bpm: number) => {
    const lag = (60 / bpm) * rate
    return ECHOES.reduce((sum, { periods, weight }) => sum + weight * at(periods * lag), 0)
  }
  const prior = (bpm: number) => Math.exp(-0.5 * (Math.log2(bpm / USUAL_BPM) / SPREAD_OCTAVES) ** 2)
  const rough = findBest(SLOWEST, FASTEST, GRID, (bpm) => scoreTempo(bpm) * prior(bpm))
  const confidence = Math.min(1, scoreTempo(rough))
  if (confidence < MIN_CONFIDENCE) return null
  // The lag of a whole bar is more precise than that of a beat.
  const bpm = findBest(rough / GRID ** 2, rough * GRID ** 2, FINE_GRID, (fine) => at((LONGEST_ECHO * 60 * rate) / fine))
  return { bpm, confidence }
}

function findBest(from: number, to: number, factor: number, scoreOf: (bpm: number) => number): number {
  let best = { bpm: from, score: Number.NEGATIVE_INFINITY }
  for (let bpm = from; bpm <= to; bpm *= factor) {
    const score = scoreOf(bpm)
    if (score > best.score) best = { bpm, score }
  }
  return best.bpm
}

/**
 * Returns the autocorrelation of onsets over all excerpts, 1 at lag 0. `at` interpolates fractional lags with a
 * parabola.
 */
function onsetAutocorrelation(excerpts: readonly Float32Array[], sampleRate: number) {
  const spectrum = createSpectrum(WINDOW)
  const rate = sampleRate / (WINDOW / 4)
  const longest = Math.ceil((60 / SLOWEST) * rate * LONGEST_ECHO) + 4
  const sums = new Float64Array(longest)
  let length = 0
  for (const excerpt of excerpts) {
    if (excerpt.length < MIN_SECONDS * sampleRate) continue
    const { values } = onsetCurve(excerpt, sampleRate, spectrum)
    addAutocorrelation(values, sums)
    length += values.length
  }
  const whole = sums[0] ?? 0
  if (length === 0 || whole / length < MIN_RISE ** 2) return null
  const at = (lag: number) => {
    const middle = Math.round(lag)
    const x = lag - middle
    const a = sums[middle - 1] ?? 0
    const b = sums[middle] ?? 0
    const c = sums[middle + 1] ?? 0
    return (b + ((c - a) * x) / 2 + ((a - 2 * b + c) * x * x) / 2) / whole
  }
  return { at, rate }
}

/** Adds the autocorrelation of the deviation from the mean, each lag normalized by its number of pairs. */
function addAutocorrelation(values: Float64Array, sums: Float64Array): void {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const centred = values.map((value) => value - mean)
  for (let lag = 0; lag < sums.length && lag < centred.length / 2; lag++) {
    let sum = 0
    for (let i = lag; i < centred.length; i++) sum += (centred[i] ?? 0) * (centred[i - lag] ?? 0)
    sums[lag] = (sums[lag] ?? 0) + (sum * centred.length) / (centred.length - lag)
  }
}
