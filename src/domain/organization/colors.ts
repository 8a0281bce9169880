/** Backgrounds on which a player color must be legible (contract, section 8). */
const LIGHT_BACKGROUND = '#f4f4f5'
const DARK_BACKGROUND = '#000000'
const MIN_CONTRAST = 3
const STEPS = 50

type Rgb = readonly [number, number, number]

/** The colors that are legible on light and on dark backgrounds. Null without a player color. */
interface LegibleColors<Color> {
  playerColorLight: Color
  playerColorDark: Color
}

/** Returns `player_color_light` and `player_color_dark` of a player color; null for null, which inherits. */
export function legibleColors<Color extends string | null>(playerColor: Color) {
  const shifted = (background: string, direction: 1 | -1) => playerColor && shift(playerColor, background, direction)
  return {
    playerColorLight: shifted(LIGHT_BACKGROUND, -1),
    playerColorDark: shifted(DARK_BACKGROUND, 1),
  } as LegibleColors<Color extends string ? string : null>
}

/**
 * Changes V of HSV in steps of 0.02 until the WCAG contrast is at least 3 or V reaches 0 or 1.
 * @see contract, section 8; WCAG 2.2, contrast ratio
 */
function shift(color: string, background: string, direction: 1 | -1): string {
  const rgb = parseHex(color)
  const value = Math.max(...rgb) / 255
  for (let step = 0; step <= STEPS; step++) {
    const moved = Math.min(1, Math.max(0, value + direction * step * 0.02))
    const shifted = withValue(rgb, value, moved)
    const isEnd = moved === (direction === 1 ? 1 : 0)
    if (isEnd || contrast(shifted, parseHex(background)) >= MIN_CONTRAST) return toHex(shifted)
  }
  return color
}

/** In HSV, the channels of a color are proportional to V. Black has no hue and turns grey. */
function withValue(rgb: Rgb, value: number, moved: number): Rgb {
  if (value === 0) return [moved * 255, moved * 255, moved * 255]
  const factor = moved / value
  return [rgb[0] * factor, rgb[1] * factor, rgb[2] * factor].map((part) => Math.min(255, part)) as unknown as Rgb
}

/** Contrast of two colors `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export const measureContrast = (color: string, other: string): number => contrast(parseHex(color), parseHex(other))

/** Mixes two colors `#rrggbb`. @param part of the second one, from 0 to 1 */
export function mixColors(color: string, other: string, part: number): string {
  const target = parseHex(other)
  return toHex(parseHex(color).map((value, at) => value + ((target[at] ?? 0) - value) * part) as unknown as Rgb)
}

function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => {
    const share = Math.round(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function parseHex(color: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb
}

function toHex(rgb: Rgb): string {
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}
