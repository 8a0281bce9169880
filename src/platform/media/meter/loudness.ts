import { integratedLoudness, loudnessRange } from './gating.ts'
import { createKState, gatherPower, kWeighting, takeSum } from './k-weighting.ts'
import { HISTORY, MAX_FRAMES, type Planes } from './planes.ts'
import type { SoundFormat } from './sound.ts'
import { speakerWeights } from './speaker-weights.ts'

/** Loudness values per second. */
const STEPS = 10

/** Measures the loudness of a recording. Uses 8 bytes per 100 ms. */
export interface LoudnessMeter {
  /** Maximum number of frames of the next `add`, up to the next full 100 ms. */
  room(): number
  add(planes: Planes): void
  /** In LUFS and LU, not rounded. */
  end(): { integrated: number | null; range: number | null }
}

export function createLoudnessMeter(format: SoundFormat): LoudnessMeter {
  const filter = kWeighting(format.sampleRate)
  const weights = speakerWeights(format)
  const speakers = weights.flatMap((weight, channel) =>
    weight === 0 ? [] : [{ channel, weight: weight * filter.powerGain, state: createKState() }],
  )
  let powers = new Float64Array(1024)
  let [steps, position, start] = [0, 0, 0]
  // When 100 ms are not a whole number of samples, step lengths differ by one, so that they do not drift.
  const endOfStep = () => Math.floor(((steps + 1) * format.sampleRate) / STEPS)
  let end = endOfStep()
  // Silent partner of an unpaired channel.
  const silent = { state: createKState(), plane: new Float64Array(HISTORY + MAX_FRAMES) }

  function closeStep(): void {
    const length = Math.max(1, end - start)
    let power = 0
    for (const { weight, state } of speakers) power += (weight * takeSum(state)) / length
    if (steps === powers.length) powers = grown(powers)
    powers[steps] = power
    steps += 1
    ;[start, end] = [end, endOfStep()]
  }

  return {
    room: () => Math.max(1, end - position),
    add({ planes, count }) {
      const [from, to] = [HISTORY, HISTORY + count]
      for (let i = 0; i < speakers.length; i += 2) {
        const [first, second] = [speakers[i], speakers[i + 1]]
        if (!first) continue
        const plane = planes[first.channel] ?? silent.plane
        const other = second ? (planes[second.channel] ?? silent.plane) : silent.plane
        gatherPower(filter, plane, first.state, other, second?.state ?? silent.state, from, to)
      }
      position += count
      while (position >= end) closeStep()
    },
    end() {
      const whole = powers.subarray(0, steps)
      return { integrated: integratedLoudness(whole), range: loudnessRange(whole) }
    },
  }
}

function grown(full: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(full.length * 2)
  larger.set(full)
  return larger
}
