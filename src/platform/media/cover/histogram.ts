import { type Oklab, toOklab } from './color.ts'

/** An sRGB picture in memory: three or four bytes per pixel, the fourth is alpha. */
export interface Pixels {
  data: Uint8Array
  channels: number
}

/** Pixels of nearly the same color. */
export interface Bin {
  /** The five highest bits of red, green and blue, concatenated. */
  index: number
  /** Share of all counted pixels, 0 to 1. */
  share: number
  /** Mean color. */
  color: Oklab
}

const BINS = 1 << 15
/** Minimum alpha of a counted pixel. */
const MIN_OPACITY = 128

/** Returns the bin of the pixel at a byte offset; -1 for a transparent pixel. */
export function findBin({ data, channels }: Pixels, at: number): number {
  if (channels === 4 && (data[at + 3] as number) < MIN_OPACITY) return -1
  return (
    (((data[at] as number) & 0xf8) << 7) | (((data[at + 1] as number) & 0xf8) << 2) | ((data[at + 2] as number) >> 3)
  )
}

/** Counts pixels by color, in 32 steps per channel. */
export function binPixels(pixels: Pixels): Bin[] {
  const { data, channels } = pixels
  const counts = new Float64Array(BINS)
  const sums = new Float64Array(BINS * 3)
  let total = 0
  for (let at = 0; at + channels <= data.length; at += channels) {
    const bin = findBin(pixels, at)
    if (bin < 0) continue
    total += 1
    counts[bin] = (counts[bin] as number) + 1
    for (let i = 0; i < 3; i++) sums[bin * 3 + i] = (sums[bin * 3 + i] as number) + (data[at + i] as number)
  }
  const bins: Bin[] = []
  counts.forEach((count, index) => {
    if (count === 0) return
    const mean = (i: number) => (sums[index * 3 + i] as number) / count
    bins.push({ index, share: count / total, color: toOklab([mean(0), mean(1), mean(2)]) })
  })
  return bins
}
