import { createInterpolation, type Interpolation, NEAR, REACH } from './interpolation.ts'
import { HISTORY, MAX_FRAMES, type Planes } from './planes.ts'

/** Samples that are surveyed as a group before interpolation. Not fewer than `REACH`. */
const GROUP = 64
const GROUPS = Math.ceil((HISTORY + MAX_FRAMES) / GROUP)
/** Keeps rounding errors from hiding a peak. */
const MARGIN = 1 + 1e-9

/** Measures the largest magnitude between samples. */
export interface TruePeakMeter {
  add(planes: Planes): void
  /** Linear. 0 for sample rates at which the sample peak is exact enough. */
  end(): number
}

/**
 * Oversamples to about 192 kHz, but only where a peak could exceed the largest so far: about one interval in ten
 * thousand of music.
 * @see ITU-R BS.1770-5, annex 2
 */
export function createTruePeakMeter(sampleRate: number): TruePeakMeter {
  if (sampleRate >= 192_000) return { add() {}, end: () => 0 }
  const interpolation = createInterpolation(sampleRate >= 96_000 ? 2 : 4)
  const survey: Survey = { loudest: new Float64Array(GROUPS), bends: new Float64Array(GROUPS) }
  let peak = 0

  /** Intervals with all right neighbors begin `REACH` samples before the new ones. */
  function follow(plane: Float64Array, count: number, loudest: number): void {
    if (interpolation.gain * MARGIN * Math.max(loudest, loudestBefore(plane)) <= peak) return
    const end = HISTORY - REACH + count
    surveyGroups(survey, plane, HISTORY + count)
    for (let group = 0; group * GROUP < end; group++) {
      const beyond = interpolation.bend * MARGIN * largestAround(survey.bends, group)
      const around = largestAround(survey.loudest, group)
      if (around + beyond <= peak) continue
      const from = Math.max(group * GROUP, HISTORY - REACH)
      peak = peakBetween(interpolation, plane, from, Math.min((group + 1) * GROUP, end), { peak, beyond, around })
    }
  }

  return {
    add({ planes, count, peaks }) {
      for (const [channel, plane] of planes.entries()) follow(plane, count, peaks[channel] ?? 0)
    },
    end: () => peak,
  }
}

function loudestBefore(plane: Float64Array): number {
  let loudest = 0
  for (let i = 0; i < HISTORY; i++) loudest = Math.max(loudest, Math.abs(plane[i] ?? 0))
  return loudest
}

/** Bounds per group of samples. */
interface Survey {
  /** The largest magnitude. */
  loudest: Float64Array
  /** The largest second difference. */
  bends: Float64Array
}

function surveyGroups({ loudest, bends }: Survey, plane: Float64Array, length: number): void {
  loudest.fill(0)
  bends.fill(0)
  let slope = (plane[1] ?? 0) - (plane[0] ?? 0)
  let last = (plane[0] ?? 0) - slope
  for (let group = 0; group * GROUP < length; group++) {
    const end = Math.min((group + 1) * GROUP, length)
    let loud = 0
    let bend = 0
    for (let i = group * GROUP; i < end; i++) {
      const sample = plane[i] ?? 0
      const rise = sample - last
      const bent = Math.abs(rise - slope)
      const magnitude = Math.abs(sample)
      if (bent > bend) bend = bent
      if (magnitude > loud) loud = magnitude
      last = sample
      slope = rise
    }
    loudest[group] = loud
    bends[group] = bend
  }
}

/** Maximum of a group and its neighbors, which the filter reaches into. */
function largestAround(values: Float64Array, group: number): number {
  return Math.max(values[group - 1] ?? 0, values[group] ?? 0, values[group + 1] ?? 0)
}

interface Bounds {
  /** The largest so far. */
  peak: number
  /** Maximum excess of an interpolated value over its two neighbors. */
  beyond: number
  /** Largest magnitude of the samples that contribute. */
  around: number
}

/** Returns the larger of the peak so far and the peak between the samples from `from` to `to`. */
function peakBetween(
  { phases }: Interpolation,
  plane: Float64Array,
  from: number,
  to: number,
  { peak, beyond, around }: Bounds,
): number {
  let found = peak
  for (let i = from; i < to; i++) {
    const larger = Math.max(Math.abs(plane[i] ?? 0), Math.abs(plane[i + 1] ?? 0))
    if (larger + beyond <= found) continue
    for (let p = 0; p < phases.length; p++) {
      const phase = phases[p]
      if (!phase) continue
      const near = valueAt(phase.weights, plane, i - REACH + 1, REACH - NEAR, REACH + NEAR)
      if (Math.abs(near) + phase.far * around * MARGIN <= found) continue
      found = Math.max(found, Math.abs(valueAt(phase.weights, plane, i - REACH + 1, 0, 2 * REACH)))
    }
  }
  return found
}

function valueAt(weights: Float64Array, plane: Float64Array, start: number, from: number, to: number): number {
  let value = 0
  for (let j = from; j < to; j++) value += (weights[j] ?? 0) * (plane[start + j] ?? 0)
  return value
}
