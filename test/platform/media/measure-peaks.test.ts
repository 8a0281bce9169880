import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/run.ts'
import { wavReader } from '../../../src/platform/media/formats/wav.ts'
import { measurePeaks } from '../../../src/platform/media/measure-peaks.ts'
import { makeMedia } from '../../support/audio.ts'
import { referencePeaks } from '../../support/peaks.ts'

let folder: string
let tools: Tools
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-peaks-'))
  tools = await findTools({})
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

const LIMITS = { cpuSeconds: 30 }
interface Options {
  limits?: { cpuSeconds: number; signal?: AbortSignal }
  isSplit?: boolean
  filters?: string[]
  seconds?: number | null
}
async function measured(bytes: Uint8Array, samplesPerPixel = 256, options: Options = {}) {
  const { limits = LIMITS, isSplit = false, filters = [], seconds = null } = options
  const path = await file(bytes)
  const input = { args: ['-i', path], stream: '0:a:0', filters, seconds }
  const { blocks, ...rest } = await measurePeaks(tools, input, { samplesPerPixel, isSplit }, limits)
  return { ...rest, data: blocks.flatMap((block) => [...block]) }
}
/** `expression` is ffmpeg's, one for each channel. */
const sound = (expression: string, extension: string, options: string[] = [], seconds = 1.7, rate = 44_100) =>
  makeMedia(['-f', 'lavfi', '-i', `aevalsrc=${expression}:s=${rate}:d=${seconds}`, ...options], extension)
const TWO = '0.7*sin(440*2*PI*t)*t|0.4*sin(330*2*PI*t)+0.3'

describe('of a file equal the peaks of its decoded samples', () => {
  test.each([
    { what: 'AAC', extension: 'm4a', options: ['-b:a', '192k'] },
    {
      what: 'AAC, mono, 24 kHz',
      extension: 'm4a',
      options: ['-b:a', '32k', '-ac', '1', '-ar', '24000'],
      isSplit: true,
    },
    { what: 'Opus', extension: 'opus', options: ['-b:a', '64k'], isSplit: true },
    { what: 'MP3', extension: 'mp3', options: ['-b:a', '128k'] },
    { what: 'Vorbis', extension: 'ogg', options: ['-c:a', 'libvorbis', '-b:a', '96k'] },
    { what: '16 bits, mono, 22.05 kHz', extension: 'wav', options: ['-ac', '1', '-ar', '22050'] },
    { what: '24 bits, 96 kHz', extension: 'flac', options: ['-sample_fmt', 's32', '-ar', '96000'], isSplit: true },
    { what: 'six channels', extension: 'flac', options: ['-ac', '6'] },
  ])('$what', async ({ extension, options, isSplit }) => {
    const bytes = await sound(TWO, extension, [...options])
    const reference = await referencePeaks(bytes, 250, { isSplit })
    expect(reference.length).toBeGreaterThan(100)
    expect(await measured(bytes, 250, { isSplit })).toEqual({ samplesPerPixel: 250, ...reference })
  })

  test.each([
    ['m4a', 'aac'],
    ['mp3', 'libmp3lame'],
    ['opus', 'libopus'],
  ])('pixel 0 is the first audible sample, without the encoder delay: %s by %s', async (extension, codec) => {
    // Silence for exactly forty pixels, then sound at once.
    const start = (40 * 256) / 48_000
    const click = `'if(lt(t,${start}),0,0.8*sin(1000*2*PI*t))'`
    const { data } = await measured(await sound(click, extension, ['-c:a', codec, '-b:a', '128k'], 1, 48_000))
    const loud = Array.from({ length: data.length / 2 }, (_, i) => (data[2 * i + 1] ?? 0) > 13_000)
    // Codecs smear a little ahead of an attack, none by a pixel at more than half of its height.
    expect(loud.indexOf(true)).toBe(40)
  })

  test('silence, one sample, opposite channels, full scale', async () => {
    expect((await measured(await sound('0', 'wav', [], 0.1))).data.every((value) => value === 0)).toBe(true)
    const single = await makeMedia(['-f', 'lavfi', '-i', 'aevalsrc=0.5:s=8000:d=0.000125'], 'wav')
    expect(await measured(single)).toEqual({
      sampleRate: 8000,
      samplesPerPixel: 256,
      channels: 1,
      length: 1,
      data: [16_384, 16_384],
    })
    const opposite = await measured(await sound('0.5*sin(500*2*PI*t)|-0.5*sin(500*2*PI*t)', 'flac', [], 0.2))
    expect(opposite.data.every((value) => value === 0)).toBe(true)
    const square = await measured(await sound("'2*(gt(sin(500*2*PI*t),0)-0.5)'", 'wav', [], 0.2))
    expect(square.data.slice(0, 2)).toEqual([-32_768, 32_767])
  })
})

test('after filters', async () => {
  const bytes = await sound('0.25|0.5', 'wav', ['-c:a', 'pcm_s16le'], 0.1)
  const swapped = await measured(bytes, 256, { isSplit: true, filters: ['pan=stereo|c0=c1|c1=c0'] })
  expect(swapped.data.slice(0, 4)).toEqual([16_384, 16_384, 8192, 8192])
})

test.each([
  { seconds: 1 / 44_100, frames: 1 },
  { seconds: 0, frames: 1 },
  { seconds: 4409 / 44_100, frames: 4409 },
  // A sound of 96 kHz that was resampled.
  { seconds: 4001 / 96_000, frames: 1838 },
  { seconds: 1, frames: 4410 },
])('up to $seconds s', async ({ seconds, frames }) => {
  const bytes = await sound('0.25|0.5', 'wav', ['-c:a', 'pcm_s16le'], 0.1)
  const { length, data } = await measured(bytes, 1, { seconds, isSplit: true })
  expect([length, data.length]).toEqual([frames, 4 * frames])
})

describe('failures', () => {
  test('no sound', async () => {
    await expect(measured(Buffer.from('this is not a recording'))).rejects.toMatchObject({ code: 'encoder_failed' })
  })

  /** Measures with another program in place of ffmpeg. */
  async function measuredBy(script: string, limits = LIMITS) {
    const program = join(folder, `program-${Bun.randomUUIDv7()}`)
    await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const input = { args: [], stream: '0:a:0', filters: [], seconds: null }
    const resolution = { samplesPerPixel: 256, isSplit: true }
    return measurePeaks({ ...tools, fileView: null, ffmpeg: program }, input, resolution, limits)
  }

  test('a decoder that fails midway', async () => {
    const half = await file(await sound(TWO, 'wav'))
    const error = await measuredBy(`cat ${half}\necho broken >&2\nexit 1`).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'encoder_failed', detail: 'broken\n' })
  })

  test('a decoder that times out or is aborted', async () => {
    await expect(measuredBy('exec sleep 60', { cpuSeconds: 0.001 })).rejects.toMatchObject({
      code: 'timed_out',
      name: 'MediaError',
    })
    const bytes = await sound(TWO, 'flac')
    const limits = { cpuSeconds: 30, signal: AbortSignal.abort() }
    await expect(measured(bytes, 256, { limits })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

test.each([1, 2, 6])('a stream is parsed equally in chunks of any size: %d channels', async (channels) => {
  const options = ['-ac', String(channels), '-fflags', '+bitexact']
  const wav = await sound('0.5*sin(440*2*PI*t)', 'wav', options, 0.01)
  const raw = await makeMedia(['-f', 'wav', '-i', await file(wav), '-f', 's16le', '-c:a', 'pcm_s16le'], 'raw')
  for (const step of [1, 3, 5, 64, wav.length]) {
    const reader = wavReader()
    const samples: number[] = []
    for (let at = 0; at < wav.length; at += step) {
      const frames = reader.take(wav.slice(at, at + step)) ?? []
      expect(frames.length % channels, `at ${at}, ${step} bytes`).toBe(0)
      samples.push(...frames)
    }
    expect(reader.format, `${step} bytes`).toMatchObject({ channels, sampleRate: 44_100 })
    expect(samples, `${step} bytes`).toEqual([...new Int16Array(raw.buffer, 0, raw.length / 2)])
  }
})

async function file(bytes: Uint8Array): Promise<string> {
  const path = join(folder, crypto.randomUUID())
  await Bun.write(path, bytes)
  return path
}
