import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveProps } from '../../../src/domain/variant/service.ts'
import { variantType } from '../../../src/domain/variant/types/index.ts'
import type { AudioPlan } from '../../../src/domain/variant/types/type.ts'
import { encodeAll } from '../../../src/platform/media/encode.ts'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/run.ts'
import { setExactLength } from '../../../src/platform/media/formats/mp4-length.ts'
import { measurePeaks } from '../../../src/platform/media/measure-peaks.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia } from '../../support/audio.ts'

let folder: string
let tools: Tools
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-length-'))
  tools = await findTools({})
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

const codecs = ['aac', 'mp3', 'opus'] as const

/** Encodes a tone with each codec as a transcode, and measures the results. @returns one pair for each sample */
async function lengthsOf(samples: number, sampleRate: number) {
  const scratch = await mkdtemp(join(folder, 'run-'))
  const file = join(scratch, 'sound.wav')
  const tone = ['-f', 'lavfi', '-i', `sine=r=${sampleRate}`, '-af', `atrim=end_sample=${samples}`]
  await Bun.write(file, await makeMedia(tone, 'wav'))
  const source = await probe(tools, file)
  const outputs = codecs.map((codec) => {
    const { plan } = variantType('transcode')
    const planned = plan(resolveProps('transcode', { codec }), source, samples / sampleRate) as AudioPlan
    return { ...planned, fileName: `sound.${planned.extension}`, codec: planned.codecName }
  })
  const { decoded } = await encodeAll(tools, { file, probe: source, folder: scratch }, outputs)
  await setExactLength(join(scratch, 'sound.m4a'))
  const { durationSeconds: seconds } = decoded
  const lengths = outputs.map(async ({ fileName }) => {
    const input = { args: ['-i', join(scratch, fileName)], stream: '0:a:0', filters: [], seconds }
    return (await measurePeaks(tools, input, { samplesPerPixel: 1, isSplit: false }, { cpuSeconds: 30 })).length
  })
  return Promise.all(lengths)
}

test.each([
  { samples: 1, rate: 48_000 },
  // The last of these frames have more padding than sound.
  { samples: 1025, rate: 48_000 },
  { samples: 1153, rate: 48_000 },
  { samples: 48_001, rate: 48_000 },
])('a waveform of $samples samples has a pair for each: AAC, MP3 and Opus', async ({ samples, rate }) => {
  expect(await lengthsOf(samples, rate)).toEqual([samples, samples, samples])
})

test('rounds the number of samples of a resampled sound up', async () => {
  expect(await lengthsOf(4001, 96_000)).toEqual([2001, 2001, 2001])
})
