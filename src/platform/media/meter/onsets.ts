import type { Spectrum } from './spectrum.ts'

const BANDS = 24
const LOWEST_HZ = 40
/** Relative to the mean power of the excerpt. Softer bands hardly count as onsets. */
const FLOOR = 1e-3
/** Neighborhood that an onset has to exceed, in seconds on each side. */
const SURROUNDINGS = 0.5

/** Onset strength over time: the sum of the increase in loudness of all bands. */
export interface OnsetCurve {
  values: Float64Array
  /** Values per second. */
  rate: number
}

/**
 * Returns the onset strength of an excerpt, by the increase in bands of about a third of an octave.
 * @param sampleRate in Hz
 * @see Dixon, "Onset detection revisited", DAFx 2006 (spectral flux)
 */
export function onsetCurve(samples: Float32Array, sampleRate: number, spectrum: Spectrum): OnsetCurve {
  const hop = spectrum.size / 4
  const rate = sampleRate / hop
  const length = Math.max(0, Math.floor((samples.length - spectrum.size) / hop) + 1)
  const bands = bandPowers(samples, length, hop, bandsOfBins(spectrum.size, sampleRate), spectrum)
  let mean = 0
  for (const power of bands) mean += power / bands.length
  const floor = Math.max(mean * FLOOR, Number.MIN_VALUE)
  const levels = bands.map((power) => Math.log(1 + power / floor))
  const rises = new Float64Array(length)
  for (let t = 1; t < length; t++) {
    let sum = 0
    for (let at = t * BANDS; at < (t + 1) * BANDS; at++) {
      sum += Math.max(0, (levels[at] ?? 0) - (levels[at - BANDS] ?? 0))
    }
    rises[t] = sum
  }
  return { values: aboveMean(rises, Math.round(rate * SURROUNDINGS)), rate }
}

/** Row by row, `BANDS` per row. */
function bandPowers(
  samples: Float32Array,
  rows: number,
  hop: number,
  bandOf: Int8Array,
  spectrum: Spectrum,
): Float64Array {
  const result = new Float64Array(rows * BANDS)
  for (let row = 0; row < rows; row += 2) {
    const [one, other] = spectrum.pair(samples, row * hop, (row + 1) * hop)
    addBands(one, bandOf, result, row * BANDS)
    if (row + 1 < rows) addBands(other, bandOf, result, (row + 1) * BANDS)
  }
  return result
}

function addBands(powers: Float64Array, bandOf: Int8Array, result: Float64Array, start: number): void {
  for (let bin = 0; bin < powers.length; bin++) {
    const band = bandOf[bin] ?? -1
    if (band >= 0) result[start + band] = (result[start + band] ?? 0) + (powers[bin] ?? 0)
  }
}

/** Band of each bin, in equal steps of pitch. -1 below the lowest. */
function bandsOfBins(size: number, sampleRate: number): Int8Array {
  const octaves = Math.log2(sampleRate / 2 / LOWEST_HZ)
  return Int8Array.from({ length: size / 2 + 1 }, (_, bin) => {
    const band = Math.floor((Math.log2((bin * sampleRate) / size / LOWEST_HZ) / octaves) * BANDS)
    return bin === 0 || band < 0 ? -1 : Math.min(band, BANDS - 1)
  })
}

/** Subtracts the mean of the neighborhood. Never below 0. */
function aboveMean(values: Float64Array, reach: number): Float64Array {
  const sums = new Float64Array(values.length + 1)
  for (let i = 0; i < values.length; i++) sums[i + 1] = (sums[i] ?? 0) + (values[i] ?? 0)
  return values.map((value, i) => {
    const from = Math.max(0, i - reach)
    const to = Math.min(values.length, i + reach + 1)
    return Math.max(0, value - ((sums[to] ?? 0) - (sums[from] ?? 0)) / (to - from))
  })
}
