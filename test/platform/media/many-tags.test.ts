import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probe } from '../../../src/platform/media/probe.ts'
import { withFewTags } from '../../../src/platform/media/tags/excess/clip.ts'
import { MAX_ENTRIES } from '../../../src/platform/media/tags/excess/patch.ts'
import { pageBytes, sealPage, splitIntoPages } from '../../../src/platform/media/tags/ogg-page.ts'
import { makeMedia } from '../../support/audio.ts'
import { withTags } from '../../support/many-tags.ts'
import { FFMPEG, FFPROBE, sandboxedTools } from '../../support/tools.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function fileOf(bytes: Uint8Array, extension = ''): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}${extension}`)
  await Bun.write(file, bytes)
  return file
}

/** Number of tags that ffprobe reports. */
function tagCount(file: string): number {
  const args = ['-v', 'error', '-show_entries', 'format_tags:stream_tags', '-of', 'flat', file]
  return (
    Bun.spawnSync([FFPROBE, ...args])
      .stdout.toString()
      .split('\n').length - 1
  )
}

/** The decoded samples. */
const samplesIn = (file: string) =>
  Bun.hash(Bun.spawnSync([FFMPEG, '-v', 'error', '-i', file, '-map', '0:a', '-f', 's16le', '-']).stdout)

const containers = Object.entries(withTags).map(([container, make]) => ({ container, make }))

describe.each(containers)('a recording with tags in $container', ({ container, make }) => {
  test('is read as it is with a thousand', async () => {
    const file = await fileOf(await make(1000))
    expect(await withFewTags(file)).toBe(file)
    expect(tagCount(file)).toBeGreaterThan(container === 'several ID3 tags' ? 250 : 1000)
  })

  // These take minutes of CPU time without the limit, and so have no sound for a probe.
  test('is read with the first of hundreds of thousands', async () => {
    const file = await fileOf(await make(container === 'WAV' ? 200_000 : 250_000), '.mp3')
    const clipped = await withFewTags(file)
    expect(clipped).toEndWith('.mp3')
    expect(Bun.file(clipped).size).toBe(Bun.file(file).size)
    const report = await probe(sandboxedTools, clipped)
    expect(report).toMatchObject({ isHeard: true, sampleRate: 48_000 })
    expect(report.durationSeconds).toBeWithin(0.99, 1.1)
    expect(tagCount(clipped)).toBeLessThan(MAX_ENTRIES + 20)
    if (container !== 'Matroska') expect(report.tags.title).toStartWith('A title')
  })

  test('has the same sound', async () => {
    const file = await fileOf(await make(MAX_ENTRIES + 10))
    const clipped = await withFewTags(file)
    expect(clipped).not.toBe(file)
    expect(samplesIn(clipped)).toBe(samplesIn(file))
  })
})

test.each(['libvorbis', 'libopus', 'flac'])(
  'an Ogg file of %s announces no more comments than are read',
  async (codec) => {
    const tags = Array.from({ length: MAX_ENTRIES + 100 }, (_, at) => ['-metadata', `N${at}=v`]).flat()
    const sine = ['-f', 'lavfi', '-i', 'sine=d=1:r=48000', '-c:a', codec, '-f', 'ogg']
    const file = await fileOf(await makeMedia([...sine, ...tags], 'ogg'))
    const clipped = await withFewTags(file)
    expect(tagCount(clipped)).toBeWithin(MAX_ENTRIES - 2, MAX_ENTRIES + 3)
    expect(samplesIn(clipped)).toBe(samplesIn(file))
  },
)

test('a changed page has the CRC that a new page has', () => {
  const [page = Buffer.alloc(0)] = splitIntoPages([Buffer.from('sound')], 1, 0)
  const length = pageBytes(page, 0) ?? 0
  const sealed = Buffer.from(page)
  sealPage(sealed, 0, length)
  expect(sealed.equals(page)).toBe(true)
})

test.each([
  ['no bytes', Buffer.alloc(0)],
  ['a tag without an end', Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7fTIT2', 'latin1')],
  ['blocks without an end', Buffer.from('fLaC\x04\xff\xff\xff\xff\xff\xff\x7f', 'latin1')],
  ['a page without an end', Buffer.from('OggS\0\0')],
  ['an element without a size', Buffer.from('1a45dfa3ff18538067ff', 'hex')],
  ['a box without an end', Buffer.from('\0\0\0\x10ftypM4A \0\0\0\0\0\0\0\0moov\0\0\0\x08udta', 'latin1')],
  ['a chunk without an end', Buffer.from('RIFF\xff\xff\xff\xffWAVELIST\xff\xff\xff\xffINFO', 'latin1')],
])('%s are read as they are', async (_, bytes) => {
  const file = await fileOf(bytes)
  expect(await withFewTags(file)).toBe(file)
})
