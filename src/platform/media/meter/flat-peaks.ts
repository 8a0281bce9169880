import { GROUP, GROUPS, HISTORY, type Planes } from './planes.ts'
import type { SoundFormat } from './sound.ts'

/** Samples of a flat peak differ by less: three steps of 16 bits, as dither makes them. */
const TOLERANCE = 3 / 32_768
/** Clipped peaks are cut off: the samples around a flat one are lower by this share of it. Those of a low tone are not. */
const STEP = 0.002
/** Shorter runs occur in any sound. Longer ones are the pulses of a synthesizer. */
const [MIN_RUN, MAX_RUN_SECONDS] = [4, 0.003]
/** Fewer flat peaks prove nothing. */
const MIN_RUNS = 10
/** A sound that is flat for more of its time is a square wave. */
const MAX_SHARE = 0.4
/** Softer peaks are of noise, whose steps are coarse. */
const MIN_PEAK = 0.05
/** Places that are kept, and their distance at least, in seconds. */
const [MAX_PLACES, PLACE_SECONDS] = [10, 1]

/** Finds peaks that were cut off before a recording was turned down: flat ones at its own peak. */
export interface FlatPeakMeter {
  add(planes: Planes): void
  /** Samples at which flat peaks end: the first ten, a second apart. Empty when there are too few. */
  end(): number[]
}

export function createFlatPeakMeter({ sampleRate, channels }: SoundFormat): FlatPeakMeter {
  const maxRun = MAX_RUN_SECONDS * sampleRate
  const runs = new Float64Array(channels)
  const befores = new Float64Array(channels)
  let [top, position, runCount, sampleCount] = [0, 0, 0, 0]
  let places: number[] = []

  function restart(peak: number): void {
    top = peak
    runs.fill(0)
    runCount = 0
    sampleCount = 0
    places = []
  }

  /** Ends the run of a channel at a sample that is lower. */
  function endRun(channel: number, after: number, at: number): void {
    const run = runs[channel] ?? 0
    runs[channel] = 0
    const around = Math.max(befores[channel] ?? top, Math.abs(after))
    if (run < MIN_RUN || run > maxRun || around > top * (1 - STEP)) return
    runCount += 1
    sampleCount += run
    const isApart = at - (places.at(-1) ?? Number.NEGATIVE_INFINITY) >= PLACE_SECONDS * sampleRate
    if (isApart && places.length < MAX_PLACES) places.push(at)
  }

  function follow(plane: Float64Array, channel: number, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const value = plane[HISTORY + i] ?? 0
      const isTop = Math.abs(value) >= top - TOLERANCE
      if (isTop && runs[channel] === 0) befores[channel] = Math.abs(plane[HISTORY + i - 1] ?? 0)
      if (isTop) runs[channel] = (runs[channel] ?? 0) + 1
      else if ((runs[channel] ?? 0) > 0) endRun(channel, value, position + i)
    }
  }

  /** Follows the groups of samples in which a channel reaches the peak, or leaves it. */
  function followLoud({ planes, count, peaks }: Planes): void {
    for (const [channel, plane] of planes.entries()) {
      for (let group = 0; group * GROUP < count; group++) {
        const isLoud = (peaks[channel * GROUPS + group] ?? 0) >= top - TOLERANCE
        if (!isLoud && runs[channel] === 0) continue
        follow(plane, channel, group * GROUP, Math.min(count, (group + 1) * GROUP))
      }
    }
  }

  return {
    add(block) {
      const { count, peak } = block
      if (peak > top + TOLERANCE) restart(peak)
      const reachesTop = peak >= top - TOLERANCE || runs.some((run) => run > 0)
      if (peak >= MIN_PEAK && reachesTop) followLoud(block)
      else runs.fill(0)
      position += count
    },
    end: () => (runCount >= MIN_RUNS && sampleCount <= MAX_SHARE * channels * position ? places : []),
  }
}
