import type { Samples, SoundFormat } from './sound.ts'

/** Number of previous samples before the new ones in each plane: the reach of the true peak's filter. */
export const HISTORY = 24
/** Frames per block: planes of a few channels fit in the L1 cache. */
export const MAX_FRAMES = 1024

/** Samples that share a peak. Not fewer than `HISTORY`. */
export const GROUP = 64
export const GROUPS = MAX_FRAMES / GROUP

/** A block of sound, one array per channel: samples from `HISTORY` to `HISTORY + count`, full scale at 1. */
export interface Planes {
  planes: Float64Array[]
  count: number
  /** Largest magnitude of the new samples of all channels. */
  peak: number
  /** The same of each `GROUP` samples, `GROUPS` per channel. Those beyond `count` are not set. */
  peaks: Float64Array
  /** Sum of all samples so far, per channel. */
  sums: Float64Array
  energy: Energy
}

/** Sums since `resetEnergy`, sample by sample, so that they do not depend on the size of blocks. */
export interface Energy {
  /** Number of samples per channel. */
  frames: number
  /** Sum of squares, per channel. */
  powers: Float64Array
  /** Sum of the products of two channels. 0 for another number of channels. */
  product: number
}

export function resetEnergy(energy: Energy): void {
  energy.frames = 0
  energy.powers.fill(0)
  energy.product = 0
}

export function createPlanes({ channels }: SoundFormat): Planes {
  const perChannel = (length: number) => new Float64Array(channels * length)
  const planes = Array.from({ length: channels }, () => new Float64Array(HISTORY + MAX_FRAMES))
  return {
    planes,
    count: 0,
    peak: 0,
    peaks: perChannel(GROUPS),
    sums: perChannel(1),
    energy: { frames: 0, powers: perChannel(1), product: 0 },
  }
}

/**
 * Deinterleaves the next frames.
 * @param position of the first, in samples
 * @param count of frames, at most `MAX_FRAMES`
 */
export function fillPlanes(target: Planes, samples: Samples, position: number, count: number): void {
  const scale = samples instanceof Int16Array ? 2 ** -15 : samples instanceof Int32Array ? 2 ** -31 : 1
  const { planes } = target
  for (const plane of planes) plane.copyWithin(0, target.count, target.count + HISTORY)
  target.count = count
  target.energy.frames += count
  target.peak = 0
  const [leftPlane, rightPlane] = planes
  if (leftPlane && rightPlane && planes.length === 2) fillPair(target, leftPlane, rightPlane, samples, position, scale)
  else for (const [channel, plane] of planes.entries()) fillOne(target, plane, channel, samples, position, scale)
}

/** Invalid floats count as silence: NaN or infinity minus itself is NaN. */
const valid = (sample: number) => (sample - sample === 0 ? sample : 0)

function fillOne(
  target: Planes,
  plane: Float64Array,
  channel: number,
  samples: Samples,
  position: number,
  scale: number,
): void {
  const { planes, count, peaks, sums, energy } = target
  let [sum, power] = [sums[channel] ?? 0, energy.powers[channel] ?? 0]
  let at = position + channel
  for (let i = HISTORY, group = channel * GROUPS; i < HISTORY + count; group++) {
    const end = Math.min(i + GROUP, HISTORY + count)
    let peak = 0
    for (; i < end; i++, at += planes.length) {
      const value = valid((samples[at] ?? 0) * scale)
      plane[i] = value
      sum += value
      power += value * value
      const magnitude = Math.abs(value)
      if (magnitude > peak) peak = magnitude
    }
    peaks[group] = peak
    if (peak > target.peak) target.peak = peak
  }
  sums[channel] = sum
  energy.powers[channel] = power
}

/** The same for two channels at once, and the sum of their products. Nearly all sound is stereo. */
function fillPair(
  target: Planes,
  leftPlane: Float64Array,
  rightPlane: Float64Array,
  samples: Samples,
  position: number,
  scale: number,
): void {
  const { count, peaks, sums, energy } = target
  let leftSum = sums[0] ?? 0
  let rightSum = sums[1] ?? 0
  let leftPower = energy.powers[0] ?? 0
  let rightPower = energy.powers[1] ?? 0
  let product = energy.product
  let at = position
  for (let i = HISTORY, group = 0; i < HISTORY + count; group++) {
    const end = Math.min(i + GROUP, HISTORY + count)
    let leftPeak = 0
    let rightPeak = 0
    for (; i < end; i++, at += 2) {
      const one = valid((samples[at] ?? 0) * scale)
      const other = valid((samples[at + 1] ?? 0) * scale)
      leftPlane[i] = one
      rightPlane[i] = other
      leftSum += one
      rightSum += other
      leftPower += one * one
      rightPower += other * other
      product += one * other
      const leftMagnitude = Math.abs(one)
      const rightMagnitude = Math.abs(other)
      if (leftMagnitude > leftPeak) leftPeak = leftMagnitude
      if (rightMagnitude > rightPeak) rightPeak = rightMagnitude
    }
    peaks[group] = leftPeak
    peaks[GROUPS + group] = rightPeak
    target.peak = Math.max(target.peak, leftPeak, rightPeak)
  }
  sums[0] = leftSum
  sums[1] = rightSum
  energy.powers[0] = leftPower
  energy.powers[1] = rightPower
  energy.product = product
}
