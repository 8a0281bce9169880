import { beforeAll, describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { makeMedia } from '../../../support/audio.ts'
import { coverOf, type MadeCover } from '../../../support/cover.ts'
import { measureImage } from '../../../support/image.ts'
import { decodePicture, pngOf, stripes, withExif, withNotes } from '../../../support/picture.ts'

type Bytes = Uint8Array<ArrayBuffer>
const [red, green, blue, white] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
]

/** Two rows of two fields: red, green, blue, white. Drawn in RGB: an old drawbox works in the narrow range of video. */
const fields = (width: number, height: number, extension: string, codec: string[] = []) => {
  const parts = "r='255*eq(gte(X,W/2),gte(Y,H/2))':g='255*gte(X,W/2)':b='255*gte(Y,H/2)'"
  const drawn = ['-f', 'lavfi', '-i', `color=s=${width}x${height}`, '-vf', `format=rgb24,geq=${parts}`]
  return makeMedia([...drawn, '-frames:v', '1', ...codec], extension)
}

const near = (actual: number[] | undefined, expected: number[] | undefined, tolerance = 12) =>
  expected?.every((part, i) => Math.abs(part - (actual?.[i] ?? -999)) <= tolerance)

/** The colours in the middle of the four fields, as a name each. */
async function cornersOf(bytes: Bytes, { width, height }: { width: number; height: number }): Promise<string> {
  const { at } = await decodePicture(bytes.buffer, width)
  const names = { R: red, G: green, B: blue, W: white }
  const nameAt = (x: number, y: number) => {
    const pixel = at(Math.floor((width * x) / 4), Math.floor((height * y) / 4))
    return Object.entries(names).find(([, color]) => near(pixel, color))?.[0] ?? `(${pixel})`
  }
  return [nameAt(1, 1), nameAt(3, 1), nameAt(1, 3), nameAt(3, 3)].join('')
}

describe('sizes', () => {
  test('four, as JPEG and WebP', async () => {
    const { sizes } = await coverOf(await fields(1600, 1000, 'png'))
    const expected = { icon: [64, 40], small: [200, 125], regular: [500, 312], large: [1200, 750] } as const
    for (const [name, [width, height]] of Object.entries(expected)) {
      const size = sizes[name as keyof typeof expected]
      expect([size.width, size.height], name).toEqual([width, height])
      expect(await measureImage(size.jpg.buffer), name).toEqual({ codec: 'mjpeg', width, height })
      expect(await measureImage(size.webp.buffer), name).toEqual({ codec: 'webp', width, height })
      expect(await cornersOf(size.webp, size), name).toBe('RGBW')
    }
  })

  const artworks: [width: number, height: number, edge: number | null][] = [
    [1399, 1600, null],
    [1400, 1600, 1400],
    [3600, 1800, 1800],
    [3100, 3200, 3000],
  ]
  test.each(artworks)('the artwork of %i x %i pixels is the square in its middle: %p', async (width, height, edge) => {
    const { artwork } = await coverOf(await fields(width, height, 'png'), { hasArtwork: true })
    if (edge === null) return expect(artwork).toBeNull()
    if (!artwork) throw new Error('no artwork')
    expect(await measureImage(artwork.buffer)).toEqual({ codec: 'mjpeg', width: edge, height: edge })
    expect(await cornersOf(artwork, { width: edge, height: edge })).toBe('RGBW')
  })

  test('no artwork unless it is requested', async () => {
    expect((await coverOf(await fields(1500, 1500, 'png'))).artwork).toBeNull()
  })

  const formats: { extension: string; codec: string[] }[] = [
    { extension: 'jpg', codec: ['-q:v', '1', '-pix_fmt', 'yuvj444p'] },
    { extension: 'webp', codec: [] },
    { extension: 'gif', codec: [] },
  ]
  test.each(formats)('of a $extension', async ({ extension, codec }) => {
    const { regular } = (await coverOf(await fields(600, 400, extension, codec))).sizes
    expect(await cornersOf(regular.jpg, regular)).toBe('RGBW')
  })

  test('never larger than the picture, and a line stays a line', async () => {
    const small = (await coverOf(stripes(10, [[30, [9, 9, 9]]]))).sizes
    expect([small.icon, small.large].map(({ width, height }) => `${width}x${height}`)).toEqual(['30x10', '30x10'])
    const line = (await coverOf(stripes(1, [[3000, [9, 9, 9]]]))).sizes
    expect([line.icon, line.large].map(({ width, height }) => `${width}x${height}`)).toEqual(['64x1', '1200x1'])
  })

  const animations: { extension: string; codec: string[] }[] = [
    { extension: 'gif', codec: [] },
    { extension: 'webp', codec: ['-c:v', 'libwebp_anim', '-lossless', '1'] },
  ]
  test.each(animations)('the first image of an animated $extension', async ({ extension, codec }) => {
    const image = (color: string) => ['-f', 'lavfi', '-i', `color=c=${color}:s=80x80:r=1:d=1`]
    const film = [...image('red'), ...image('blue'), '-filter_complex', '[0][1]concat=n=2', '-loop', '0']
    const { sizes } = await coverOf(await makeMedia([...film, ...codec], extension))
    const { at } = await decodePicture(sizes.large.jpg.buffer, 80)
    expect(near(at(40, 40), red)).toBe(true)
  })
})

describe('a picture is upright for every Exif orientation', () => {
  let stored: Bytes
  beforeAll(async () => {
    stored = await fields(160, 120, 'jpg', ['-q:v', '1', '-pix_fmt', 'yuvj444p'])
  })
  // Where the first row and the first column of what is stored are seen (Exif 2.3, Orientation).
  test.each([
    { orientation: 1, seen: 'RGBW' },
    { orientation: 2, seen: 'GRWB' },
    { orientation: 3, seen: 'WBGR' },
    { orientation: 4, seen: 'BWRG' },
    { orientation: 5, seen: 'RBGW' },
    { orientation: 6, seen: 'BRWG' },
    { orientation: 7, seen: 'WGBR' },
    { orientation: 8, seen: 'GWRB' },
  ])('orientation $orientation', async ({ orientation, seen }) => {
    const { sizes } = await coverOf(withExif(stored, orientation))
    const [width, height] = orientation > 4 ? [120, 160] : [160, 120]
    expect([sizes.large.width, sizes.large.height]).toEqual([width, height])
    expect(await cornersOf(sizes.large.jpg, sizes.large)).toBe(seen)
  })
})

describe('the results', () => {
  test('contains no metadata of the picture', async () => {
    const jpeg = await fields(300, 300, 'jpg')
    const noted = withNotes(withExif(jpeg, 1), 'Mata Hari, 48.8584 N')
    for (const word of ['Exif', 'Mata Hari', 'xmpmeta']) expect(Buffer.from(noted).includes(word)).toBe(true)
    const { sizes } = await coverOf(noted)
    const words = ['Exif', 'EXIF', 'GPS', 'Mata', 'xmp', 'XMP', 'Photoshop', '8BIM', 'ICC']
    const wordsIn = (bytes: Bytes) => words.filter((word) => Buffer.from(bytes).includes(word))
    const foundWords = Object.entries(sizes).map(([size, { jpg, webp }]) => [size, wordsIn(jpg), wordsIn(webp)])
    expect(foundWords).toEqual(['icon', 'small', 'regular', 'large'].map((size) => [size, [], []]))
  })

  const flat = (channels: 3 | 4, color: number[]) => ({
    create: { width: 64, height: 64, channels, background: { r: color[0], g: color[1], b: color[2], alpha: 1 } },
  })
  const middleOf = async ({ sizes: { large } }: MadeCover, format: 'jpg' | 'webp') =>
    (await decodePicture(large[format].buffer, large.width)).at(large.width >> 1, large.height >> 1)

  test('is red where a CMYK JPEG is red', async () => {
    const cmyk = new Uint8Array(
      await sharp(flat(3, [255, 0, 0]))
        .toColourspace('cmyk')
        .jpeg({ quality: 100 })
        .toBuffer(),
    )
    // Four components in its frame header (ITU-T T.81, B.2.2).
    const frame = Buffer.from(cmyk).findLastIndex(
      (byte, at) => byte === 0xff && [0xc0, 0xc2].includes(cmyk[at + 1] ?? 0),
    )
    expect(cmyk[frame + 9]).toBe(4)
    const cover = await coverOf(cmyk)
    const [r = 0, g = 0, b = 0] = await middleOf(cover, 'jpg')
    expect([r > 215, g < 60, b < 60], `${r} ${g} ${b}`).toEqual([true, true, true])
  })

  test('has the colors of the profile, without the profile', async () => {
    const wide = new Uint8Array(
      await sharp(flat(3, [200, 30, 30]))
        .withIccProfile('p3')
        .png()
        .toBuffer(),
    )
    const plain = await decodePicture(wide.buffer, 64)
    // The numbers differ from those of sRGB: without the profile it would look paler.
    expect(near(plain.at(32, 32), [200, 30, 30], 5)).toBe(false)
    const cover = await coverOf(wide)
    expect(near(await middleOf(cover, 'jpg'), [200, 30, 30], 4), `${await middleOf(cover, 'jpg')}`).toBe(true)
    expect(near(await middleOf(cover, 'webp'), [200, 30, 30], 4)).toBe(true)
  })

  const half = stripes(80, [
    [40, [0, 0, 255, 255]],
    [40, [0, 0, 0, 0]],
  ])
  test.each([
    ['PNG', async () => half],
    ['WebP', async () => new Uint8Array(await sharp(Buffer.from(half)).webp({ lossless: true }).toBuffer())],
  ] as const)('is white for the transparency of a %s in a JPEG, and transparent in a WebP', async (_, picture) => {
    const { sizes } = await coverOf(await picture())
    const jpeg = await decodePicture(sizes.large.jpg.buffer, 80)
    expect([near(jpeg.at(20, 40), blue), near(jpeg.at(60, 40), white)]).toEqual([true, true])
    const alpha = await decodePicture(sizes.large.webp.buffer, 80)
    expect([near(alpha.at(20, 40), [0, 0, 255, 255]), alpha.at(60, 40)[3]]).toEqual([true, 0])
  })

  test('converts 16 bits to 8, gray and palette pictures to three channels', async () => {
    const color = [0x80, 0x12, 0x40, 0xfe, 0xc0, 0x01]
    const deep = pngOf({ width: 32, height: 32, channels: 3, depth: 16 }, Buffer.alloc(32 * 32 * 6, Buffer.from(color)))
    expect(near(await middleOf(await coverOf(deep), 'jpg'), [0x80, 0x40, 0xc0], 4)).toBe(true)
    const grey = await makeMedia(
      ['-f', 'lavfi', '-i', 'color=c=0x606060:s=64x64', '-frames:v', '1', '-pix_fmt', 'gray'],
      'png',
    )
    expect(near(await middleOf(await coverOf(grey), 'webp'), [0x60, 0x60, 0x60], 4)).toBe(true)
    const palette = new Uint8Array(
      await sharp(flat(3, [30, 200, 90]))
        .png({ palette: true })
        .toBuffer(),
    )
    expect(near(await middleOf(await coverOf(palette), 'jpg'), [30, 200, 90], 4)).toBe(true)
  })
})
