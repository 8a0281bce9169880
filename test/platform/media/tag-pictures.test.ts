import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseFile } from 'music-metadata'
import { readShape } from '../../../src/platform/media/tags/picture.ts'
import { makeMedia } from '../../support/audio.ts'
import { taggedFile } from '../../support/tagged.ts'

const picture = async (extension: 'jpg' | 'png', format: string) => {
  const args = ['-f', 'lavfi', '-i', 'testsrc=size=60x40', '-frames:v', '1', '-pix_fmt', format]
  return Buffer.from(await makeMedia(args, extension))
}

test.each([
  { extension: 'jpg' as const, format: 'yuvj420p', depth: 24, colors: 0 },
  { extension: 'png' as const, format: 'rgba', depth: 32, colors: 0 },
  { extension: 'png' as const, format: 'rgb48be', depth: 48, colors: 0 },
  { extension: 'png' as const, format: 'gray', depth: 8, colors: 0 },
  { extension: 'png' as const, format: 'pal8', depth: 8, colors: 256 },
])('the shape of a $extension of $format', async ({ extension, format, depth, colors }) => {
  const type = extension === 'jpg' ? 'image/jpeg' : 'image/png'
  const bytes = await picture(extension, format)
  expect(readShape({ bytes, type })).toEqual({ width: 60, height: 40, depth, colors })
})

test('the shape of a gray JPEG with fill bytes and other segments before its frame', () => {
  const comment = 'fffe0004abcd'
  const frame = 'ffc2000b080028003c01011100'
  const bytes = Buffer.from(`ffd8${comment}ffff${frame}ffd9`, 'hex')
  expect(readShape({ bytes, type: 'image/jpeg' })).toEqual({ width: 60, height: 40, depth: 8, colors: 0 })
})

test('a Vorbis comment contains the shape of its picture', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-tags-'))
  try {
    const cover = join(folder, 'cover.png')
    await Bun.write(cover, await picture('png', 'rgb24'))
    const file = await taggedFile(folder, 'ogg', { cover: { file: cover, type: 'image/png' } })
    const [block] = (await parseFile(file)).native.vorbis ?? []
    expect(block?.value).toMatchObject({ type: 'Cover (front)', width: 60, height: 40, colour_depth: 24 })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('two fields of one ID3 frame: the first gets it, the other a TXXX frame', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-tags-'))
  try {
    const file = await taggedFile(folder, 'mp3', { tags: { label: 'A', publisher: 'B' } })
    const [frames] = Object.values((await parseFile(file)).native)
    expect(frames?.map(({ id, value }) => `${id}=${value}`)).toEqual(['TPUB=A', 'TXXX:publisher=B'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
