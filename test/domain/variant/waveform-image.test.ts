import { describe, expect, test } from 'bun:test'
import { resolveProps } from '../../../src/domain/variant/service.ts'
import { encodePng } from '../../../src/platform/media/formats/png.ts'
import { barCount, drawWaveform, type WaveformShape } from '../../../src/platform/media/waveform.ts'
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
    const given = { barWidth: 7, barGap: 0, isRounded: false, color: '#F0a', backgroundColor: '#ABCDEF' }
    const kept = { bar_width: 7, bar_gap: 0, is_rounded: false, color: '#ff00aa', background_color: '#abcdef' }
    expect(resolveProps('waveform_image', given)).toMatchObject(kept)
    expect(resolveProps('waveform_video', given)).toMatchObject(kept)
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

  async function drawn(levels: number[], given: Partial<WaveformShape> = {}, colors: object = {}) {
    const drawn = { ...shape, ...given }
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
