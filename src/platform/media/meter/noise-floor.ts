import type { Energy } from './planes.ts'

/** Length of the windows, as in the "RMS trough" of sox. */
const WINDOW_SECONDS = 0.05
/** Softer windows share one bin. */
const SOFTEST = -120
const BINS_PER_DB = 2
/** Windows within this range of the softest one belong to the floor. */
const PLATEAU_DB = 3

/** Measures the level of a recording where it is softest. */
export interface NoiseFloorMeter {
  /** Number of frames up to the end of a window. */
  room(): number
  add(energy: Energy): void
  /**
   * Returns the level of the softest 50 ms that are not digital silence, in dBFS (the mean square of a full-scale square wave
   * is 0), to half a dB, and for how many seconds the recording is within 3 dB of it. Null for digital silence and less than
   * 50 ms of sound.
   */
  end(): { level: number; seconds: number } | null
}

/** Uses 2 kB. */
export function createNoiseFloorMeter(sampleRate: number, channels: number): NoiseFloorMeter {
  const size = Math.max(1, Math.round(WINDOW_SECONDS * sampleRate))
  const bins = new Uint32Array(-SOFTEST * BINS_PER_DB + 1)
  let [sum, filled] = [0, 0]

  function closeWindow(): void {
    if (sum > 0) {
      const level = 10 * Math.log10(sum / (size * channels))
      const bin = Math.round((Math.max(SOFTEST, Math.min(0, level)) - SOFTEST) * BINS_PER_DB)
      bins[bin] = (bins[bin] ?? 0) + 1
    }
    sum = 0
    filled = 0
  }

  return {
    room: () => size - filled,
    add({ powers, frames }) {
      for (let channel = 0; channel < channels; channel++) sum += powers[channel] ?? 0
      filled += frames
      if (filled === size) closeWindow()
    },
    end() {
      const lowest = bins.findIndex((count) => count > 0)
      if (lowest === -1) return null
      const plateau = bins.subarray(lowest, lowest + PLATEAU_DB * BINS_PER_DB + 1)
      return {
        level: SOFTEST + lowest / BINS_PER_DB,
        seconds: plateau.reduce((total, count) => total + count, 0) * WINDOW_SECONDS,
      }
    },
  }
}
