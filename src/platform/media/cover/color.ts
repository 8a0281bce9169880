import { roundTo } from '../../number.ts'

/** Channels of an sRGB color, 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]
/** Lightness, green-red and blue-yellow. Equal distances look equally different. */
export type Oklab = readonly [lightness: number, a: number, b: number]

function linear(channel: number): number {
  const share = channel / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

/**
 * Converts a color to OKLab.
 * @see Björn Ottosson, "A perceptual color space for image processing"
 */
export function toOklab([red, green, blue]: Rgb): Oklab {
  const [r, g, b] = [linear(red), linear(green), linear(blue)]
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

export const squaredDistance = (p: Oklab, q: Oklab) => (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2

export const toHex = (rgb: Rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`

/** Lightness and saturation of HSL, 0 to 1, three decimals. */
export function toShade(rgb: Rgb): { lightness: number; saturation: number } {
  const [max, min] = [Math.max(...rgb) / 255, Math.min(...rgb) / 255]
  const lightness = (max + min) / 2
  const saturation = max === min ? 0 : (max - min) / (1 - Math.abs(2 * lightness - 1))
  return { lightness: roundTo(lightness, 3), saturation: roundTo(Math.min(1, saturation), 3) }
}
