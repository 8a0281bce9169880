import { describe, expect, test } from 'bun:test'
import { legibleColors } from '../../../src/domain/organization/colors.ts'

type Rgb = [number, number, number]

// An independent implementation, from WCAG 2.2 and the definition of HSV.
const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb
function luminance(hex: string): number {
  const [r, g, b] = rgbOf(hex).map((part) =>
    part / 255 <= 0.04045 ? part / 3294.6 : ((part + 14.025) / 269.025) ** 2.4,
  )
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0)
}
function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}
const brightnessOf = (hex: string) => Math.max(...rgbOf(hex)) / 255
const saturationOf = (hex: string) => {
  const [max, min] = [Math.max(...rgbOf(hex)), Math.min(...rgbOf(hex))]
  return max === 0 ? 0 : (max - min) / max
}

const LIGHT = '#f4f4f5'
const DARK = '#000000'
/** Rounding to whole channels may lower the contrast by this much. */
const ROUNDING = 0.02

/** A fixed sequence, so that a failure can be repeated. */
function colors(count: number): string[] {
  let state = 12_345
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state >> 7
  }
  return Array.from({ length: count }, () => `#${(next() & 0xffffff).toString(16).padStart(6, '0')}`)
}

describe('player_color_light and player_color_dark (contract, section 8)', () => {
  test("match the contract's vectors", () => {
    expect(legibleColors('#ffff00').playerColorLight).toBe('#8f8f00')
    expect(legibleColors('#000080').playerColorDark).toBe('#0000ff')
  })

  test('are null for null, which inherits', () => {
    expect(legibleColors(null)).toEqual({ playerColorLight: null, playerColorDark: null })
  })

  test('keep a color that is legible already', () => {
    expect(legibleColors('#000000').playerColorLight).toBe('#000000')
    expect(legibleColors('#ffffff').playerColorDark).toBe('#ffffff')
    expect(legibleColors('#5b5bd6')).toEqual({ playerColorLight: '#5b5bd6', playerColorDark: '#5b5bd6' })
  })

  test('turn black, which has no hue, into grey', () => {
    const dark = legibleColors('#000000').playerColorDark ?? ''
    expect(new Set(rgbOf(dark)).size).toBe(1)
    expect(contrast(dark, DARK)).toBeGreaterThanOrEqual(3 - ROUNDING)
  })

  test('are legible for every color, except when V reaches 0 or 1', () => {
    for (const color of [...colors(400), '#ff0000', '#00ff00', '#0000ff', '#ffffff', '#010101', '#fefefe']) {
      const { playerColorLight: light = '', playerColorDark: dark = '' } = legibleColors(color)
      const message = `${color} ${light} ${dark}`
      const isLegible = (of: string | null, on: string) => contrast(of ?? '', on) >= 3 - ROUNDING
      expect(isLegible(light, LIGHT) || brightnessOf(light ?? '') === 0, message).toBe(true)
      expect(isLegible(dark, DARK) || brightnessOf(dark ?? '') === 1, message).toBe(true)
    }
  })

  test('differ from the player color only in V, by steps of 0.02 in one direction', () => {
    const bright = colors(400).filter((hex) => brightnessOf(hex) > 0.3)
    expect(bright).not.toBeEmpty()
    for (const color of bright) {
      const { playerColorLight, playerColorDark } = legibleColors(color)
      for (const [moved, direction] of [
        [playerColorLight ?? '', -1],
        [playerColorDark ?? '', 1],
      ] as const) {
        const distance = (brightnessOf(moved) - brightnessOf(color)) * direction
        const message = `${color} -> ${moved}`
        expect(distance, message).toBeGreaterThanOrEqual(0)
        expect(Math.abs(saturationOf(moved) - saturationOf(color)), message).toBeLessThan(0.04)
        const steps = distance / 0.02
        expect(Math.abs(steps - Math.round(steps)) < 0.1 || brightnessOf(moved) === 1, message).toBe(true)
      }
    }
  })

  test('take no more steps than needed', () => {
    const darkened = colors(200)
      .map((color) => [color, legibleColors(color).playerColorLight ?? color] as const)
      .filter(([color, light]) => light !== color)
    expect(darkened).not.toBeEmpty()
    for (const [color, light] of darkened) {
      const before = brightnessOf(light) + 0.02
      const factor = before / brightnessOf(color)
      const brighter = `#${rgbOf(color)
        .map((part) =>
          Math.min(255, Math.round(part * factor))
            .toString(16)
            .padStart(2, '0'),
        )
        .join('')}`
      expect(contrast(brighter, LIGHT), `${color} -> ${light}`).toBeLessThan(3 + ROUNDING)
    }
  })
})
