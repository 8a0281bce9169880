import type { Samples, SoundFormat } from './sound.ts'

/** Number of previous samples before the new ones in each plane: the reach of the true peak's filter. */
export const HISTORY = 24
/** Frames per block: planes of a few channels fit in the L1 cache. */
export const MAX_FRAMES = 1024

/** A block of sound, one array per channel: samples from `HISTORY` to `HISTORY + count`, full scale at 1. */
export interface Planes {
  planes: Float64Array[]
  count: number
  /** Largest magnitude of the new samples of all channels. */
  peak: number
  /** The same per channel. */
  peaks: Float64Array
  /** Sum of all samples so far, per channel. */
  sums: Float64Array
}

export function createPlanes({ channels }: SoundFormat): Planes {
  const planes = Array.from({ length: channels }, () => new Float64Array(HISTORY + MAX_FRAMES))
  return { planes, count: 0, peak: 0, peaks: new Float64Array(channels), sums: new Float64Array(channels) }
}

/**
 * Deinterleaves the next frames.
 * @param position of the first, in samples
 * @param count of frames, at most `MAX_FRAMES`
 */
export function fillPlanes(target: Planes, samples: Samples, position: number, count: number): void {
  const scale = samples instanceof Int16Array ? 2 ** -15 : samples instanceof Int32Array ? 2 ** -31 : 1
  const { planes, peaks, sums } = target
  target.peak = 0
  for (let channel = 0; channel < planes.length; channel++) {
    const plane = planes[channel]
    if (!plane) continue
    plane.copyWithin(0, target.count, target.count + HISTORY)
    let sum = sums[channel] ?? 0
    let peak = 0
    for (let i = 0, at = position + channel; i < count; i++, at += planes.length) {
      const sample = (samples[at] ?? 0) * scale
      // NaN or infinity minus itself is NaN. Invalid floats count as silence.
      const value = sample - sample === 0 ? sample : 0
      plane[HISTORY + i] = value
      sum += value
      const magnitude = Math.abs(value)
      if (magnitude > peak) peak = magnitude
    }
    sums[channel] = sum
    peaks[channel] = peak
    if (peak > target.peak) target.peak = peak
  }
  target.count = count
}
