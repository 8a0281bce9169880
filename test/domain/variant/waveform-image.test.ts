import { describe, expect, test } from 'bun:test'
import { resolveProps } from '../../../src/domain/variant/service.ts'
import { encodePng } from '../../../src/platform/media/formats/png.ts'
import { barCount, drawWaveform, type WaveformShape, waveformSvg } from '../../../src/platform/media/waveform.ts'
import { measureImage } from '../../support/image.ts'
import { decodePicture } from '../../support/picture.ts'

type Kind = 'waveform_image' | 'waveform_video'

function rules(kind: Kind, raw: object): string {
  try {
    resolveProps(kind, raw)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

describe('props', () => {
  const bars = { bar_width: 4, bar_gap: 2, is_rounded: true, color: null }

  test('has the defaults of an image', () => {
    const image = { width: 1800, height: 280, background_color: null }
    expect(resolveProps('waveform_image', {})).toEqual({ ...image, ...bars })
  })

  test('has the defaults of a video', () => {
    const video = { width: 1280, height: 720, fps: 10, bitrate: 128, background_color: '#000000' }
    expect(resolveProps('waveform_video', {})).toEqual({ ...video, ...bars })
  })

  test('accepts camelCase, and stores colors as lower-case #rrggbb', () => {
    const input = { barWidth: 7, barGap: 0, isRounded: false, color: '#F0a', backgroundColor: '#ABCDEF' }
    const storedProps = { bar_width: 7, bar_gap: 0, is_rounded: false, color: '#ff00aa', background_color: '#abcdef' }
    expect(resolveProps('waveform_image', input)).toMatchObject(storedProps)
    expect(resolveProps('waveform_video', input)).toMatchObject(storedProps)
  })

  test('has the format of an image only where it is set', () => {
    expect(resolveProps('waveform_image', {})).not.toHaveProperty('format')
    expect(resolveProps('waveform_image', { format: 'svg' })).toMatchObject({ format: 'svg', ...bars })
    expect(resolveProps('waveform_video', { format: 'svg' })).not.toHaveProperty('format')
  })

  const bounds: [kind: Kind, field: string, min: number, max: number, step: number][] = [
    ['waveform_image', 'width', 16, 4096, 1],
    ['waveform_image', 'height', 16, 2048, 1],
    ['waveform_image', 'bar_width', 1, 64, 1],
    ['waveform_image', 'bar_gap', 0, 64, 1],
    ['waveform_video', 'width', 128, 1920, 2],
    ['waveform_video', 'height', 128, 1080, 2],
    ['waveform_video', 'fps', 1, 30, 1],
    ['waveform_video', 'bitrate', 32, 320, 1],
    ['waveform_video', 'bar_width', 1, 64, 1],
    ['waveform_video', 'bar_gap', 0, 64, 1],
  ]
  test.each(bounds)('limits %s %s to %d to %d', (kind, field, min, max, step) => {
    expect([rules(kind, { [field]: min }), rules(kind, { [field]: max })]).toEqual(['accepted', 'accepted'])
    for (const value of [min - step, max + step, String(min), null]) {
      expect(rules(kind, { [field]: value }), String(value)).toContain(field)
    }
    if (field !== 'bitrate') expect(rules(kind, { [field]: min + 0.5 })).toContain(field)
    if (step === 2) expect(rules(kind, { [field]: min + 1 })).toMatch(new RegExp(`${field}.*even`))
  })

  const refused: [kind: Kind, props: object, field: string][] = [
    ['waveform_image', { color: 'red' }, 'color'],
    ['waveform_image', { color: '#12345' }, 'color'],
    ['waveform_image', { background_color: '#00000080' }, 'background_color'],
    ['waveform_image', { is_rounded: 1 }, 'is_rounded'],
    ['waveform_image', { format: 'SVG' }, 'format'],
    ['waveform_image', { format: 'jpeg' }, 'format'],
    ['waveform_image', { width: 16, bar_width: 17 }, 'bar_width'],
    ['waveform_video', { color: 255 }, 'color'],
    // A video cannot be transparent.
    ['waveform_video', { background_color: null }, 'background_color'],
    ['waveform_video', { is_rounded: 'no' }, 'is_rounded'],
  ]
  test.each(refused)('%s rejects %j', (kind, props, field) => expect(rules(kind, props)).toContain(field))
})

describe('drawWaveform', () => {
  const shape: WaveformShape = {
    width: 40,
    height: 20,
    marginX: 0,
    marginY: 0,
    barWidth: 4,
    barGap: 2,
    isRounded: false,
  }
  const green = { color: '#00c800', backgroundColor: null, opacity: 1 }

  async function drawn(levels: number[], overrides: Partial<WaveformShape> = {}, colors: object = {}) {
    const drawn = { ...shape, ...overrides }
    const png = await encodePng(drawWaveform(levels, drawn, { ...green, ...colors }), drawn.width)
    const bytes = new Uint8Array(png).buffer
    const { codec, width, height } = await measureImage(bytes)
    expect([codec, width, height]).toEqual(['png', drawn.width, drawn.height])
    const { at } = await decodePicture(bytes, width)
    /** Alpha of a column from top to bottom. */
    const column = (x: number) => Array.from({ length: height }, (_, y) => at(x, y)[3] ?? -1)
    return { at, column, inked: (x: number) => column(x).filter((alpha) => alpha > 0).length }
  }

  test('draws as many bars as fit, with gaps only between them', () => {
    expect(barCount(shape)).toBe(7)
    expect(barCount({ ...shape, width: 39 })).toBe(6)
    expect(barCount({ ...shape, width: 46 })).toBe(8)
    expect(barCount({ ...shape, marginX: 10 })).toBe(3)
    expect(barCount({ ...shape, width: 3 })).toBe(1)
  })

  test('scales bars to the loudest one, centers them and separates them by gaps', async () => {
    const { at, inked, column } = await drawn([1, 0.5, 0.1, 0, 0.4, 0.8, 1])
    expect([0, 6, 12, 18, 24, 30, 36].map(inked)).toEqual([20, 10, 2, 2, 8, 16, 20])
    for (const gap of [4, 5, 10, 11, 34, 35]) expect(inked(gap)).toBe(0)
    for (let x = 0; x < 40; x++) expect(column(x)).toEqual(column(x).reverse())
    expect(at(0, 0)).toEqual([0, 200, 0, 255])
    expect(at(4, 10)[3]).toBe(0)
  })

  test('fills the image for a quiet recording, but not for inaudible noise', async () => {
    const [quiet, noise] = [await drawn(Array(7).fill(0.02)), await drawn(Array(7).fill(0.001))]
    expect([quiet.inked(0), noise.inked(0)]).toEqual([20, 2])
  })

  test('rounds the corners of bars', async () => {
    const { column } = await drawn(Array(7).fill(1), { isRounded: true })
    expect(column(0)[0]).toBeWithin(50, 150)
    expect(column(1)[0]).toBeWithin(200, 255)
    expect(column(0).slice(2, 18)).toEqual(Array(16).fill(255))
    expect(column(0)).toEqual(column(3))
    expect(column(0)).toEqual(column(0).reverse())
  })

  test('draws an opaque background, which opacity blends with', async () => {
    const { at, column } = await drawn(Array(7).fill(0.5), {}, { backgroundColor: '#640000', opacity: 0.5 })
    for (let x = 0; x < 40; x++) expect(column(x)).toEqual(Array(20).fill(255))
    expect(at(4, 10)).toEqual([100, 0, 0, 255])
    expect(at(0, 10)).toEqual([50, 100, 0, 255])
  })

  test('keeps margins free, and centers odd heights', async () => {
    const { inked, at } = await drawn(Array(3).fill(1), { marginX: 10, marginY: 5, height: 21 })
    expect([inked(9), inked(12), inked(31)]).toEqual([0, 11, 0])
    expect([at(12, 4)[3], at(12, 5)[3], at(12, 15)[3], at(12, 16)[3]]).toEqual([0, 255, 255, 0])
  })
})

describe('waveformSvg', () => {
  const colors = { color: '#ff8800', backgroundColor: null }
  /** The same levels in every run, from silence to the loudest. */
  const levelsFor = (shape: WaveformShape) =>
    Array.from({ length: barCount(shape) }, (_, i) => Math.abs(Math.sin(i * 0.37)) ** 3)
  const shapeOf = (overrides: Partial<WaveformShape>): WaveformShape => ({
    width: 301,
    height: 60,
    marginX: 0,
    marginY: 0,
    barWidth: 4,
    barGap: 2,
    isRounded: true,
    ...overrides,
  })

  /** Everything that an SVG may have. */
  const number = String.raw`\d+(?:\.5)?`
  const line = `M${number} ${number}[VH]${number}`
  const allowed = new RegExp(
    `^<svg xmlns="http://www.w3.org/2000/svg" width="\\d+" height="\\d+" viewBox="0 0 \\d+ \\d+" ` +
      `preserveAspectRatio="none" role="img" aria-label="Waveform" stroke="#[0-9a-f]{6}"( stroke-linecap="round")?>` +
      `(<path fill="#[0-9a-f]{6}" stroke="none" d="M0 0H\\d+V\\d+H0z"/>)?` +
      `(<path stroke-width="\\d+" d="(${line})+"/>)+</svg>\n$`,
  )

  interface Line {
    half: number
    from: readonly [x: number, y: number]
    to: readonly [x: number, y: number]
  }
  const linesOf = (svg: string): Line[] =>
    [...svg.matchAll(/<path stroke-width="(\d+)" d="([^"]*)"/g)].flatMap(([, thickness, path = '']) =>
      [...path.matchAll(/M([\d.]+) ([\d.]+)([VH])([\d.]+)/g)].map(([, x, y, axis, end]) => ({
        half: Number(thickness) / 2,
        from: [Number(x), Number(y)],
        to: axis === 'H' ? [Number(end), Number(y)] : [Number(x), Number(end)],
      })),
    )

  /** Whether a line covers a point: with round ends the points within half of its thickness. */
  function covers({ half, from, to }: Line, point: readonly [number, number], isRounded: boolean): boolean {
    const [dx = 0, dy = 0] = point.map((at, i) => Math.max((from[i] ?? 0) - at, 0, at - (to[i] ?? 0)))
    return isRounded ? Math.hypot(dx, dy) <= half : dx <= half && dy === 0
  }

  /** Whether lines of the SVG cover the centers of pixels. */
  function covered(svg: string, { width, height, isRounded }: WaveformShape): Uint8Array {
    const lines = linesOf(svg)
    // Bars do not overlap, so that only a few are near a pixel.
    const near = Array.from({ length: width }, (_, x) =>
      lines.filter(({ half, from, to }) => from[0] - half <= x && x < to[0] + half),
    )
    return Uint8Array.from({ length: width * height }, (_, i) => {
      const [x, y] = [i % width, Math.floor(i / width)]
      return near[x]?.some((line) => covers(line, [x + 0.5, y + 0.5], isRounded)) ? 1 : 0
    })
  }

  test.each([
    shapeOf({}),
    shapeOf({ isRounded: false }),
    shapeOf({ height: 61, barWidth: 7, barGap: 3 }),
    shapeOf({ height: 61, barWidth: 64, barGap: 0 }),
    shapeOf({ barWidth: 1, barGap: 0 }),
    shapeOf({ height: 17, barWidth: 16, barGap: 1, isRounded: false }),
  ])('covers the pixels of the PNG: $height high, bars of $barWidth and $barGap, round: $isRounded', (shape) => {
    const levels = levelsFor(shape)
    const svg = waveformSvg(levels, shape, colors)
    expect(svg).toMatch(allowed)
    const drawn = drawWaveform(levels, shape, { ...colors, opacity: 1 })
    const expected = Uint8Array.from({ length: drawn.length / 4 }, (_, i) => ((drawn[4 * i + 3] ?? 0) > 127 ? 1 : 0))
    expect(Buffer.compare(covered(svg, shape), expected)).toBe(0)
    expect(expected.filter(Boolean).length).toBeGreaterThan(1000)
  })

  test('fills the background, and contains nothing but numbers and colors', () => {
    const shape = shapeOf({ width: 16, height: 16, barWidth: 16 })
    const svg = waveformSvg([1], shape, { color: '#FF8800', backgroundColor: '#000080' })
    expect(svg).toContain('<path fill="#000080" stroke="none" d="M0 0H16V16H0z"/><path stroke-width="16" d="M8 8V8"/>')
    expect(svg).toMatch(allowed)
    const hostile = { color: '"/><script>alert(1)</script>', backgroundColor: null }
    expect(waveformSvg([1], shape, hostile)).toMatch(allowed)
  })

  test('is small: 4 kB for the default, at most 22 bytes for each bar and 1.5 kB', () => {
    const standard = shapeOf({ width: 1800, height: 280 })
    expect(waveformSvg(levelsFor(standard), standard, colors).length).toBeLessThan(4096)
    for (const barWidth of [1, 2, 64]) {
      const largest = shapeOf({ width: 4096, height: 2047, barWidth, barGap: 0 })
      const levels = levelsFor(largest)
      const bytes = waveformSvg(levels, largest, { color: '#ff8800', backgroundColor: '#000080' }).length
      expect(bytes).toBeLessThan(22 * levels.length + 1500)
    }
  })
})
