/**
 * Tones that slide, a different one in each channel: no two parts and no two channels are alike, and every encoder keeps
 * them.
 * @param rate Hz. The tones stay below its third and below 3 kHz.
 * @returns input arguments of ffmpeg
 */
export function sweeps(channels: number, { seconds = 1.2, rate = 48_000, layout = '' } = {}): string[] {
  const top = Math.min(3000, rate / 3)
  const tones = Array.from({ length: channels }, (_, at) => {
    const from = 150 + 90 * at
    const slope = (top - 80 * at - from) / seconds / 2
    return `0.25*sin(2*PI*(${from}*t+${slope.toFixed(3)}*t*t))`
  })
  return ['-f', 'lavfi', '-i', `aevalsrc=${tones.join('|')}:s=${rate}:d=${seconds}${layout && `:c=${layout}`}`]
}

export interface Difference {
  /** Delay of the sound in samples. */
  delay: number
  /** dB. NaN for opposite polarity. */
  gain: number
}

/** Largest delay that is looked for, in samples. */
const REACH = 2400
/** Length of the part that is compared, in samples. */
const WINDOW = 16_384
/** Every eighth sample is enough to find the delay. */
const STRIDE = 8

/** Compares a channel with the channel that it comes from, both at the same rate. */
export function compare(source: Float32Array, output: Float32Array): Difference {
  const every = Array.from({ length: 2 * REACH + 1 }, (_, at) => at - REACH)
  const near = mostAlike(every, likenessOf(source, output, STRIDE))
  const likeness = likenessOf(source, output, 1)
  const best = mostAlike([near - 2, near - 1, near, near + 1, near + 2], likeness)
  // The peak of the parabola through the three highest values.
  const [before, most, after] = [likeness(best - 1), likeness(best), likeness(best + 1)]
  const curve = before - 2 * most + after
  const delay = best + (curve === 0 ? 0 : (before - after) / (2 * curve))
  return { delay, gain: 20 * Math.log10(projected(source, output, best)) }
}

const mostAlike = (shifts: readonly number[], likeness: (shift: number) => number) =>
  shifts
    .map((shift) => ({ shift, found: likeness(shift) }))
    .reduce((best, other) => (other.found > best.found ? other : best)).shift

/** Correlation of the middle of the source with the sound that is late by a number of samples. */
function likenessOf(source: Float32Array, output: Float32Array, stride: number) {
  const length = Math.min(WINDOW, source.length - 2 * REACH)
  const from = Math.floor((source.length - length) / 2)
  return (shift: number) => {
    let sum = 0
    for (let at = from; at < from + length; at += stride) sum += (source[at] ?? 0) * (output[at + shift] ?? 0)
    return sum
  }
}

/** Factor of the source that is in the sound. */
function projected(source: Float32Array, output: Float32Array, shift: number): number {
  let [power, product] = [0, 0]
  for (let at = 0; at < source.length; at++) {
    const value = source[at] ?? 0
    power += value * value
    product += value * (output[at + shift] ?? 0)
  }
  return product / power
}
