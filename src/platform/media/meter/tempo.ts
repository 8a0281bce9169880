import { onsetCurve } from './onsets.ts'
import { createSpectrum } from './spectrum.ts'

export interface Tempo {
  bpm: number
  /** About the share of such estimates that are right, 0.5 to 1. */
  confidence: number
}

/** In samples of an excerpt: about 50 ms. */
const WINDOW = 512
const [SLOWEST, FASTEST] = [50, 210]
/** Candidates differ by this factor. */
const GRID = 1.005
const FINE_GRID = 1.0002
/**
 * Prior of human tapping: seldom an octave from the middle. Its middle is above the 120 of most studies, because every
 * beat also repeats after twice its period, which favors half the tempo.
 */
const [USUAL_BPM, SPREAD_OCTAVES] = [125, 0.9]
/** Periods after which a beat repeats, and their weights. Half periods distinguish a beat from one and a half. */
const ECHOES = [
  { periods: 0.5, weight: 0.15 },
  { periods: 1, weight: 0.35 },
  { periods: 2, weight: 0.25 },
  { periods: 3, weight: 0.15 },
  { periods: 4, weight: 0.2 },
]
const LONGEST_ECHO = 4
/** Lower variation is ripple in a steady sound: 0.05 was measured there, 1.8 and more in music. */
const MIN_RISE = 0.5
/** Lower scores may be speech or noise, which stay under 0.06. Music with a beat is seldom under 0.2. */
const MIN_SCORE = 0.12
/** Factor between two tempos that are not the same peak of the score. */
const OTHER_TEMPO = 1.08
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
  const candidates = tempos(SLOWEST, FASTEST, GRID).map((bpm) => ({ bpm, score: scoreTempo(bpm) * weighTempo(bpm) }))
  const { bpm: rough, score } = findBest(candidates)
  if (scoreTempo(rough) < MIN_SCORE) return null
  const others = candidates.filter(({ bpm }) => Math.max(bpm / rough, rough / bpm) > OTHER_TEMPO)
  const fine = tempos(rough / GRID ** 2, rough * GRID ** 2, FINE_GRID)
  // The lag of a whole bar is more precise than that of a beat.
  const { bpm } = findBest(fine.map((tempo) => ({ bpm: tempo, score: at((LONGEST_ECHO * 60 * rate) / tempo) })))
  return { bpm, confidence: toConfidence(findBest(others).score / score) }
}

const weighTempo = (bpm: number) => Math.exp(-0.5 * (Math.log2(bpm / USUAL_BPM) / SPREAD_OCTAVES) ** 2)

/**
 * Returns the share of estimates that were right on annotated music (decision 0004). Where another tempo, mostly half
 * or double, explains the onsets as well, it is one of two.
 * @param ratio of the score of the best other tempo to that of the estimate
 */
const toConfidence = (ratio: number) => 1 - 0.5 * Math.max(0, ratio) ** 2

interface Candidate {
  bpm: number
  score: number
}

function tempos(from: number, to: number, factor: number): number[] {
  const count = Math.floor(Math.log(to / from) / Math.log(factor)) + 1
  return Array.from({ length: count }, (_, i) => from * factor ** i)
}

function findBest(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, candidate) => (candidate.score > best.score ? candidate : best))
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
