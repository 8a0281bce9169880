import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeAll } from '../../../src/platform/media/encode.ts'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/run.ts'
import { type Levels, levelsArgs, measureLevels } from '../../../src/platform/media/levels.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia } from '../../support/audio.ts'

const RATE = 8000
let folder: string
let tools: Tools
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-levels-'))
  tools = await findTools({})
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The levels of a mono signal at the rate at which they are measured. */
async function ofSamples(samples: Float32Array<ArrayBuffer>, count: number): Promise<Levels> {
  const [samplesFile, raw] = [join(folder, `${crypto.randomUUID()}.f32`), join(folder, `${crypto.randomUUID()}.raw`)]
  await Bun.write(samplesFile, samples)
  const input = ['-f', 'f32le', '-ar', String(RATE), '-ac', '1', '-i', samplesFile]
  await Bun.write(raw, samples.length > 0 ? await makeMedia([...input, ...levelsArgs], 'raw') : '')
  return measureLevels(raw, count)
}
const signal = (length: number, at: (i: number) => number) => Float32Array.from({ length }, (_, i) => at(i))

/** The levels of a recording, through the decoder. `expression` is ffmpeg's, one for each channel. */
async function ofSound(expression: string, count: number, extra: string[] = [], extension = 'wav'): Promise<Levels> {
  const scratch = await mkdtemp(join(folder, 'run-'))
  const file = join(scratch, `sound.${extension}`)
  const input = `aevalsrc=${expression}:s=44100:d=2`
  await Bun.write(file, await makeMedia(['-f', 'lavfi', '-i', input, ...extra], extension))
  const { decoded } = await encodeAll(tools, { file, probe: await probe(tools, file), folder: scratch }, [])
  return measureLevels(decoded.rawFile, count)
}

describe('RMS of equal spans (contract, section 9)', () => {
  test('a constant is its own RMS', async () => {
    const { levels, avg, max, min, ...rest } = await ofSamples(
      signal(RATE, () => 0.5),
      4,
    )
    expect(levels).toEqual([0.5, 0.5, 0.5, 0.5])
    expect({ avg, max, min }).toEqual({ avg: 0.5, max: 0.5, min: 0.5 })
    expect(rest).toEqual({ metric: 'rms', resample: 8000, num_samples: 4 })
  })

  test('a sine has its amplitude over the root of two, four decimals', async () => {
    const sine = signal(RATE * 3, (i) => 0.8 * Math.sin((2 * Math.PI * 400 * i) / RATE))
    const { levels } = await ofSamples(sine, 3)
    expect(levels).toEqual([0.5657, 0.5657, 0.5657])
  })

  test('each span is measured separately', async () => {
    const steps = signal(800, (i) => [0, 0.25, -0.5, 1][Math.floor(i / 200)] ?? 0)
    expect(await ofSamples(steps, 4)).toMatchObject({ levels: [0, 0.25, 0.5, 1], avg: 0.4375, max: 1, min: 0 })
  })

  test('spans that do not divide evenly cover every sample once', async () => {
    const { levels } = await ofSamples(
      signal(1003, (i) => (i < 1002 ? 0 : 1)),
      10,
    )
    expect(levels.slice(0, 9)).toEqual(Array(9).fill(0))
    // The last span has 100 or 101 samples, one of them at full scale.
    expect(levels[9]).toBeCloseTo(0.1, 2)
  })

  test('more spans than samples: the requested number of finite values', async () => {
    const { levels } = await ofSamples(
      signal(5, () => 0.5),
      320,
    )
    expect(levels).toHaveLength(320)
    expect(levels.every((level) => level === 0 || level === 0.5)).toBe(true)
    expect(levels.filter((level) => level === 0.5).length).toBeGreaterThanOrEqual(5)
  })

  test('an empty signal is silence', async () => {
    expect(await ofSamples(new Float32Array(0), 3)).toMatchObject({ levels: [0, 0, 0], avg: 0, max: 0, min: 0 })
  })

  test('a signal longer than any read buffer is split exactly', async () => {
    const long = signal(RATE * 60, (i) => (i < RATE * 20 ? 0.1 : i < RATE * 40 ? 0.2 : 0.3))
    expect((await ofSamples(long, 3)).levels).toEqual([0.1, 0.2, 0.3])
  })
})

describe('of a decoded recording', () => {
  const sine = (amplitude: number) => `${amplitude}*sin(2*PI*440*t)`
  const near = (levels: Levels, expected: number) => {
    for (const level of levels.levels) expect(level).toBeCloseTo(expected, 2)
  }

  test('mono', async () => near(await ofSound(sine(0.5), 8), 0.3536))

  test('the same in both channels is as loud as in one: 1 stays full scale', async () => {
    near(await ofSound(`${sine(0.5)}|${sine(0.5)}`, 8), 0.3536)
  })

  test('also for a decoder with float samples', async () => {
    const both = `${sine(0.5)}|${sine(0.5)}`
    near(await ofSound(both, 4, ['-c:a', 'pcm_f32le']), 0.3536)
    const { levels } = await ofSound(both, 4, ['-c:a', 'aac', '-b:a', '192k'], 'm4a')
    // The encoder fades in.
    expect(levels).toHaveLength(4)
    expect(levels.filter((level) => !(level >= 0.33 && level < 0.37))).toEqual([])
  })

  test('one channel of two is half of it', async () => near(await ofSound(`${sine(0.5)}|0`, 8), 0.1768))

  test('opposite channels cancel out', async () => near(await ofSound(`${sine(0.5)}|-${sine(0.5)}`, 8), 0))

  test('loud in both channels does not clip', async () => {
    near(await ofSound(`${sine(0.97)}|${sine(0.97)}`, 8), 0.6859)
  })

  test('silence, then sound', async () => {
    const { levels, max, min, avg } = await ofSound("'if(lt(t,1),0,0.4*sin(2*PI*440*t))'", 4)
    expect(levels.slice(0, 2).every((level) => level < 0.01)).toBe(true)
    expect(levels.slice(2).every((level) => Math.abs(level - 0.2828) < 0.01)).toBe(true)
    expect(max).toBe(Math.max(...levels))
    expect(min).toBe(Math.min(...levels))
    expect(avg).toBeCloseTo(levels.reduce((sum, level) => sum + level, 0) / 4, 3)
  })
})
