import type { Energy } from './planes.ts'

/** Length of the windows of the lowest correlation. Short effects do not matter. */
const WINDOW_SECONDS = 3
/** Mean square of both channels together below which a window does not count: -50 dBFS. */
const SOFT = 1e-5

/** How the two channels of a recording relate. Values are null for silence. */
export interface Phase {
  /** Normalized product of the channels: 1 for mono, 0 for unrelated, -1 for opposite. Null when one is silent. */
  correlation: number | null
  /** The lowest of all windows of 3 seconds, and where that starts in samples. Null for shorter recordings. */
  lowest: { correlation: number; at: number } | null
  /** dB that the sound loses when both channels are added: 0 for mono, 3 for unrelated, at most 120. */
  monoLossDb: number | null
  /** Level of the first channel above the second, -120 to 120 dB. */
  balanceDb: number | null
}

/** Measures the phase of a stereo recording. */
export interface PhaseMeter {
  /** Number of frames up to the end of a window. */
  room(): number
  add(energy: Energy): void
  end(): Phase
}

interface Sums {
  leftPower: number
  rightPower: number
  product: number
}

export function createPhaseMeter(sampleRate: number): PhaseMeter {
  const size = Math.round(WINDOW_SECONDS * sampleRate)
  const total: Sums = { leftPower: 0, rightPower: 0, product: 0 }
  let window: Sums = { leftPower: 0, rightPower: 0, product: 0 }
  let [position, filled] = [0, 0]
  let lowest: Phase['lowest'] = null

  function closeWindow(): void {
    const correlation = correlate(window)
    const isHeard = (window.leftPower + window.rightPower) / (2 * size) >= SOFT
    if (isHeard && correlation !== null && correlation < (lowest?.correlation ?? Number.POSITIVE_INFINITY)) {
      lowest = { correlation, at: position - size }
    }
    addTo(total, window)
    window = { leftPower: 0, rightPower: 0, product: 0 }
    filled = 0
  }

  return {
    room: () => size - filled,
    add({ powers, product, frames }) {
      window.leftPower += powers[0] ?? 0
      window.rightPower += powers[1] ?? 0
      window.product += product
      filled += frames
      position += frames
      if (filled === size) closeWindow()
    },
    end() {
      addTo(total, window)
      const { leftPower, rightPower, product } = total
      const both = leftPower + rightPower
      return {
        correlation: correlate(total),
        lowest,
        monoLossDb: both === 0 ? null : -decibels((both + 2 * product) / (2 * both)),
        balanceDb: both === 0 ? null : decibels(leftPower / rightPower),
      }
    },
  }
}

/** Decibels of a ratio of powers, limited to 120. */
const decibels = (ratio: number) => Math.max(-120, Math.min(120, 10 * Math.log10(Math.max(0, ratio))))

function correlate({ leftPower, rightPower, product }: Sums): number | null {
  const scale = Math.sqrt(leftPower * rightPower)
  return scale === 0 ? null : Math.max(-1, Math.min(1, product / scale))
}

function addTo(total: Sums, { leftPower, rightPower, product }: Sums): void {
  total.leftPower += leftPower
  total.rightPower += rightPower
  total.product += product
}
