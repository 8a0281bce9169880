/** Number of neighbors on each side in the interpolation. */
export const REACH = 12
/** Parameter of the Kaiser window: flat to within 0.01 dB up to 0.4 of the sample rate. */
const BETA = 6

/** Number of nearest neighbors on each side, which contribute most. */
export const NEAR = 3

/** A position between two samples. */
export interface Phase {
  /** Weights of `REACH` samples before and after. */
  weights: Float64Array
  /** Sum of the magnitudes of all weights but the nearest. */
  far: number
}

/** Interpolates between two samples. */
export interface Interpolation {
  /** Evenly spaced, in order. */
  phases: Phase[]
  /**
   * No value between two samples exceeds the larger of them by more than this factor times the largest second
   * difference nearby. The deviation from a straight line is a weighted sum of second differences, and this is the sum
   * of the weights.
   */
  bend: number
  /** No value exceeds this factor times the largest magnitude nearby. */
  gain: number
}

/**
 * Creates a windowed sinc (Kaiser), split into phases. BS.1770 prints a filter of half its length as an example.
 * @param factor of oversampling, 2 or 4
 * @see ITU-R BS.1770-5, annex 2
 */
export function createInterpolation(factor: number): Interpolation {
  const filters = Array.from({ length: factor - 1 }, (_, i) => weightsAt((i + 1) / factor))
  return {
    phases: filters.map((weights) => ({
      weights,
      far: magnitude(weights) - magnitude(weights.subarray(REACH - NEAR, REACH + NEAR)),
    })),
    bend: Math.max(...filters.map((weights, i) => measureBend(weights, (i + 1) / factor))),
    gain: Math.max(...filters.map(magnitude)),
  }
}

function weightsAt(fraction: number): Float64Array {
  const distances = Float64Array.from({ length: 2 * REACH }, (_, i) => i - (REACH - 1) - fraction)
  const window = distances.map((distance) => kaiser(distance / REACH))
  const weights = window.map((weight, i) => weight * sinc(distances[i] ?? 0))
  // Corrected to be exact for constants and slopes, which the bound of `bend` requires. The correction is less than a
  // thousandth of the window.
  const [m0, m1, m2] = [0, 1, 2].map((power) => sum(window.map((weight, i) => weight * (distances[i] ?? 0) ** power)))
  const [error, slope] = [1 - sum(weights), -sum(weights.map((weight, i) => weight * (distances[i] ?? 0)))]
  const determinant = (m0 ?? 1) * (m2 ?? 1) - (m1 ?? 0) ** 2
  const constant = (error * (m2 ?? 1) - slope * (m1 ?? 0)) / determinant
  const linear = (slope * (m0 ?? 1) - error * (m1 ?? 0)) / determinant
  return weights.map((weight, i) => weight + (window[i] ?? 0) * (constant + linear * (distances[i] ?? 0)))
}

function measureBend(weights: Float64Array, fraction: number): number {
  let [slope, value, total] = [0, 0, 0]
  for (const [i, weight] of weights.entries()) {
    const line = i === REACH - 1 ? 1 - fraction : i === REACH ? fraction : 0
    slope += weight - line
    value += slope
    total += Math.abs(value)
  }
  return total
}

const sinc = (x: number) => Math.sin(Math.PI * x) / (Math.PI * x)
const magnitude = (weights: Float64Array) => sum(weights.map(Math.abs))
const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0)

const kaiser = (x: number) => bessel(BETA * Math.sqrt(Math.max(0, 1 - x * x))) / bessel(BETA)

/** Modified Bessel function of the first kind, order 0, by its power series. */
function bessel(x: number): number {
  let [total, term] = [1, 1]
  for (let k = 1; term > 1e-12 * total; k++) {
    term *= (x / 2 / k) ** 2
    total += term
  }
  return total
}
