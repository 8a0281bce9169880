import { type Oklab, oklabOf } from './color.ts'

/** An sRGB picture in memory: three or four bytes a pixel, the fourth its opacity. */
export interface Pixels {
  data: Uint8Array
  channels: number
}

/** Pixels of nearly one colour. */
export interface Bin {
  /** The five highest bits of red, green and blue, one after the other. */
  index: number
  /** Of all pixels that are counted, 0-1. */
  share: number
  /** Their mean. */
  color: Oklab
}

const BINS = 1 << 15
/** A pixel of which less can be seen does not count. */
const MIN_OPACITY = 128

/** The bin of the pixel that begins at a byte; -1 where it is transparent. */
export function binOf({ data, channels }: Pixels, at: number): number {
  if (channels === 4 && (data[at + 3] as number) < MIN_OPACITY) return -1
  return (
    (((data[at] as number) & 0xf8) << 7) | (((data[at + 1] as number) & 0xf8) << 2) | ((data[at + 2] as number) >> 3)
  )
}

/** Counts pixels by their colour, in 32 steps a channel. */
export function binPixels(pixels: Pixels): Bin[] {
  const { data, channels } = pixels
  const counts = new Float64Array(BINS)
  const sums = new Float64Array(BINS * 3)
  let total = 0
  for (let at = 0; at + channels <= data.length; at += channels) {
    const bin = binOf(pixels, at)
    if (bin < 0) continue
    total += 1
    counts[bin] = (counts[bin] as number) + 1
    for (let i = 0; i < 3; i++) sums[bin * 3 + i] = (sums[bin * 3 + i] as number) + (data[at + i] as number)
  }
  const bins: Bin[] = []
  counts.forEach((count, index) => {
    if (count === 0) return
    const mean = (i: number) => (sums[index * 3 + i] as number) / count
    bins.push({ index, share: count / total, color: oklabOf([mean(0), mean(1), mean(2)]) })
  })
  return bins
}
