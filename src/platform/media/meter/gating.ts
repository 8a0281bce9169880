/** Absolute gate, in LUFS. */
const ABSOLUTE_GATE = -70
/**
 * Gates relative to the mean of the blocks above the absolute gate, in LU: blocks of 400 ms for loudness, 3 s for its
 * range.
 */
const RELATIVE_GATE = -10
const RANGE_GATE = -20
/** In steps of 100 ms. */
const BLOCK = 4
const SHORT_TERM = 30
const [RANGE_LOW, RANGE_HIGH] = [0.1, 0.95]

/** Loudness of a channel-weighted mean square. */
const toLufs = (power: number) => -0.691 + 10 * Math.log10(power)
const toPower = (lufs: number) => 10 ** ((lufs + 0.691) / 10)

/**
 * Returns the integrated loudness of a recording.
 * @param powers weighted mean squares of successive 100 ms, so that blocks of four overlap by three quarters
 * @returns LUFS; null when nothing passes the gate
 * @see ITU-R BS.1770-5, annex 1, section 5
 */
export function integratedLoudness(powers: Float64Array): number | null {
  const blocks = above(slidingMeans(powers, BLOCK), toPower(ABSOLUTE_GATE))
  const gated = above(blocks, averagePower(blocks) * 10 ** (RELATIVE_GATE / 10))
  return gated.length === 0 ? null : toLufs(averagePower(gated))
}

/**
 * Returns the loudness range of a recording.
 * @param powers as for `integratedLoudness`
 * @returns LU; null when nothing passes the gate
 * @see EBU Tech 3342, section 3.1
 */
export function loudnessRange(powers: Float64Array): number | null {
  const windows = above(slidingMeans(powers, SHORT_TERM), toPower(ABSOLUTE_GATE))
  const gated = above(windows, averagePower(windows) * 10 ** (RANGE_GATE / 10)).sort()
  const at = (share: number) => toLufs(gated[Math.round((gated.length - 1) * share)] ?? 0)
  return gated.length === 0 ? null : at(RANGE_HIGH) - at(RANGE_LOW)
}

/**
 * Sums each window separately: differences of running sums would carry rounding errors of loud parts into soft ones.
 */
function slidingMeans(powers: Float64Array, size: number): Float64Array {
  const means = new Float64Array(Math.max(0, powers.length - size + 1))
  for (let i = 0; i < means.length; i++) {
    let sum = 0
    for (let j = i; j < i + size; j++) sum += powers[j] ?? 0
    means[i] = sum / size
  }
  return means
}

const above = (powers: Float64Array, gate: number) => powers.filter((power) => power > gate)

function averagePower(powers: Float64Array): number {
  let sum = 0
  for (const power of powers) sum += power
  return sum / powers.length
}
