import { createInterpolation, type Interpolation, NEAR, REACH } from './interpolation.ts'
import { GROUP, GROUPS, HISTORY, type Planes } from './planes.ts'

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
  let peak = 0

  /**
   * Interpolates the intervals whose right neighbors are in one group of new samples. Their left neighbors are in the
   * group before it.
   */
  function follow(plane: Float64Array, group: number, end: number, around: number): void {
    const from = HISTORY - REACH + group * GROUP
    const to = Math.min(from + GROUP, end - REACH)
    const beyond = interpolation.bend * MARGIN * largestBend(plane, from - REACH + 1, to + REACH)
    if (around + beyond > peak) peak = peakBetween(interpolation, plane, from, to, { peak, beyond, around })
  }

  return {
    add({ planes, count, peaks }) {
      const gain = interpolation.gain * MARGIN
      for (const [channel, plane] of planes.entries()) {
        let before = loudestBefore(plane)
        for (let group = 0; group * GROUP < count; group++) {
          const loudest = peaks[channel * GROUPS + group] ?? 0
          const around = Math.max(before, loudest)
          if (gain * around > peak) follow(plane, group, HISTORY + count, around)
          before = loudest
        }
      }
    },
    end: () => peak,
  }
}

function loudestBefore(plane: Float64Array): number {
  let loudest = 0
  for (let i = 0; i < HISTORY; i++) loudest = Math.max(loudest, Math.abs(plane[i] ?? 0))
  return loudest
}

/** The largest second difference of the samples from `from` to before `end`. */
function largestBend(plane: Float64Array, from: number, end: number): number {
  let largest = 0
  let last = plane[from + 1] ?? 0
  let slope = last - (plane[from] ?? 0)
  for (let i = from + 2; i < end; i++) {
    const sample = plane[i] ?? 0
    const rise = sample - last
    const bend = Math.abs(rise - slope)
    if (bend > largest) largest = bend
    last = sample
    slope = rise
  }
  return largest
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
  let highest = peak
  for (let i = from; i < to; i++) {
    const larger = Math.max(Math.abs(plane[i] ?? 0), Math.abs(plane[i + 1] ?? 0))
    if (larger + beyond <= highest) continue
    for (let p = 0; p < phases.length; p++) {
      const phase = phases[p]
      if (!phase) continue
      const near = valueAt(phase.weights, plane, i - REACH + 1, REACH - NEAR, REACH + NEAR)
      if (Math.abs(near) + phase.far * around * MARGIN <= highest) continue
      highest = Math.max(highest, Math.abs(valueAt(phase.weights, plane, i - REACH + 1, 0, 2 * REACH)))
    }
  }
  return highest
}

function valueAt(weights: Float64Array, plane: Float64Array, start: number, from: number, to: number): number {
  let value = 0
  for (let j = from; j < to; j++) value += (weights[j] ?? 0) * (plane[start + j] ?? 0)
  return value
}
