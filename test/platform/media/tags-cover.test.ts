import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { withoutMetadata } from '../../../src/platform/media/cover/metadata.ts'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/run.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { extractPicture } from '../../../src/platform/media/tags/extract.ts'
import { readTags } from '../../../src/platform/media/tags/read.ts'
import { writeTags } from '../../../src/platform/media/tags/write.ts'
import { makeMedia, tone } from '../../support/audio.ts'
import { measureImage } from '../../support/image.ts'
import { bareFile } from '../../support/tagged.ts'

let folder: string
let tools: Tools
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-tags-'))
  tools = await findTools({})
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

async function written(bytes: string | Uint8Array<ArrayBuffer>, name: string): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}-${name}`)
  await Bun.write(file, bytes)
  return file
}

const picture = (extension: string, args: string[] = [], size = '320x200') =>
  makeMedia(['-f', 'lavfi', '-i', `testsrc=size=${size}`, '-frames:v', '1', ...args], extension)

/** Cover that is extracted from an MP3 with these bytes as its picture. */
async function takeCover(bytes: string | Uint8Array<ArrayBuffer>, type: 'image/jpeg' | 'image/png') {
  const file = await bareFile(folder, 'mp3')
  await writeTags(file, 'mp3', { tags: null, cover: { file: await written(bytes, 'cover'), type }, gain: null })
  return extractFrom(file)
}

async function extractFrom(file: string) {
  const [scratch, pictures] = await Promise.all([mkdtemp(join(folder, 'run-')), mkdtemp(join(folder, 'read-'))])
  const { picture } = await readTags(tools, file, pictures)
  const { coverStream } = await probe(tools, file)
  const cover = await extractPicture(tools, file, { coverStream, picture }, scratch)
  if (!cover) return { cover, files: await readdir(scratch) }
  const bytes = await Bun.file(cover.file).bytes()
  return { cover, bytes, image: await measureImage(bytes.buffer), files: await readdir(scratch) }
}

test('a JPEG without metadata is extracted unchanged', async () => {
  const bytes = Buffer.from(
    await sharp(await picture('png'))
      .jpeg()
      .toBuffer(),
  )
  const extraction = await takeCover(bytes, 'image/jpeg')
  expect(extraction.cover?.type).toBe('image/jpeg')
  expect(Buffer.from(extraction.bytes ?? [])).toEqual(bytes)
  expect(extraction.files).toHaveLength(1)
})

test('a PNG is extracted unchanged', async () => {
  const bytes = await picture('png', ['-pix_fmt', 'rgba'])
  const extraction = await takeCover(bytes, 'image/png')
  expect(extraction.cover?.type).toBe('image/png')
  expect(extraction.bytes).toEqual(bytes)
})

test('the type is that of the bytes, not the declared one', async () => {
  const extraction = await takeCover(await picture('png'), 'image/jpeg')
  expect(extraction.cover?.type).toBe('image/png')
})

/** Metadata of a camera, and a profile whose red differs from that of sRGB. */
const camera = (orientation: number) => ({
  orientation,
  icc: 'p3',
  exif: {
    IFD0: { Artist: 'Secret', Copyright: 'Secret', Make: 'Secret' },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 8/1 0/1' },
  },
})

describe('metadata of the camera is removed', () => {
  test.each([
    { type: 'image/jpeg' as const, orientation: 6 },
    { type: 'image/jpeg' as const, orientation: 1 },
    { type: 'image/png' as const, orientation: 6 },
    { type: 'image/png' as const, orientation: 1 },
  ])('from $type with orientation $orientation', async ({ type, orientation }) => {
    const base = sharp(Buffer.from(await picture('png'))).withMetadata(camera(orientation))
    const original = await (type === 'image/png' ? base.png() : base.jpeg({ progressive: true })).toBuffer()
    const before = await sharp(original).metadata()
    expect(original.toString('latin1')).toContain('Secret')
    const { bytes = new Uint8Array() } = await takeCover(new Uint8Array(original), type)
    expect(Buffer.from(bytes).toString('latin1')).not.toContain('Secret')
    const after = await sharp(bytes).metadata()
    // The same profile, and still upright.
    expect(after.icc).toEqual(before.icc as Buffer)
    expect(after.orientation ?? 1).toBe(orientation)
    const pixels = (of: Uint8Array) => sharp(of).autoOrient().raw().toBuffer()
    expect(await pixels(bytes)).toEqual(await pixels(original))
    if (orientation === 1) expect(after.exif).toBeUndefined()
  })

  test('texts of a PNG, and bytes after the end of both', async () => {
    const png = Buffer.from(await picture('png', ['-metadata', 'comment=Secret']))
    const jpeg = Buffer.from(await picture('jpg'))
    for (const [bytes, type] of [
      [png, 'image/png'],
      [jpeg, 'image/jpeg'],
    ] as const) {
      const longer = Buffer.concat([bytes, Buffer.from('Secret')])
      const bare = withoutMetadata(longer, type)
      expect(bare?.toString('latin1')).not.toContain('Secret')
      expect(bare && (await sharp(bare).raw().toBuffer())).toEqual(await sharp(bytes).raw().toBuffer())
    }
  })

  test('a picture that is cut off has none to keep', async () => {
    const [png, jpeg] = [Buffer.from(await picture('png')), Buffer.from(await picture('jpg'))]
    for (let length = 0; length < jpeg.length; length += 97) {
      expect(withoutMetadata(jpeg.subarray(0, length), 'image/jpeg')).toBeNull()
      expect(withoutMetadata(png.subarray(0, Math.min(length, png.length - 1)), 'image/png')).toBeNull()
    }
  })
})

/** An MP3 with a front cover of another type, before a back cover that is a JPEG. */
async function withFront(front: Uint8Array, type: string): Promise<string> {
  const size = (length: number) => Buffer.from([21, 14, 7, 0].map((shift) => (length >> shift) & 127))
  const back = await picture('jpg', [], '32x32')
  const frames = [
    { bytes: front, type, kind: 3 },
    { bytes: back, type: 'image/jpeg', kind: 4 },
  ].map(({ bytes, type, kind }) => {
    const body = Buffer.concat([Buffer.from(`\x03${type}\0`), Buffer.from([kind, 0]), bytes])
    return Buffer.concat([Buffer.from('APIC'), size(body.length), Buffer.alloc(2), body])
  })
  const all = Buffer.concat(frames)
  const sound = await Bun.file(await bareFile(folder, 'mp3')).bytes()
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), size(all.length), all, sound])
  return written(new Uint8Array(tag), 'front.mp3')
}

test.each(['webp', 'gif'] as const)('an embedded %s, still or animated, is converted to JPEG', async (format) => {
  const still = await sharp(Buffer.from(await picture('png')))
    .withMetadata(camera(1))
    .toFormat(format)
    .toBuffer()
  const [a, b] = await Promise.all(
    [1, 2].map(() =>
      sharp({ create: { width: 40, height: 30, channels: 3, background: '#00f' } })
        .png()
        .toBuffer(),
    ),
  )
  const frames = [a as Buffer, b as Buffer]
  const animated = await sharp(frames, { join: { animated: true } })
    .toFormat(format)
    .toBuffer()
  for (const [bytes, width, height] of [
    [still, 320, 200],
    [animated, 40, 30],
  ] as const) {
    const file = await withFront(bytes, `image/${format}`)
    const { cover, image, bytes: coverBytes } = await extractFrom(file)
    expect(cover?.type).toBe('image/jpeg')
    expect(image).toEqual({ codec: 'mjpeg', width, height })
    expect(Buffer.from(coverBytes ?? []).toString('latin1')).not.toContain('Secret')
  }
})

test('another kind of picture is converted to JPEG', async () => {
  const sound = await written(await tone(1), 'sound.wav')
  const bmp = await written(await picture('bmp'), 'cover.bmp')
  const tagged = [
    '-i',
    sound,
    '-i',
    bmp,
    '-map',
    '0:a',
    '-map',
    '1:v',
    '-c:v',
    'copy',
    '-disposition:v',
    'attached_pic',
  ]
  const { cover, image } = await extractFrom(await written(await makeMedia(tagged, 'mp3'), 'tagged.mp3'))
  expect(cover?.type).toBe('image/jpeg')
  expect(image).toEqual({ codec: 'mjpeg', width: 320, height: 200 })
})

test('a picture of more than 10 MB is downscaled', async () => {
  const bytes = await picture('png', ['-pix_fmt', 'rgb24', '-compression_level', '0'], '3200x1600')
  expect(bytes.length).toBeGreaterThan(10 << 20)
  const { cover, image } = await takeCover(bytes, 'image/png')
  expect(cover?.type).toBe('image/jpeg')
  expect(image).toEqual({ codec: 'mjpeg', width: 3000, height: 1500 })
  expect(Bun.file(cover?.file ?? '').size).toBeLessThan(10 << 20)
})

test.each([
  { name: 'no picture at all', bytes: async () => 'none'.repeat(500) },
  { name: 'a signature and nothing behind it', bytes: async () => Buffer.from('ffd8ffe0', 'hex') },
  { name: 'half a JPEG', bytes: async () => (await picture('jpg')).subarray(0, 3000) },
  { name: 'half a PNG', bytes: async () => (await picture('png')).subarray(0, 900) },
  {
    name: 'a page that loads others',
    bytes: async () => '<svg xmlns="http://www.w3.org/2000/svg"><image href="/etc/passwd"/></svg>',
  },
])('$name counts as no cover', async ({ bytes }) => {
  const { cover, files } = await takeCover((await bytes()) as string, 'image/jpeg')
  expect({ cover, files }).toEqual({ cover: null, files: [] })
})

test('a recording without a picture has none', async () => {
  expect((await extractFrom(await bareFile(folder, 'mp3'))).cover).toBeNull()
})

test('an abort ends the extraction', async () => {
  const file = await bareFile(folder, 'mp3')
  const pictures = { coverStream: 1, picture: null }
  await expect(extractPicture(tools, file, pictures, folder, AbortSignal.abort())).rejects.toThrow('abort')
})
