import type { CSSProperties } from 'react'

interface ThemeColor {
  hex: string
  area: number
}

interface Colored {
  effectiveTheme: readonly ThemeColor[]
  effectivePlayerColor: string
}

/** The color of a record's music: that of its cover, or of its player. */
export const findMusicColor = ({ effectiveTheme, effectivePlayerColor }: Colored): string =>
  findVivid(effectiveTheme) ?? effectivePlayerColor

/** The most vivid of the larger colors of a cover. Null for a gray one. */
function findVivid(theme: readonly ThemeColor[]): string | null {
  const rank = ({ hex, area }: ThemeColor) => computeVividness(hex) * Math.sqrt(area)
  const vivid = theme.filter(({ hex }) => computeVividness(hex) > MIN_VIVIDNESS)
  return vivid.sort((one, other) => rank(other) - rank(one))[0]?.hex ?? null
}

const MIN_VIVIDNESS = 48

function computeVividness(hex: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return Math.max(...parts) - Math.min(...parts)
}

/**
 * Sets the color of the music for an element and its parts. The lightness is limited, so that the color is 4.5:1 on paper
 * and under the text of a button, in both schemes.
 * @param hex of a cover or player
 */
export const setMusicColor = (hex: string): CSSProperties =>
  ({
    '--music': `light-dark(oklch(from ${hex} min(l, 0.53) c h), oklch(from ${hex} max(l, 0.74) c h))`,
    '--on-music': 'light-dark(#ffffff, #121212)',
  }) as CSSProperties
