import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/run.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { extractPicture } from '../../../src/platform/media/tags/extract.ts'
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
async function taken(bytes: string | Uint8Array<ArrayBuffer>, type: 'image/jpeg' | 'image/png') {
  const file = await bareFile(folder, 'mp3')
  await writeTags(file, 'mp3', { tags: null, cover: { file: await written(bytes, 'cover'), type }, gain: null })
  return extractFrom(file)
}

async function extractFrom(file: string) {
  const scratch = await mkdtemp(join(folder, 'run-'))
  const cover = await extractPicture(tools, file, await probe(tools, file), scratch)
  if (!cover) return { cover, files: await readdir(scratch) }
  const bytes = await Bun.file(cover.file).bytes()
  return { cover, bytes, image: await measureImage(bytes.buffer), files: await readdir(scratch) }
}

test('a JPEG is extracted unchanged', async () => {
  const bytes = await picture('jpg')
  const found = await taken(bytes, 'image/jpeg')
  expect(found.cover?.type).toBe('image/jpeg')
  expect(found.bytes).toEqual(bytes)
  expect(found.files).toHaveLength(1)
})

test('a PNG is extracted unchanged', async () => {
  const bytes = await picture('png', ['-pix_fmt', 'rgba'])
  const found = await taken(bytes, 'image/png')
  expect(found.cover?.type).toBe('image/png')
  expect(found.bytes).toEqual(bytes)
})

test('the type is that of the bytes, not the declared one', async () => {
  const found = await taken(await picture('png'), 'image/jpeg')
  expect(found.cover?.type).toBe('image/png')
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
  const { cover, image } = await taken(bytes, 'image/png')
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
  const { cover, files } = await taken((await bytes()) as string, 'image/jpeg')
  expect({ cover, files }).toEqual({ cover: null, files: [] })
})

test('a recording without a picture has none', async () => {
  expect((await extractFrom(await bareFile(folder, 'mp3'))).cover).toBeNull()
})

test('an abort ends the extraction', async () => {
  const file = await bareFile(folder, 'mp3')
  const found = { ...(await probe(tools, file)), coverStream: 1 }
  await expect(extractPicture(tools, file, found, folder, AbortSignal.abort())).rejects.toThrow('abort')
})
