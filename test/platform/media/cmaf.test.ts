import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSegments, writeCmaf } from '../../../src/platform/media/formats/cmaf.ts'
import { setExactLength } from '../../../src/platform/media/formats/mp4-length.ts'
import { makeHostMedia } from '../../support/audio.ts'
import { FFPROBE } from '../../support/tools.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-cmaf-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Encodes noise, and writes it as CMAF. */
async function write(samples: number, { rate = 48_000, bitrate = 128 } = {}) {
  const noise = `anoisesrc=r=${rate}:a=0.3:seed=7,atrim=end_sample=${samples}`
  const encoded = await makeHostMedia(['-f', 'lavfi', '-i', noise, '-c:a', 'aac', '-b:a', `${bitrate}k`], 'm4a')
  const [source, target] = ['source.m4a', 'target.mp4'].map((name) => join(folder, name)) as [string, string]
  await Bun.write(source, encoded)
  await setExactLength(source)
  const parts = await writeCmaf(source, target)
  const bytes = Buffer.from(await Bun.file(target).arrayBuffer())
  const firstAt = parts.headerBytes + parts.indexBytes
  return { ...parts, target, bytes, segments: readSegments(bytes.subarray(parts.headerBytes, firstAt), firstAt) }
}

/** Length by ffprobe, with the samples of all packets. */
async function probe(file: string) {
  const entries = ['-show_entries', 'format=duration:packet=duration', '-of', 'json']
  const program = Bun.spawn([FFPROBE, '-v', 'error', ...entries, file], { stdout: 'pipe', stderr: 'pipe' })
  const [text, errors] = await Promise.all([new Response(program.stdout).json(), new Response(program.stderr).text()])
  expect(errors).toBe('')
  return { seconds: Number(text.format.duration), packets: text.packets.length as number }
}

const typeAt = (bytes: Buffer, at: number) => bytes.toString('latin1', at + 4, at + 8)

describe('a CMAF file', () => {
  test('has its description, then its index, then its segments', async () => {
    const { bytes, headerBytes, segments } = await write(48_000 * 20)
    expect([typeAt(bytes, 0), typeAt(bytes, headerBytes)]).toEqual(['ftyp', 'sidx'])
    expect(segments.length).toBe(4)
    for (const { at } of segments) expect(typeAt(bytes, at)).toBe('moof')
    const last = segments.at(-1)
    expect(Number(last?.at) + Number(last?.bytes)).toBe(bytes.length)
  })

  test.each([
    [1, 48_000],
    [1023, 48_000],
    [1024, 48_000],
    [1025, 44_100],
    // The first segment has 281 frames with the one of the delay.
    [280 * 1024, 48_000],
    [280 * 1024 + 1, 48_000],
    [561 * 1024 - 1, 48_000],
    [257 * 1024, 44_100],
    [441_000, 44_100],
  ])('has the length of %d samples at %d Hz, to the sample', async (samples, rate) => {
    const { segments, target } = await write(samples, { rate })
    const seconds = segments.reduce((sum, segment) => sum + segment.seconds, 0)
    expect(seconds * rate).toBeCloseTo(samples, 3)
    const probed = await probe(target)
    // ffprobe 4 and older include the delay that an edit list leaves out.
    const delay = probed.seconds > samples / rate + 0.01 ? 1024 : 0
    expect(probed.seconds).toBeCloseTo((samples + delay) / rate, 5)
    expect(probed.packets).toBe(Math.ceil((samples + 1024) / 1024))
  })

  test.each([
    [6.4, 1],
    [6.6, 2],
    [12.4, 2],
  ])('of %d seconds has %d segments: a short rest is a part of the last one', async (seconds, count) => {
    const { segments } = await write(Math.round(48_000 * seconds))
    expect(segments.length).toBe(count)
  })

  test('ends its segments at equal times for every bit rate', async () => {
    const timesOf = async (bitrate: number) =>
      (await write(48_000 * 30, { bitrate })).segments.map(({ seconds }) => seconds)
    const [low, high] = [await timesOf(64), await timesOf(256)]
    expect(low).toEqual(high)
    for (const seconds of low.slice(0, -1)) expect(seconds).toBeWithin(5.9, 6.1)
  })

  test('is not written from a file that is not MP4 or lacks its end', async () => {
    const [source, target] = [join(folder, 'wrong.m4a'), join(folder, 'wrong.mp4')]
    await Bun.write(source, 'no boxes')
    expect(writeCmaf(source, target)).rejects.toMatchObject({ code: 'encoder_failed' })
    const { bytes } = await write(48_000)
    await Bun.write(source, bytes)
    expect(writeCmaf(source, target)).rejects.toMatchObject({ code: 'encoder_failed' })
    const whole = Buffer.from(await Bun.file(join(folder, 'source.m4a')).arrayBuffer())
    await Bun.write(source, whole.subarray(0, whole.length - 100))
    expect(writeCmaf(source, target)).rejects.toMatchObject({ code: 'encoder_failed' })
  })
})
