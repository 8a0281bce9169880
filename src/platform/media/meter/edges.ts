import { HISTORY, type Planes } from './planes.ts'
import type { SoundFormat } from './sound.ts'

/** -60 dBFS. Softer samples are silence. */
const SILENCE = 0.001
/** Relative to full scale: the largest positive value of 16 bits. */
const FULL_SCALE = 32_767 / 32_768
/** Shorter runs are peaks that merely touch full scale. */
const MIN_RUN = 3
/** Places of clipping that are kept, and their distance at least, in seconds. */
const MAX_PLACES = 10
const PLACE_SECONDS = 1
/** Shorter silence is no pause. */
const MIN_PAUSE_SECONDS = 0.5

/** Measures leading, inner and trailing silence and clipped samples. */
export interface EdgeMeter {
  add(planes: Planes): void
  /** In samples. `first` and `last` are null for silence. */
  end(): {
    first: number | null
    last: number | null
    length: number
    clipped: number
    /** Where runs of clipped samples start: the first ten, a second apart. */
    clippedAt: number[]
    /** The longest silence between two sounds, of at least half a second. */
    pause: { at: number; length: number } | null
  }
}

export function createEdgeMeter({ sampleRate, channels }: SoundFormat): EdgeMeter {
  const runs = new Float64Array(channels)
  let first: number | null = null
  let last: number | null = null
  let [position, clipped] = [0, 0]
  let pause: { at: number; length: number } | null = null
  const clippedAt: number[] = []

  function addPause(from: number, to: number): void {
    if (to - from > (pause?.length ?? MIN_PAUSE_SECONDS * sampleRate)) pause = { at: from, length: to - from }
  }

  function addPlace(at: number): void {
    const isApart = at - (clippedAt.at(-1) ?? Number.NEGATIVE_INFINITY) >= PLACE_SECONDS * sampleRate
    if (isApart && clippedAt.length < MAX_PLACES) clippedAt.push(at)
  }

  /**
   * Counts a run when it reaches `MIN_RUN`, then sample by sample, so that a run at the end of the sound is counted. Frame
   * by frame, so that places of several channels are found in their order.
   */
  function countClipped(planes: Float64Array[], count: number): void {
    for (let i = 0; i < count; i++) {
      for (let channel = 0; channel < channels; channel++) {
        const isFull = Math.abs(planes[channel]?.[HISTORY + i] ?? 0) >= FULL_SCALE
        const run = isFull ? (runs[channel] ?? 0) + 1 : 0
        runs[channel] = run
        if (run === MIN_RUN) {
          clipped += MIN_RUN
          addPlace(position + i + 1 - MIN_RUN)
        } else if (run > MIN_RUN) clipped += 1
      }
    }
  }

  return {
    add({ planes, count, peak }) {
      if (peak >= SILENCE) {
        const begin = position + Math.min(...planes.map((plane) => firstSound(plane, count)))
        first ??= begin
        if (last !== null) addPause(last + 1, begin)
        last = position + Math.max(...planes.map((plane) => lastSound(plane, count)))
      }
      if (peak < FULL_SCALE) runs.fill(0)
      else countClipped(planes, count)
      position += count
    },
    end: () => ({ first, last, length: position, clipped, clippedAt, pause }),
  }
}

function firstSound(plane: Float64Array, count: number): number {
  let i = 0
  while (i < count && Math.abs(plane[HISTORY + i] ?? 0) < SILENCE) i++
  return i
}

function lastSound(plane: Float64Array, count: number): number {
  let i = count - 1
  while (i >= 0 && Math.abs(plane[HISTORY + i] ?? 0) < SILENCE) i--
  return i
}
