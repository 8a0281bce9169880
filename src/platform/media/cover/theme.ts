import { gather } from './clusters.ts'
import { type Rgb, toHex, toShade } from './color.ts'
import { binPixels, findBin, type Pixels } from './histogram.ts'

/** A color of a cover. Share of the area, and lightness and saturation of HSL, 0 to 1. */
export interface CoverThemeColor {
  hex: string
  area: number
  lightness: number
  saturation: number
}

/**
 * Returns the colors of a picture, largest area first. Pixels are grouped by similarity, and each group is named by its
 * most common color. Transparent pixels are not counted, so a fully transparent picture has no colors. Deterministic.
 * @see contract, section 8
 */
export function findTheme(pixels: Pixels): CoverThemeColor[] {
  const groups = gather(binPixels(pixels))
  const colors = findMostCommon(
    pixels,
    groups.map(({ densest }) => densest),
  )
  const areas = roundedShares(groups.map(({ share }) => share))
  return groups
    .map((_, i) => {
      const rgb = colors[i] as Rgb
      return { hex: toHex(rgb), area: areas[i] as number, ...toShade(rgb) }
    })
    .sort((a, b) => b.area - a.area)
}

/**
 * Rounds shares to three decimals so that their sum does not exceed 1: rounding errors carry over to the next share.
 */
function roundedShares(shares: readonly number[]): number[] {
  let sum = 0
  let counted = 0
  return shares.map((share) => {
    sum += share
    const thousandths = Math.round(sum * 1000) - counted
    counted += thousandths
    return thousandths / 1000
  })
}

/**
 * Returns the most common color within each bin. A mean might not occur in the picture, and a flat area must keep its
 * exact color.
 */
function findMostCommon(pixels: Pixels, bins: readonly number[]): Rgb[] {
  const { data, channels } = pixels
  const counts = new Map(bins.map((bin) => [bin, new Uint32Array(512)]))
  for (let at = 0; at + channels <= data.length; at += channels) {
    const bin = findBin(pixels, at)
    const within = bin < 0 ? undefined : counts.get(bin)
    if (within) within[toInnerIndex(data, at)] = (within[toInnerIndex(data, at)] as number) + 1
  }
  return bins.map((bin) => {
    const within = counts.get(bin) as Uint32Array
    const inner = within.indexOf(within.reduce((most, count) => Math.max(most, count), 0))
    const channel = (shift: number, innerShift: number) => (((bin >> shift) & 31) << 3) | ((inner >> innerShift) & 7)
    return [channel(10, 6), channel(5, 3), channel(0, 0)]
  })
}

/** Index of a color within its bin: the three lowest bits of each channel. */
const toInnerIndex = (data: Uint8Array, at: number) =>
  (((data[at] as number) & 7) << 6) | (((data[at + 1] as number) & 7) << 3) | ((data[at + 2] as number) & 7)
