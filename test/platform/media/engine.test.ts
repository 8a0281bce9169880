import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AudioOutput, encodeAll, shareOut } from '../../../src/platform/media/encode.ts'
import { MediaError } from '../../../src/platform/media/ffmpeg/reasons.ts'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/tools.ts'
import { wavReader } from '../../../src/platform/media/formats/wav.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia, measure } from '../../support/audio.ts'
import { until } from '../../support/until.ts'

let folder: string
let tools: Tools
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-engine-'))
  tools = await findTools({})
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const aac = { args: ['-c:a', 'aac', '-b:a', '96k', '-f', 'ipod'], codec: 'aac', channels: 2, clip: null }
const output = (fileName: string, more: Partial<AudioOutput> = {}): AudioOutput => ({
  fileName,
  filters: [],
  effort: 1,
  bytesPerSecond: 12_000,
  ...aac,
  ...more,
})

/** A new recording by ffmpeg, in a new folder. */
async function recording(args: string[], extension = 'wav') {
  const runFolder = await mkdtemp(join(folder, 'run-'))
  const file = join(runFolder, `source.${extension}`)
  await Bun.write(file, await makeMedia(args, extension))
  return { file, folder: runFolder, probe: await probe(tools, file) }
}
const sine = (seconds: number) => ['-f', 'lavfi', '-i', `sine=d=${seconds}:r=44100`, '-ac', '2']

describe('one decode', () => {
  test('feeds every encoder completely, and is measured', async () => {
    const source = await recording(sine(3))
    const outputs = ['a', 'b', 'c'].map((name) => output(`${name}.m4a`))
    const { decoded, failures } = await encodeAll(tools, source, outputs, { isMetered: true })
    expect(failures.size).toBe(0)
    expect(decoded.durationSeconds).toBe(3)
    // A sine of ffmpeg's has an amplitude of an eighth, and is shared by two channels.
    expect(decoded.analysis?.sample_peak_dbfs).toBeCloseTo(-21.07, 1)
    const files = await Promise.all(outputs.map(({ fileName }) => Bun.file(join(source.folder, fileName)).bytes()))
    expect(files[1]).toEqual(files[0] as Uint8Array<ArrayBuffer>)
    expect(files[2]).toEqual(files[0] as Uint8Array<ArrayBuffer>)
    expect((await measure(files[0] ?? new Uint8Array())).durationSeconds).toBeCloseTo(3, 1)
  })

  test('an encoder that fails early or late does not affect the others', async () => {
    const source = await recording(sine(20))
    const broken = output('broken.m4a', { filters: ['nosuchfilter'] })
    const dying = output('dying.m4a', { args: ['-c:a', 'aac', '-fs', '1', '-f', 'nosuchformat'] })
    const { failures } = await encodeAll(tools, source, [broken, output('whole.m4a')])
    expect([...failures.keys()]).toEqual([broken])
    expect(failures.get(broken)).toBeInstanceOf(MediaError)
    const again = await encodeAll(tools, source, [output('whole.m4a'), dying])
    expect([...again.failures.keys()]).toEqual([dying])
    const whole = await measure(await Bun.file(join(source.folder, 'whole.m4a')).bytes())
    expect(whole.durationSeconds).toBeCloseTo(20, 1)
  })

  test('a file that is larger than planned fails, and no other', async () => {
    const source = await recording(sine(25))
    const wav = {
      args: ['-c:a', 'pcm_s32le', '-ar', '192000', '-ac', '6', '-f', 'wav'],
      codec: 'pcm_s32le',
      channels: 6,
    }
    const large = output('large.wav', { ...wav, bytesPerSecond: 0, clip: { startSeconds: 0, durationSeconds: 25 } })
    const { failures } = await encodeAll(tools, source, [large, output('a.m4a')])
    expect([...failures].map(([{ fileName }, { code }]) => [fileName, code])).toEqual([
      ['large.wav', 'output_too_large'],
    ])
  })

  test('a sound that is longer than allowed ends all programs', async () => {
    const source = await recording(sine(600), 'flac')
    const limited = { ...tools, maxSeconds: 5 }
    await expect(encodeAll(limited, source, [output('a.m4a')])).rejects.toMatchObject({ code: 'too_long' })
    expect(Bun.spawnSync(['ps', '-eo', 'args']).stdout.toString()).not.toInclude(source.folder)
  })

  test('a source that changes its rate and channels is decoded as one sound', async () => {
    const source = await recording(sine(1), 'mp3')
    const other = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1:r=22050', '-ac', '1'], 'mp3')
    await Bun.write(source.file, Buffer.concat([await Bun.file(source.file).bytes(), other]))
    const { decoded, failures } = await encodeAll(tools, source, [output('a.m4a')], { isMetered: true })
    expect(failures.size).toBe(0)
    expect(decoded.durationSeconds).toBeWithin(1.9, 2.15)
  })

  test('an abort leaves no programs running', async () => {
    const source = await recording(sine(600), 'flac')
    const abort = new AbortController()
    const onSeconds = () => abort.abort()
    const run = encodeAll(tools, { ...source, signal: abort.signal }, [output('a.m4a')], { onSeconds })
    await expect(run).rejects.toThrow(/abort/i)
    const running = () => Bun.spawnSync(['ps', '-eo', 'args']).stdout.toString().includes(source.folder)
    await until('the programs to end', 30_000, async () => !running())
  })

  test('a crashed decoder is a reason', async () => {
    const crash = join(folder, 'crashing-ffmpeg')
    await Bun.write(crash, '#!/bin/sh\nkill -SEGV $$\n')
    await chmod(crash, 0o755)
    const source = await recording(sine(1))
    const run = encodeAll({ ...tools, ffmpeg: crash }, source, [output('a.m4a')])
    await expect(run).rejects.toMatchObject({ name: 'MediaError', code: 'decoder_failed' })
  })
})

describe('the share of each core', () => {
  const efforts = (...of: number[]) => of.map((effort, i) => output(`${i}`, { effort }))
  const sums = (groups: AudioOutput[][]) =>
    groups.map((group) => group.reduce((sum, { effort }) => sum + effort, 0)).sort()

  test('is balanced', () => {
    expect(sums(shareOut(efforts(8, 4, 3, 1), 2))).toEqual([8, 8])
    expect(sums(shareOut(efforts(5, 5, 5), 2))).toEqual([10, 5].sort())
  })
  test('leaves cores to the programs of split files', () => {
    expect(sums(shareOut(efforts(4, 0.35), 2, 8))).toEqual([4.35])
    expect(sums(shareOut(efforts(4, 0.35), 8, 8))).toEqual([0.35, 4])
  })
  test('is empty without outputs, and one output each with enough cores', () => {
    expect(shareOut([], 2)).toEqual([])
    expect(shareOut([], 2, 8)).toEqual([])
    expect(shareOut(efforts(0), 2, 8)).toHaveLength(1)
    expect(shareOut(efforts(1, 2), 8)).toHaveLength(2)
  })
})

describe('a WAV stream', () => {
  const forms = [
    { codec: 'pcm_s16le', name: 'Int16Array', channels: 2 },
    { codec: 'pcm_s32le', name: 'Int32Array', channels: 1 },
    { codec: 'pcm_f32le', name: 'Float32Array', channels: 6 },
  ]
  test.each(forms)('of $codec is parsed equally in chunks of any size', async ({ codec, name, channels }) => {
    const args = ['-f', 'lavfi', '-i', 'sine=d=0.1:r=8000', '-ac', String(channels), '-c:a', codec]
    const bytes = await makeMedia(args, 'wav')
    const readIn = (size: number) => {
      const reader = wavReader()
      const values: number[] = []
      for (let at = 0; at < bytes.length; at += size) {
        const samples = reader.take(bytes.subarray(at, at + size))
        if (samples) expect(samples.constructor.name).toBe(name)
        if (samples) expect(samples.length % channels).toBe(0)
        values.push(...(samples ?? []))
      }
      return { format: reader.format, values }
    }
    const whole = readIn(bytes.length)
    expect(whole.format).toMatchObject({ sampleRate: 8000, channels })
    expect(whole.values).toHaveLength(800 * channels)
    for (const size of [1, 7, 64, 1001]) expect(readIn(size)).toEqual(whole)
  })
})
