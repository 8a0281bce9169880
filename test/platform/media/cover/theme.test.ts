import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { findTheme } from '../../../../src/platform/media/cover/theme.ts'
import { coverOf } from '../../../support/cover.ts'
import { stripes } from '../../../support/picture.ts'

/** Pixels in memory: a number of each color, in sequence. */
const pixels = (...parts: [count: number, color: number[]][]) => ({
  data: new Uint8Array(parts.flatMap(([count, color]) => Array.from({ length: count }, () => color).flat())),
  channels: parts[0]?.[1].length ?? 3,
})

/** A fixed sequence of numbers from 0 to 1, so that a failure can be repeated. */
function sequence(seed = 7) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

describe('the theme of a picture with flat areas', () => {
  test('has exactly its colors, by area', async () => {
    const picture = stripes(600, [
      [300, [18, 52, 86]],
      [180, [250, 128, 114]],
      [120, [255, 250, 205]],
    ])
    const { theme } = await coverOf(picture)
    expect(theme.map(({ hex }) => hex)).toEqual(['#123456', '#fa8072', '#fffacd'])
    for (const [i, area] of [0.5, 0.3, 0.2].entries()) expect(theme[i]?.area).toBeCloseTo(area, 2)
  })

  test('also after downscaling', async () => {
    const picture = stripes(1500, [
      [1250, [7, 99, 3]],
      [750, [201, 202, 203]],
      [500, [90, 0, 160]],
    ])
    const { theme } = await coverOf(picture)
    expect(theme.map(({ hex }) => hex)).toEqual(['#076303', '#c9cacb', '#5a00a0'])
    for (const [i, area] of [0.5, 0.3, 0.2].entries()) expect(theme[i]?.area).toBeCloseTo(area, 2)
  })

  test('has one color if there is one', () => {
    expect(findTheme(pixels([1000, [0, 0, 0]]))).toEqual([{ hex: '#000000', area: 1, lightness: 0, saturation: 0 }])
    expect(findTheme(pixels([10, [255, 255, 255]]))).toEqual([{ hex: '#ffffff', area: 1, lightness: 1, saturation: 0 }])
  })

  test('has lightness and saturation of HSL', () => {
    const [orange, teal] = findTheme(pixels([60, [255, 128, 0]], [40, [64, 191, 191]]))
    expect(orange).toEqual({ hex: '#ff8000', area: 0.6, lightness: 0.5, saturation: 1 })
    expect(teal).toMatchObject({ hex: '#40bfbf', area: 0.4, lightness: 0.5, saturation: expect.closeTo(0.498, 3) })
  })

  test('separates different colors and merges similar ones', () => {
    const dark = findTheme(pixels([500, [20, 20, 60]], [500, [60, 20, 20]]))
    expect(dark).toHaveLength(2)
    const alike = findTheme(pixels([500, [200, 30, 30]], [400, [206, 34, 28]], [100, [195, 26, 33]]))
    expect(alike).toEqual([{ hex: '#c81e1e', area: 1, lightness: 0.451, saturation: 0.739 }])
  })

  test('finds a small mark of a distinct color', () => {
    const theme = findTheme(pixels([970, [40, 40, 42]], [30, [230, 20, 40]]))
    expect(theme.map(({ hex, area }) => [hex, area])).toEqual([
      ['#28282a', 0.97],
      ['#e61428', 0.03],
    ])
  })
})

describe('transparent pixels', () => {
  test('are not counted', () => {
    const theme = findTheme(pixels([300, [0, 0, 0, 0]], [60, [10, 200, 30, 255]], [40, [200, 10, 30, 200]]))
    expect(theme.map(({ hex, area }) => [hex, area])).toEqual([
      ['#0ac81e', 0.6],
      ['#c80a1e', 0.4],
    ])
  })

  test('a fully transparent picture has no colors', () => {
    expect(findTheme(pixels([100, [9, 9, 9, 0]]))).toEqual([])
    expect(findTheme({ data: new Uint8Array(0), channels: 3 })).toEqual([])
  })
})

describe('any picture', () => {
  const random = sequence()
  const noise = { data: Uint8Array.from({ length: 30_000 }, () => Math.floor(random() * 256)), channels: 3 }
  const gradient = {
    data: Uint8Array.from({ length: 90_000 }, (_, i) => Math.floor(((i / 3) % 300) * 0.85) >> (i % 3)),
    channels: 3,
  }

  test.each([{ what: noise }, { what: gradient }])(
    'has a few colours, largest first, of which none is counted twice',
    ({ what }) => {
      const theme = findTheme(what)
      expect(theme.length).toBeWithin(2, 9)
      const areas = theme.map(({ area }) => area)
      expect(areas).toEqual(areas.toSorted((a, b) => b - a))
      expect(areas.reduce((sum, area) => sum + area, 0)).toBeWithin(0.995, 1.000001)
      expect(new Set(theme.map(({ hex }) => hex)).size).toBe(theme.length)
      expect(findTheme(what)).toEqual(theme)
    },
  )

  test('a JPEG has nearly the colors of its source', async () => {
    const picture = stripes(400, [
      [250, [180, 30, 60]],
      [150, [20, 90, 140]],
    ])
    const { theme } = await coverOf(new Uint8Array(await sharp(picture).jpeg({ quality: 70 }).toBuffer()))
    const channels = theme.map(({ hex }) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)))
    for (const [i, color] of [
      [180, 30, 60],
      [20, 90, 140],
    ].entries()) {
      for (const [at, part] of color.entries()) expect(Math.abs((channels[i]?.[at] ?? -99) - part)).toBeLessThan(8)
    }
    expect(theme[0]?.area).toBeCloseTo(0.625, 1)
  })
})
