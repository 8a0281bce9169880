import { HISTORY, MAX_FRAMES, type Planes } from './planes.ts'
import type { SoundFormat } from './sound.ts'

/** Sample rate for tempo and key, in Hz: neither needs more. */
const TARGET_RATE = 11_025
const PART_SECONDS = 15
/** An even number: every second part is dropped when there are more. */
const MAX_PARTS = 6
/** Filter taps before decimation, per decimation step. */
const TAPS_A_STEP = 8

/** Keeps parts of a recording, distributed evenly, mixed to mono, at a low sample rate. */
export interface Excerpts {
  /** Maximum number of frames of the next `add`, up to the end of a part. */
  room(): number
  add(planes: Planes): void
  /** Returns 45 to 90 seconds of a long recording, all of a short one. */
  end(): Float32Array[]
  /** Sample rate of the excerpts, in Hz. */
  sampleRate: number
}

/** Uses at most 5 MB, independent of the recording's length. */
export function createExcerpts({ sampleRate, channels }: SoundFormat): Excerpts {
  const step = Math.max(1, Math.round(sampleRate / TARGET_RATE))
  const taps = lowPass(step)
  const mono = new Float64Array(taps.length + MAX_FRAMES)
  const frames = PART_SECONDS * sampleRate
  let parts: Float32Array[] = []
  const part = new Float32Array(Math.ceil(frames / step))
  // Every `every`-th part is kept. `index` is the current part, `position` its frames so far, `filled` its kept
  // samples.
  let [every, index, position, filled] = [1, 0, 0, 0]

  function closePart(): void {
    if (index % every === 0 && parts.length === MAX_PARTS) {
      parts = parts.filter((_, i) => i % 2 === 0)
      every *= 2
    }
    if (index % every === 0) parts.push(part.slice(0, filled))
    index += 1
    ;[position, filled] = [0, 0]
  }

  return {
    sampleRate: sampleRate / step,
    room: () => frames - position,
    add({ planes, count }) {
      if (index % every === 0) {
        // New samples are at the end of the array, after their predecessors.
        mono.copyWithin(0, count)
        const start = mono.length - count
        mix(planes, mono, start, 1 / channels)
        const first = start + ((step - (position % step)) % step)
        filled = decimate(mono, first, step, taps, part, filled)
      }
      position += count
      if (position === frames) closePart()
    },
    end() {
      if (position > 0) closePart()
      return parts
    },
  }
}

function mix(planes: Float64Array[], mono: Float64Array, start: number, gain: number): void {
  mono.fill(0, start)
  for (const plane of planes) {
    for (let i = start, at = HISTORY; i < mono.length; i++, at++) mono[i] = (mono[i] ?? 0) + gain * (plane[at] ?? 0)
  }
}

/**
 * Filters every `step`-th sample from `first` on. Two sums at once do not wait for each other. Returns the new fill level of
 * `target`.
 */
function decimate(
  mono: Float64Array,
  first: number,
  step: number,
  taps: Float64Array,
  target: Float32Array,
  filled: number,
): number {
  let to = filled
  for (let i = first; i < mono.length; i += step, to++) {
    let even = 0
    let odd = 0
    for (let j = 0, at = i - taps.length + 1; j < taps.length; j += 2, at += 2) {
      even += (taps[j] ?? 0) * (mono[at] ?? 0)
      odd += (taps[j + 1] ?? 0) * (mono[at + 1] ?? 0)
    }
    target[to] = even + odd
  }
  return to
}

/** A windowed sinc (Hann), -6 dB at nine tenths of the remaining band. The identity when nothing is dropped. An even number of taps. */
function lowPass(step: number): Float64Array {
  if (step === 1) return Float64Array.of(0, 1)
  const length = step * TAPS_A_STEP
  const taps = Float64Array.from({ length }, (_, i) => {
    const x = i - (length - 1) / 2
    const [angle, window] = [(Math.PI * 0.9 * x) / step, 0.5 + 0.5 * Math.cos((2 * Math.PI * x) / length)]
    return x === 0 ? window : (window * Math.sin(angle)) / angle
  })
  const total = taps.reduce((sum, tap) => sum + tap, 0)
  return taps.map((tap) => tap / total)
}
