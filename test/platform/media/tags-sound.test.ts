import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeTags } from '../../../src/platform/media/tags/write.ts'
import { makeMedia } from '../../support/audio.ts'
import { bareFile, formats, probeTags } from '../../support/tagged.ts'
import { FFMPEG } from '../../support/tools.ts'

let folder: string
/**
 * Pictures of about 100 kB and 2 MB: more than a page of Ogg, and more than many. The same in every run: in random ones,
 * the letters OggS would appear now and then, which ffmpeg takes for a page.
 */
const covers: Record<string, string> = {}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-tags-'))
  for (const [name, size] of Object.entries({ small: '32x32', page: '190x190', large: '850x850' })) {
    covers[name] = join(folder, `${name}.png`)
    const noise = [
      '-f',
      'lavfi',
      '-i',
      `color=c=gray:s=${size}:r=1,format=rgb24,noise=alls=100:all_seed=7`,
      '-frames:v',
      '1',
    ]
    await Bun.write(covers[name], await makeMedia([...noise, '-pix_fmt', 'rgb24'], 'png'))
  }
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Returns the decoded sound. Any message of the decoder fails the test. */
function samplesOf(file: string): Uint8Array {
  const args = ['-v', 'warning', '-i', file, '-map', '0:a', '-f', 's16le', '-c:a', 'pcm_s16le', '-']
  const { stdout, stderr, exitCode } = Bun.spawnSync([FFMPEG, ...args], { maxBuffer: 64 << 20 })
  // Printed for every MP4 with a picture, also of ffmpeg's own muxer; and for the second kind of tags in a WAV.
  const said = stderr
    .toString()
    .replaceAll(/^.*(stream 0, timescale not set|Discarding ID3 tags .*|Guessed Channel Layout.*)\n/gm, '')
  expect({ exitCode, said }).toEqual({ exitCode: 0, said: '' })
  return stdout
}
const cover = (name: string) => ({ file: covers[name] ?? '', type: 'image/png' as const })
const gain = { integratedLufs: -14, truePeakDbtp: -1 }

describe.each([...formats])('%s', (format) => {
  let before: { samples: Uint8Array; start: string; duration: string }
  beforeAll(async () => {
    const file = await bareFile(folder, format, 3)
    before = { samples: samplesOf(file), ...timesOf(file) }
  }, 60_000)

  test.each([
    { name: 'tags', cover: null },
    { name: 'a small picture', cover: 'small' },
    { name: 'a picture', cover: 'page' },
    { name: 'a large picture', cover: 'large' },
  ])('$name changes neither a sample nor the length', async ({ cover: name }) => {
    const file = await bareFile(folder, format, 3)
    await writeTags(file, format, { tags: { title: 'x' }, cover: name ? cover(name) : null, gain })
    expect(Buffer.compare(samplesOf(file), before.samples)).toBe(0)
    const { audio, picture } = probeTags(file)
    expect({ start: audio.start_time, duration: audio.duration }).toEqual({
      start: before.start,
      duration: before.duration,
    })
    expect(picture !== null).toBe(name !== null)
  })

  test('writing tags twice gives the same file as writing the last ones', async () => {
    const [twice, once] = [await bareFile(folder, format), await bareFile(folder, format)]
    const last = { tags: { title: 'second' }, cover: cover('small'), gain: null }
    await writeTags(twice, format, { tags: { title: 'first', artist: 'z'.repeat(3000) }, cover: cover('page'), gain })
    await writeTags(twice, format, last)
    await writeTags(once, format, last)
    expect(probeTags(twice).tags).toEqual({ title: 'second' })
    expect(samplesOf(twice)).toEqual(samplesOf(once))
  })

  test('the same tags give the same bytes', async () => {
    const files = [await bareFile(folder, format), await bareFile(folder, format)]
    for (const file of files) await writeTags(file, format, { tags: { title: 'x' }, cover: cover('page'), gain })
    const [one, other] = await Promise.all(files.map((file) => Bun.file(file).bytes()))
    expect(one).toEqual(other as Uint8Array<ArrayBuffer>)
  })
})

// Not MP3: it has no header that could be invalid.
describe.each(formats.filter((format) => format !== 'mp3'))('%s', (format) => {
  test.each([
    { name: 'is empty', bytes: async () => Buffer.alloc(0) },
    { name: 'is something else', bytes: async () => Buffer.from('no such thing'.repeat(99)) },
    { name: 'ends inside its headers', bytes: () => beginning(format, 60) },
  ])('a file that $name is refused and left as it is', async ({ bytes }) => {
    const [file, before] = [join(folder, crypto.randomUUID()), await bytes()]
    await Bun.write(file, before)
    const tags = { tags: { title: 'x'.repeat(99) }, cover: cover('page'), gain: null }
    await expect(writeTags(file, format, tags)).rejects.toMatchObject({ code: 'encoder_failed' })
    expect(await Bun.file(file).bytes()).toEqual(new Uint8Array(before))
    expect((await readdir(folder)).filter((name) => name.endsWith('.tagged'))).toEqual([])
  })
})

// Only these formats state the width and height of a picture, which are read from it.
test.each(['ogg', 'opus'] as const)('%s refuses a picture that is not a picture', async (format) => {
  const file = await bareFile(folder, format)
  const none = { file: join(folder, `none-${format}.png`), type: 'image/png' as const }
  await Bun.write(none.file, 'no picture')
  const written = writeTags(file, format, { tags: null, cover: none, gain: null })
  await expect(written).rejects.toMatchObject({ code: 'encoder_failed' })
})

async function beginning(format: (typeof formats)[number], length: number) {
  return Buffer.from(await Bun.file(await bareFile(folder, format)).arrayBuffer()).subarray(0, length)
}

function timesOf(file: string) {
  const { start_time: start, duration } = probeTags(file).audio
  return { start, duration }
}

describe('mp4', () => {
  test('the index stays before the sound, and keeps its edit list', async () => {
    const file = await bareFile(folder, 'aac')
    await writeTags(file, 'aac', { tags: { title: 'x' }, cover: cover('large'), gain })
    const bytes = Buffer.from(await Bun.file(file).arrayBuffer())
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
    expect(bytes.indexOf('elst')).toBeGreaterThan(0)
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp')
  })

  test('an index after the sound is changed in place', async () => {
    const [from, to] = [await bareFile(folder, 'aac'), join(folder, 'behind.m4a')]
    await Bun.write(to, await makeMedia(['-i', from, '-c', 'copy', '-fflags', '+bitexact', '-f', 'ipod'], 'm4a'))
    const before = samplesOf(to)
    await writeTags(to, 'aac', { tags: { title: 'x' }, cover: cover('small'), gain })
    expect(Buffer.compare(samplesOf(to), before)).toBe(0)
    expect(probeTags(to).tags).toMatchObject({ title: 'x' })
  })
})

test('mp3: the frame with delay and padding follows the tag, and the sound is byte-identical', async () => {
  const file = await bareFile(folder, 'mp3')
  const bare = join(folder, 'bare.mp3')
  await copyFile(file, bare)
  await writeTags(file, 'mp3', { tags: { title: 'x' }, cover: cover('page'), gain })
  const [before, after] = await Promise.all([bare, file].map(async (path) => Buffer.from(await Bun.file(path).bytes())))
  const [from, to] = [before, after].map((bytes) => (bytes?.indexOf('Info') ?? 0) - 36)
  expect(Buffer.compare(after?.subarray(to) ?? Buffer.of(), before?.subarray(from) ?? Buffer.of(1))).toBe(0)
  expect(after?.readUInt16BE(to)).toBe(0xfffb)
})

/** CRC as RFC 3533 describes it, bit by bit. */
function crcOf(page: Buffer): number {
  let crc = 0
  page.forEach((byte, at) => {
    crc ^= (at >= 22 && at < 26 ? 0 : byte) << 24
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1
  })
  return crc >>> 0
}

test.each([
  { format: 'ogg' as const, name: 'large' },
  { format: 'opus' as const, name: 'large' },
  { format: 'ogg' as const, name: null },
  { format: 'opus' as const, name: null },
])('pages are numbered without gaps and have valid checksums: %o', async ({ format, name }) => {
  const file = await bareFile(folder, format, 3)
  const tags = { tags: name ? { title: 'x' } : null, cover: name ? cover(name) : null, gain: null }
  const { size, ino } = await stat(file)
  await writeTags(file, format, tags)
  const bytes = Buffer.from(await Bun.file(file).arrayBuffer())
  // Without any, what the encoder wrote is taken out in its place: nothing is copied.
  if (!name) expect(await stat(file)).toMatchObject({ size, ino })
  let number = 0
  for (let at = 0; at < bytes.length; number += 1) {
    const body = at + 27 + bytes.readUInt8(at + 26)
    const end = bytes.subarray(at + 27, body).reduce((sum, length) => sum + length, body)
    const page = bytes.subarray(at, end)
    const wrong = page.readUInt32LE(22) !== crcOf(page) || page.readUInt32LE(18) !== number
    if (wrong) throw new Error(`page ${number} at ${at}`)
    at = end
  }
  expect(number).toBeGreaterThan(name ? 20 : 2)
})
