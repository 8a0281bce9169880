import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AudioOutput, encodeAll } from '../../../src/platform/media/encode.ts'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/tools.ts'
import { adtsReader } from '../../../src/platform/media/formats/adts.ts'
import { setExactLength } from '../../../src/platform/media/formats/mp4-length.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia, measure } from '../../support/audio.ts'

let folder: string
let tools: Tools
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-split-'))
  tools = await findTools({})
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const FRAME = 1024
const PART = 960
const RATE = 32_000
const container = ['-movflags', '+faststart', '-f', 'ipod']

function output(fileName: string, more: Partial<AudioOutput> = {}): AudioOutput {
  const encoder = ['-c:a', 'aac', '-b:a', '64k', '-ac', '1', '-ar', String(RATE)]
  const args = { args: [...encoder, ...container], parts: { encoder, container, sampleRate: RATE } }
  return {
    fileName,
    filters: [],
    effort: 8,
    bytesPerSecond: 8000,
    codec: 'aac',
    channels: 1,
    clip: null,
    ...args,
    ...more,
  }
}

/** Tones, clicks and noise. @param samples length */
async function recording(samples: number) {
  const runFolder = await mkdtemp(join(folder, 'run-'))
  const file = join(runFolder, 'source.wav')
  const sound = `aevalsrc=0.3*sin(2*PI*(300+20*t)*t)+0.4*exp(-40*mod(t\\,0.7))*sin(2*PI*900*t)+0.05*(random(0)-0.5):s=${RATE}`
  const cut = ['-af', `atrim=end_sample=${samples}`]
  await Bun.write(file, await makeMedia(['-f', 'lavfi', '-i', `${sound}:d=${samples / RATE + 1}`, ...cut], 'wav'))
  return { file, folder: runFolder, probe: await probe(tools, file) }
}
type Recording = Awaited<ReturnType<typeof recording>>

/** Encodes on some cores. @returns local path */
async function encoded(source: Recording, cores: number, more: Partial<AudioOutput> = {}): Promise<string> {
  const target = output(`on-${cores}.m4a`, more)
  const { failures } = await encodeAll(tools, source, [target], { cores })
  expect([...failures.values()]).toEqual([])
  const file = join(source.folder, target.fileName)
  await setExactLength(file)
  return file
}

const raw = ['-f', 'f32le', '-c:a', 'pcm_f32le']
async function samplesOf(file: string): Promise<Float32Array> {
  return new Float32Array((await makeMedia(['-i', file, ...raw], 'raw')).buffer)
}

/** Power of the difference to the recording, of each frame. */
function noiseOf(decoded: Float32Array, original: Float32Array): number[] {
  return Array.from({ length: Math.floor(original.length / FRAME) }, (_, frame) => {
    let sum = 0
    for (let i = frame * FRAME; i < (frame + 1) * FRAME; i++) sum += ((decoded[i] ?? 0) - (original[i] ?? 0)) ** 2
    return sum / FRAME
  })
}
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

test('a file of several programs is as long and as exact as that of one, at the joints too', async () => {
  const source = await recording(4 * PART * FRAME + 5000)
  const [one, three] = [await encoded(source, 1), await encoded(source, 3)]
  const [original, alone, joined] = [await samplesOf(source.file), await samplesOf(one), await samplesOf(three)]
  expect(joined.length).toBe(alone.length)
  expect((await measure(await Bun.file(three).bytes())).durationSeconds).toBeCloseTo(original.length / RATE, 5)
  const [noiseAlone, noiseJoined] = [noiseOf(alone, original), noiseOf(joined, original)]
  expect(meanOf(noiseJoined) / meanOf(noiseAlone)).toBeWithin(0.8, 1.25)
  for (let joint = PART; joint < noiseJoined.length; joint += PART) {
    const near = [joint - 3, joint + 3] as const
    // Rate control makes single frames differ as much anywhere. A joint that is wrong differs by the sound itself.
    expect(meanOf(noiseJoined.slice(...near)) / meanOf(noiseAlone.slice(...near))).toBeLessThan(8)
  }
}, 120_000)

test.each([
  { name: 'exactly at the end of a part', samples: 2 * PART * FRAME },
  { name: 'one sample later', samples: 2 * PART * FRAME + 1 },
  { name: 'with the sound that an encoder looks ahead for', samples: (2 * PART + 2) * FRAME },
  { name: 'one sample after that', samples: (2 * PART + 2) * FRAME + 1 },
])(
  'a recording that ends $name keeps all its frames',
  async ({ samples }) => {
    const source = await recording(samples)
    const [one, two] = [await encoded(source, 1), await encoded(source, 2)]
    expect((await samplesOf(two)).length).toBe((await samplesOf(one)).length)
    expect((await measure(await Bun.file(two).bytes())).durationSeconds).toBeCloseTo(samples / RATE, 5)
    const original = await samplesOf(source.file)
    const [alone, joined] = [noiseOf(await samplesOf(one), original), noiseOf(await samplesOf(two), original)]
    expect(meanOf(joined) / meanOf(alone)).toBeWithin(0.8, 1.25)
  },
  60_000,
)

test.each([
  { name: 'filters that keep state', more: { filters: ['highpass=f=100'] } },
  { name: 'another sample rate', more: { args: ['-c:a', 'aac', '-ar', '24000', ...container], parts: null } },
])(
  'a file with $name is encoded by one program',
  async ({ more }) => {
    const source = await recording(RATE * 65)
    const [one, two] = [await encoded(source, 1, more), await encoded(source, 2, more)]
    expect(await Bun.file(two).bytes()).toEqual(await Bun.file(one).bytes())
  },
  60_000,
)

test('a program that fails fails its file alone', async () => {
  const source = await recording(RATE * 65)
  const encoder = ['-c:a', 'aac', '-b:a', '64k', '-nosuchoption', '1']
  const broken = output('broken.m4a', { parts: { encoder, container, sampleRate: RATE } })
  const whole = output('whole.m4a')
  const { failures } = await encodeAll(tools, source, [broken, whole], { cores: 4 })
  expect([...failures.keys()]).toEqual([broken])
  expect((await measure(await Bun.file(join(source.folder, 'whole.m4a')).bytes())).durationSeconds).toBeCloseTo(65, 1)
}, 60_000)

test('an ADTS stream is cut into the same frames, however its chunks are cut', async () => {
  const bytes = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1', '-c:a', 'aac', '-f', 'adts'], 'aac')
  const whole = adtsReader().take(bytes)
  const reader = adtsReader()
  const frames = Array.from({ length: Math.ceil(bytes.length / 5) }, (_, i) =>
    bytes.subarray(5 * i, 5 * i + 5),
  ).flatMap((chunk) => reader.take(chunk))
  expect(Buffer.concat(frames)).toEqual(Buffer.from(bytes))
  expect(frames.map(({ length }) => length)).toEqual(whole.map(({ length }) => length))
  expect(() => adtsReader().take(new Uint8Array(100))).toThrow('not an ADTS stream')
}, 30_000)
