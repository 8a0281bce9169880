import type { Samples, SoundFormat } from './sound.ts'

/** Samples of the past that stand before the new ones in each plane: as many as the true peak's filter reaches. */
export const HISTORY = 24
/** Frames at a time: planes of a few channels stay in the processor's nearest cache. */
export const MAX_FRAMES = 1024

/** A piece of sound, one array for each channel: samples from `HISTORY` to `HISTORY + count`, full scale at 1. */
export interface Planes {
  planes: Float64Array[]
  count: number
  /** Largest magnitude among the new samples of any channel. */
  peak: number
  /** The same of each channel. */
  peaks: Float64Array
  /** Sum of each channel since the beginning. */
  sums: Float64Array
}

export function createPlanes({ channels }: SoundFormat): Planes {
  const planes = Array.from({ length: channels }, () => new Float64Array(HISTORY + MAX_FRAMES))
  return { planes, count: 0, peak: 0, peaks: new Float64Array(channels), sums: new Float64Array(channels) }
}

/**
 * Takes the next frames apart into channels.
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
      // What is no number, or infinite, minus itself is no number: damaged floats are silence.
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
