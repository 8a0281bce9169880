import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseFile } from 'music-metadata'
import { writeTags } from '../../../src/platform/media/tags/write.ts'
import { bareFile } from '../../support/tagged.ts'
import { FFPROBE } from '../../support/tools.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-wav-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const HEADER_BYTES = 80
const FRAME_BYTES = 4
const RATE = 48_000
const write = (file: string) => writeTags(file, 'wav', { tags: { title: 'Long' }, cover: null, gain: null })

/** A WAV whose sound has this many bytes, most of them a hole in the file if it is long. */
async function resized(bytes: number): Promise<string> {
  const file = await bareFile(folder, 'wav')
  const target = await open(file, 'r+')
  const size = Buffer.alloc(4)
  size.writeUInt32LE(bytes)
  await target.write(size, 0, 4, HEADER_BYTES - 4)
  await target.truncate(HEADER_BYTES + bytes)
  await target.close()
  return file
}

function probed(file: string): { title: string; seconds: number } {
  const { stdout } = Bun.spawnSync([FFPROBE, '-v', 'error', '-of', 'json', '-show_format', file])
  const { tags, duration } = JSON.parse(stdout.toString()).format
  return { title: tags?.title, seconds: Number(duration) }
}

const nameOf = (file: string) => Bun.file(file).slice(0, 4).text()

describe('the tags of a WAV', () => {
  test('fit into RIFF below 4 GiB', async () => {
    const bytes = 2 ** 32 - 1000 * FRAME_BYTES
    const file = await resized(bytes)
    await write(file)
    expect(await nameOf(file)).toBe('RIFF')
    expect(probed(file)).toEqual({ title: 'Long', seconds: expect.closeTo(bytes / FRAME_BYTES / RATE, 3) })
  })

  test('make it RF64 when they take it beyond 4 GiB, and are replaced in it', async () => {
    const bytes = 2 ** 32 - 30 * FRAME_BYTES
    const file = await resized(bytes)
    await write(file)
    const { size } = Bun.file(file)
    expect(await nameOf(file)).toBe('RF64')
    expect(probed(file)).toEqual({ title: 'Long', seconds: expect.closeTo(bytes / FRAME_BYTES / RATE, 3) })
    await write(file)
    expect(Bun.file(file).size).toBe(size)
    expect(probed(file).title).toBe('Long')
  })

  test.each([1, 2])('are added to a file of %s samples', async (samples) => {
    const file = await resized(samples * FRAME_BYTES)
    await write(file)
    const { common, format } = await parseFile(file)
    expect([common.title, format.numberOfSamples]).toEqual(['Long', samples])
  })

  test('are refused in a file of another form', async () => {
    const file = join(folder, 'other.wav')
    await Bun.write(file, 'RIFF\x10\0\0\0WAVEfmt ')
    await expect(write(file)).rejects.toMatchObject({ code: 'encoder_failed' })
  })
})
