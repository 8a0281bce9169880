/** Coefficients of both second-order sections, the first scaled to a leading 1. */
export interface KWeighting {
  /** Less `a1` and `a2`, so that the next state follows from the last one and the input without the output. */
  b1: number
  b2: number
  a1: number
  a2: number
  highPassA1: number
  highPassA2: number
  /** Factor for the power of the filtered signal, which reverts the scaling. */
  powerGain: number
}

/** Analog prototypes whose bilinear transforms at 48 kHz are the coefficients printed in BS.1770. */
const SHELF = {
  hz: 1681.974450955533,
  q: 0.7071752369554196,
  gainDb: 3.999843853973347,
  midExponent: 0.4996667741545416,
}
const HIGH_PASS = { hz: 38.13547087602444, q: 0.5003270373238773 }

/**
 * Returns the filter of BS.1770: a shelf for the head, then a high pass.
 * @param sampleRate in Hz, any
 * @see ITU-R BS.1770-5, annex 1, tables 1 and 2
 */
export function kWeighting(sampleRate: number): KWeighting {
  const warped = (hz: number) => Math.tan(Math.PI * Math.min(hz / sampleRate, 0.45))
  const [k, q] = [warped(SHELF.hz), SHELF.q]
  const high = 10 ** (SHELF.gainDb / 20)
  const mid = high ** SHELF.midExponent
  const a0 = 1 + k / q + k * k
  const b0 = (high + (mid * k) / q + k * k) / a0
  const [a1, a2] = [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0]
  const [c, p] = [warped(HIGH_PASS.hz), HIGH_PASS.q]
  const c0 = 1 + c / p + c * c
  return {
    b1: (2 * (k * k - high)) / a0 / b0 - a1,
    b2: (high - (mid * k) / q + k * k) / a0 / b0 - a2,
    a1,
    a2,
    highPassA1: (2 * (c * c - 1)) / c0,
    highPassA2: (1 - c / p + c * c) / c0,
    powerGain: b0 * b0,
  }
}

/**
 * Filter state of a channel: two values per section, then the sum of squares. A Float64Array compiles best in the hot
 * loop.
 */
export type KState = Float64Array
const SUM = 4
export const createKState = (): KState => new Float64Array(SUM + 1)

/** Returns and resets the sum of squares. The filter state is kept. */
export function takeSum(state: KState): number {
  const sum = state[SUM] ?? 0
  state[SUM] = 0
  // A decayed sound would leave denormal numbers, which are slow.
  if (state.every((value) => Math.abs(value) < 1e-30)) state.fill(0)
  return sum
}

/**
 * Filters two channels and accumulates their squares. Each step depends on the previous one, so two channels together
 * cost little more than one.
 * @param leftPlane samples from `from` to before `to`, likewise `rightPlane`
 */
export function gatherPower(
  { b1, b2, a1, a2, highPassA1, highPassA2 }: KWeighting,
  leftPlane: Float64Array,
  leftState: KState,
  rightPlane: Float64Array,
  rightState: KState,
  from: number,
  to: number,
): void {
  let l1 = leftState[0] ?? 0
  let l2 = leftState[1] ?? 0
  let l3 = leftState[2] ?? 0
  let l4 = leftState[3] ?? 0
  let leftSum = leftState[SUM] ?? 0
  let r1 = rightState[0] ?? 0
  let r2 = rightState[1] ?? 0
  let r3 = rightState[2] ?? 0
  let r4 = rightState[3] ?? 0
  let rightSum = rightState[SUM] ?? 0
  for (let i = from; i < to; i++) {
    const leftIn = leftPlane[i] ?? 0
    const leftShelf = leftIn + l1
    const leftNext = b1 * leftIn + l2 - a1 * l1
    l2 = b2 * leftIn - a2 * l1
    l1 = leftNext
    const leftOut = leftShelf + l3
    l3 = l4 - 2 * leftShelf - highPassA1 * leftOut
    l4 = leftShelf - highPassA2 * leftOut
    leftSum += leftOut * leftOut
    const rightIn = rightPlane[i] ?? 0
    const rightShelf = rightIn + r1
    const rightNext = b1 * rightIn + r2 - a1 * r1
    r2 = b2 * rightIn - a2 * r1
    r1 = rightNext
    const rightOut = rightShelf + r3
    r3 = r4 - 2 * rightShelf - highPassA1 * rightOut
    r4 = rightShelf - highPassA2 * rightOut
    rightSum += rightOut * rightOut
  }
  store(leftState, l1, l2, l3, l4, leftSum)
  store(rightState, r1, r2, r3, r4, rightSum)
}

function store(state: KState, a: number, b: number, c: number, d: number, sum: number): void {
  state[0] = a
  state[1] = b
  state[2] = c
  state[3] = d
  state[SUM] = sum
}
