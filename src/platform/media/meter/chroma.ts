import { createSpectrum } from './spectrum.ts'

/** In samples of an excerpt: about 0.4 s, long enough to separate notes. */
const WINDOW = 4096
const HOP = WINDOW / 2
/** Below, the window cannot separate notes. Above, overtones outnumber notes. */
const [LOWEST_HZ, HIGHEST_HZ] = [100, 1800]
const A4_HZ = 440
/** Pitch class of A, C being 0. */
const A = 9
/** Minimum ratio of a peak's power to the mean power. */
const MIN_PROMINENCE = 4
/** Steps per semitone, for the tuning. */
const STEPS = 20

/** Share of each pitch class, C first. The sum is 1. */
export interface Chroma {
  classes: Float64Array
  /** Share of the peaks' strength that is in tune, 0 to 1. */
  tuned: number
}

/**
 * Sums spectral peaks by pitch class, in the prevalent tuning.
 * @param excerpts mono
 * @param sampleRate in Hz
 * @returns null when there are no peaks
 */
export function measureChroma(excerpts: readonly Float32Array[], sampleRate: number): Chroma | null {
  const spectrum = createSpectrum(WINDOW)
  const steps = new Float64Array(12 * STEPS)
  for (const samples of excerpts) {
    for (let at = 0; at + WINDOW <= samples.length; at += 2 * HOP) {
      const [one, other] = spectrum.pair(samples, at, at + HOP)
      addPeaks(one, sampleRate, steps)
      addPeaks(other, sampleRate, steps)
    }
  }
  const total = steps.reduce((sum, value) => sum + value, 0)
  return total === 0 ? null : inTune(steps.map((value) => value / total))
}

/** Every moment has the same weight, independent of loudness. Loud peaks count more, but less than by their power. */
function addPeaks(powers: Float64Array, sampleRate: number, steps: Float64Array): void {
  const binHz = sampleRate / WINDOW
  const [from, to] = [Math.ceil(LOWEST_HZ / binHz), Math.min(powers.length - 2, Math.floor(HIGHEST_HZ / binHz))]
  let mean = 0
  for (let bin = from; bin <= to; bin++) mean += (powers[bin] ?? 0) / (to - from + 1)
  if (mean < 1e-6) return
  const peaks: { step: number; strength: number }[] = []
  let total = 0
  for (let bin = from; bin <= to; bin++) {
    const power = powers[bin] ?? 0
    const before = powers[bin - 1] ?? 0
    const after = powers[bin + 1] ?? 0
    if (power < MIN_PROMINENCE * mean || power <= before || power < after) continue
    const step = STEPS * (12 * Math.log2((peakBin(bin, before, power, after) * binHz) / A4_HZ) + A)
    const strength = Math.sqrt(Math.sqrt(power))
    total += strength
    peaks.push({ step: ((Math.round(step) % steps.length) + steps.length) % steps.length, strength })
  }
  for (const { step, strength } of peaks) steps[step] = (steps[step] ?? 0) + strength / total
}

/** Interpolates between bins with a parabola through logarithms. */
function peakBin(bin: number, before: number, power: number, after: number): number {
  const [a, b, c] = [Math.log(before + 1e-12), Math.log(power), Math.log(after + 1e-12)]
  return bin + (0.5 * (a - c)) / (a - 2 * b + c)
}

/** Sums steps to pitch classes. The tuning is the mean direction of all offsets from semitones, as angles. */
function inTune(steps: Float64Array): Chroma {
  let [x, y] = [0, 0]
  for (const [step, value] of steps.entries()) {
    x += value * Math.cos((2 * Math.PI * step) / STEPS)
    y += value * Math.sin((2 * Math.PI * step) / STEPS)
  }
  const offset = (Math.atan2(y, x) / (2 * Math.PI)) * STEPS
  const classes = new Float64Array(12)
  for (const [step, value] of steps.entries()) {
    const pitch = (Math.round((step - offset) / STEPS) + 12) % 12
    classes[pitch] = (classes[pitch] ?? 0) + value
  }
  return { classes, tuned: Math.hypot(x, y) }
}
