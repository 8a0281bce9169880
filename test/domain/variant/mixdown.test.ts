import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveProps } from '../../../src/domain/variant/service.ts'
import { variantType } from '../../../src/domain/variant/types/index.ts'
import { encodeAll } from '../../../src/platform/media/encode.ts'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/run.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia } from '../../support/audio.ts'

let folder: string
let tools: Tools
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-mix-'))
  tools = await findTools({})
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** RMS of the middle of a file, without the fades of encoders. */
async function loudness(file: string): Promise<number> {
  const raw = await makeMedia(['-ss', '0.5', '-t', '1', '-i', file, '-f', 'f32le', '-c:a', 'pcm_f32le'], 'raw')
  const samples = new Float32Array(raw.buffer, 0, Math.floor(raw.length / 4))
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
}

/** A tone of amplitude 0.9 in every channel, encoded with each codec. */
async function mixed(
  channels: string | null,
  count: number,
  isStereo: boolean,
): Promise<[codec: string, rms: number][]> {
  const tones = Array(count).fill('0.9*sin(2*PI*440*t)').join('|')
  const source = join(folder, `${channels}.wav`)
  const layout = channels === null ? '' : `:c=${channels}`
  await Bun.write(source, await makeMedia(['-f', 'lavfi', '-i', `aevalsrc=${tones}:s=48000:d=2${layout}`], 'wav'))
  const sourceProbe = await probe(tools, source)
  const outputs = ['aac', 'mp3', 'ogg', 'opus'].map((codec) => {
    const props = resolveProps('transcode', { codec, bitrate: 192, is_stereo: isStereo })
    const plan = variantType('transcode').plan(props, sourceProbe, 2)
    if (plan.kind !== 'audio') throw new Error('a transcode is audio')
    const fileName = `${channels}-${isStereo}.${codec}.${plan.extension}`
    const { filters, args, effort, bytesPerSecond, codecName } = plan
    const output = {
      fileName,
      filters,
      args,
      effort,
      bytesPerSecond,
      codec: codecName,
      channels: plan.channels,
      clip: null,
    }
    return { codec, output }
  })
  const { failures } = await encodeAll(
    tools,
    { file: source, probe: sourceProbe, folder },
    outputs.map(({ output }) => output),
  )
  expect(failures.size).toBe(0)
  return Promise.all(
    outputs.map(
      async ({ codec, output }) => [codec, await loudness(join(folder, output.fileName))] as [string, number],
    ),
  )
}

test.each([
  ['stereo', 2, false],
  ['5.1', 6, true],
  // More channels than any usual layout, without a layout.
  [null, 10, true],
  [null, 16, false],
] as const)(
  'mixes layout %p with %d equal channels (stereo: %p) without clipping',
  async (channels, count, isStereo) => {
    for (const [codec, rms] of await mixed(channels, count, isStereo)) {
      // 0.9 divided by the square root of 2: the loudness of each channel, for every codec.
      expect(rms, codec).toBeWithin(0.6, 0.67)
    }
  },
)
