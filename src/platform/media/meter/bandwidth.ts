import { HISTORY, type Planes } from './planes.ts'
import type { SoundFormat } from './sound.ts'
import { createSpectrum } from './spectrum.ts'

/** Samples of a spectrum: bins of 11 Hz at 44.1 kHz. */
const SIZE = 4096
/** Width of the bands into which bins are averaged, in Hz: tones in a band fill it, bands between tones stay empty. */
const BAND_HZ = 200
/** A cut-off falls by this much within a kilohertz. No instrument and no room does. */
const FALL_DB = 25
const FALL_BANDS = 5
/** Below a cut-off, this many bands are filled: 3 kHz within this range. Distinguishes it from the end of a few tones. */
const FILLED_BANDS = 15
const FILLED_DB = 25
/** Above it, nothing rises again by more than this. */
const RISE_DB = 10
/** Share of half the sample rate above which converters themselves cut off. */
const OPEN = 0.93

/** Finds the frequency at which the spectrum of a recording ends abruptly. */
export interface BandwidthMeter {
  add(planes: Planes): void
  /** In Hz. Null when it ends nowhere below 93 % of half the sample rate, or cannot be judged. */
  end(): number | null
}

/**
 * Sums the power spectra of 93 ms of every second, of the first two channels. Encoders of lossy formats and converters of
 * sample rates leave nothing above their cut-off.
 */
export function createBandwidthMeter({ sampleRate }: SoundFormat): BandwidthMeter {
  const spectrum = createSpectrum(SIZE)
  // The first channel, then the second: both are transformed at once.
  const samples = new Float32Array(2 * SIZE)
  const sums = new Float64Array(SIZE / 2 + 1)
  const period = Math.max(SIZE, sampleRate)
  let position = 0

  function addSpectrum(): void {
    for (const powers of spectrum.pair(samples, 0, SIZE)) {
      for (let k = 0; k < sums.length; k++) sums[k] = (sums[k] ?? 0) + (powers[k] ?? 0)
    }
  }

  return {
    add({ planes, count }) {
      for (let at = 0; at < count; ) {
        const isTaken = position < SIZE
        const length = Math.min(count - at, (isTaken ? SIZE : period) - position)
        if (isTaken) {
          for (const [channel, plane] of planes.slice(0, 2).entries()) {
            samples.set(plane.subarray(HISTORY + at, HISTORY + at + length), channel * SIZE + position)
          }
        }
        position += length
        at += length
        if (isTaken && position === SIZE) addSpectrum()
        if (position === period) position = 0
      }
    },
    end: () => cutOff(averageBands(sums, sampleRate), sampleRate / 2),
  }
}

/** Returns the mean power of each band, in dB. Negative infinity for an empty one. */
function averageBands(sums: Float64Array, sampleRate: number): number[] {
  const bins = (BAND_HZ * SIZE) / sampleRate
  return Array.from({ length: Math.floor(sums.length / bins) }, (_, i) => {
    const band = sums.subarray(Math.round(i * bins), Math.round((i + 1) * bins))
    return 10 * Math.log10(band.reduce((total, power) => total + power, 0) / band.length)
  })
}

/** The highest edge that falls steeply, ends a filled spectrum, and has nothing above it. */
function cutOff(bands: number[], nyquist: number): number | null {
  let highestAbove = Number.NEGATIVE_INFINITY
  for (let i = bands.length - 1; i >= FILLED_BANDS + FALL_BANDS; i--) {
    const above = bands[i] ?? Number.NEGATIVE_INFINITY
    highestAbove = Math.max(highestAbove, above)
    const below = bands.slice(i - FALL_BANDS - FILLED_BANDS, i - FALL_BANDS)
    const [softest, loudest] = [Math.min(...below), Math.max(...below)]
    if (!Number.isFinite(softest)) continue
    const isFilled = loudest - softest <= FILLED_DB
    if (!isFilled || softest - above < FALL_DB || highestAbove - above > RISE_DB) continue
    const edge = findEdge(bands, i - FALL_BANDS, softest)
    return edge >= OPEN * nyquist ? null : edge
  }
  return null
}

/** The end of the last band that is within 10 dB of the bands below the edge. */
function findEdge(bands: number[], from: number, softest: number): number {
  let i = from
  while ((bands[i] ?? Number.NEGATIVE_INFINITY) > softest - 10) i += 1
  return i * BAND_HZ
}
