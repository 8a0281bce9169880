import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseFile } from 'music-metadata'
import { encodeArgs } from '../../../src/domain/variant/types/audio.ts'
import type { LossyCodec } from '../../../src/domain/variant/types/codecs/index.ts'
import { preview } from '../../../src/domain/variant/types/preview.ts'
import { bareArgs, filterArgs } from '../../../src/platform/media/encode.ts'
import { setExactLength } from '../../../src/platform/media/formats/mp4-length.ts'
import type { Probe } from '../../../src/platform/media/probe.ts'
import { probeTags } from '../../support/tagged.ts'
import { FFMPEG, isOldFfmpeg } from '../../support/tools.ts'

const RATE = 48_000
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-gapless-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Coloured noise, which is like itself at no other place; the same at every run. */
function noise(length: number): Int16Array<ArrayBuffer> {
  let [seed, smooth] = [12_345, 0]
  return Int16Array.from({ length }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    smooth = 0.7 * smooth + 0.3 * ((2 * seed) / 0x7fffffff - 1)
    return 16_000 * smooth
  })
}

const sound = { codec: 'aac', bitrate: 128, is_stereo: true, is_strip_tags: true, is_strip_cover: true } as const
const probeOf = (samples: number): Probe => ({
  container: 'wav',
  codec: 'pcm_s16le',
  sampleRate: RATE,
  sampleFormat: 's16',
  channels: 1,
  channelLayout: 'mono',
  bitDepth: 16,
  announcedSeconds: null,
  paddingSeconds: 0,
  isTimed: false,
  isCut: false,
  containedShare: 1,
  lacksEnd: false,
  isHeard: true,
  bitRate: null,
  durationSeconds: samples / RATE,
  tags: {},
  audioStream: 0,
  chapters: [],
  coverStream: null,
})

/** All output options for a file, as the engine puts them together. */
const listArgs = ({ filters, args }: { filters: readonly string[]; args: readonly string[] }) => [
  ...filterArgs(filters),
  ...args,
  ...bareArgs,
]

interface Encoded {
  file: string
  /** Decoded by ffmpeg. */
  decoded: Int16Array<ArrayBuffer>
}

/** Encodes each of these as the service does, in one run of ffmpeg, and decodes them in another. */
async function encodedAll(sounds: { samples: Int16Array<ArrayBuffer>; args: readonly string[] }[], extension: string) {
  const name = (i: number, suffix: string) => join(run, `${i}.${suffix}`)
  const run = await mkdtemp(join(folder, 'run-'))
  await Promise.all(sounds.map(({ samples }, i) => Bun.write(name(i, 'raw'), samples)))
  const inputs = sounds.flatMap((_, i) => ['-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', name(i, 'raw')])
  ffmpeg([...inputs, ...sounds.flatMap(({ args }, i) => ['-map', `${i}:a`, ...args, name(i, extension)])])
  if (extension === 'm4a') await Promise.all(sounds.map((_, i) => setExactLength(name(i, extension))))
  const plain = (i: number) => ['-map', `${i}:a`, '-f', 's16le', '-c:a', 'pcm_s16le', name(i, 'pcm')]
  ffmpeg([...sounds.flatMap((_, i) => ['-i', name(i, extension)]), ...sounds.flatMap((_, i) => plain(i))])
  return Promise.all(
    sounds.map(async (_, i): Promise<Encoded> => {
      const decoded = new Int16Array(await Bun.file(name(i, 'pcm')).arrayBuffer())
      return { file: name(i, extension), decoded }
    }),
  )
}

async function encoded(samples: Int16Array<ArrayBuffer>, args: readonly string[], extension: string) {
  const [encodedFile] = await encodedAll([{ samples, args }], extension)
  if (!encodedFile) throw new Error('nothing was encoded')
  return encodedFile
}

function ffmpeg(args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([FFMPEG, '-v', 'error', '-y', ...args])
  if (exitCode !== 0) throw new Error(stderr.toString())
}

/** Number of samples that `decodedSamples` is late against `from` of `original`. */
function lag(original: Int16Array, decodedSamples: Int16Array, from = 0): number {
  let [best, most] = [0, Number.NEGATIVE_INFINITY]
  for (let shift = -1500; shift <= 1500; shift++) {
    let likeness = 0
    for (let at = 3000; at < 5000; at++) likeness += (original[from + at] ?? 0) * (decodedSamples[at + shift] ?? 0)
    if (likeness > most) [best, most] = [shift, likeness]
  }
  return best
}

const AAC_FRAME = 1024
const OPUS_PRE_SKIP = 312
/** Before FFmpeg 5.0 the end of the last Vorbis block and of the only Opus packet is not cut off. */
const [VORBIS_EXCESS, OPUS_EXCESS] = isOldFfmpeg ? [128, OPUS_PRE_SKIP] : [0, 0]
/**
 * The number of samples that ffmpeg decodes. Its AAC decoder does not cut the padding at the end and gives whole frames;
 * MP4's edit list, which players cut by, is exact. A sound shorter than a page of Vorbis keeps its padding. What the last
 * page of an Ogg file states is exact, even where ffmpeg reads another one: see "the last page states".
 */
const decodes: Record<LossyCodec, (samples: number) => { min: number; max: number }> = {
  aac: (samples) => ({ min: samples, max: Math.ceil(samples / AAC_FRAME) * AAC_FRAME }),
  mp3: (samples) => ({ min: samples, max: samples === 1 ? 1152 : samples }),
  ogg: (samples) =>
    samples < RATE / 5 ? { min: samples - 128, max: samples + 128 } : { min: samples, max: samples + VORBIS_EXCESS },
  opus: (samples) => ({ min: samples, max: samples === 1 ? samples + OPUS_EXCESS : samples }),
}
const MP3_DELAY = 1105
/**
 * Lengths as ffprobe and music-metadata report them: both that of all frames of an MP3, ffprobe that of Opus with what is
 * skipped, music-metadata that of MP4 without its edit list.
 */
const lengths: Record<LossyCodec, (samples: number) => { ffprobe: number; player: number }> = {
  aac: (samples) => ({ ffprobe: samples, player: samples + AAC_FRAME }),
  mp3: (samples) => {
    const frames = Math.max(2, Math.ceil((samples + MP3_DELAY) / 1152)) * 1152
    return { ffprobe: frames, player: frames }
  },
  ogg: (samples) => ({ ffprobe: samples, player: samples }),
  opus: (samples) => ({ ffprobe: samples + OPUS_PRE_SKIP, player: samples }),
}

describe.each(['aac', 'mp3', 'ogg', 'opus'] as const)('%s', (codec) => {
  const counts = [1, 1023, 1024, 1025, 44_100, 123_457]
  let encodedFiles: Encoded[] = []
  beforeAll(async () => {
    const sounds = counts.map((count) => ({
      samples: noise(count),
      args: listArgs(encodeArgs({ ...sound, codec }, probeOf(count))),
    }))
    encodedFiles = await encodedAll(sounds, encodeArgs({ ...sound, codec }, probeOf(RATE)).extension)
  }, 60_000)

  test.each(counts.map((count, i) => ({ count, i })))('$count samples keep their number', ({ count, i }) => {
    const { min, max } = decodes[codec](count)
    const length = encodedFiles[i]?.decoded.length
    expect(length).toBeGreaterThanOrEqual(min)
    expect(length).toBeLessThanOrEqual(max)
  })

  test('the first sample stays first', () => {
    expect(lag(noise(123_457), encodedFiles.at(-1)?.decoded ?? new Int16Array())).toBe(0)
  })

  test.each([
    { count: 1, i: 0 },
    { count: 44_100, i: 4 },
    { count: 123_457, i: 5 },
  ])('declares the length of $count samples', async ({ count, i }) => {
    const file = encodedFiles[i]?.file ?? ''
    const { ffprobe, player } = lengths[codec](count)
    expect(Number(probeTags(file).audio.duration)).toBeCloseTo(ffprobe / RATE, 4)
    if (count === 1) return
    expect((await parseFile(file, { duration: true })).format.duration).toBeCloseTo(player / RATE, 3)
  })

  test('a preview begins on its sample', async () => {
    const original = noise(3 * RATE)
    const props = {
      ...sound,
      codec,
      preview_type: 'percent' as const,
      preview_percent: 50,
      preview_start_percent: 33.3,
    }
    const plan = preview.plan(
      { ...props, preview_min_seconds: 0, preview_max_seconds: 90 },
      probeOf(original.length),
      3,
    )
    if (plan.kind !== 'audio') throw new Error('a preview is sound')
    const { decoded } = await encoded(original, listArgs(plan), plan.extension)
    expect(lag(original, decoded, Math.round(0.999 * RATE))).toBe(0)
    const { min, max } = decodes[codec](1.5 * RATE)
    expect(decoded.length).toBeGreaterThanOrEqual(min)
    expect(decoded.length).toBeLessThanOrEqual(max)
  })
})

describe.each([
  { codec: 'ogg', skipped: 0 },
  { codec: 'opus', skipped: OPUS_PRE_SKIP },
] as const)('the last page of $codec states', ({ codec, skipped }) => {
  test.each([1, 1025, 44_100, 123_457])('%d samples exactly', async (count) => {
    const plan = encodeArgs({ ...sound, codec }, probeOf(count))
    const { file } = await encoded(noise(count), listArgs(plan), plan.extension)
    const bytes = Buffer.from(await Bun.file(file).arrayBuffer())
    // The granule position, 6 bytes into a page (RFC 3533, section 6). Opus counts its pre-skip (RFC 7845, section 4).
    expect(Number(bytes.readBigInt64LE(bytes.lastIndexOf('OggS') + 6))).toBe(count + skipped)
  })
})

test.each([
  { rate: 8000, samples: 1, least: 32 },
  { rate: 8000, samples: 31, least: 32 },
  { rate: 8000, samples: 32, least: null },
  { rate: 192_000, samples: 191, least: 192 },
  { rate: 192_000, samples: 192, least: null },
])('$samples samples of $rate Hz have enough for a resampler', ({ rate, samples, least }) => {
  const probe = { ...probeOf(samples), sampleRate: rate, durationSeconds: samples / rate }
  const { filters } = encodeArgs({ ...sound, codec: 'opus' }, probe)
  expect(filters).toEqual(least === null ? [] : [`apad=whole_len=${least}`])
})

test('mp3 has a constant bit rate, and its first frame declares delay and padding', async () => {
  const plan = encodeArgs({ ...sound, codec: 'mp3' }, probeOf(RATE))
  const { file } = await encoded(noise(RATE), listArgs(plan), plan.extension)
  const bytes = Buffer.from(await Bun.file(file).arrayBuffer())
  // `Info`, not `Xing`: the sign of a constant bit rate. 12 bits each of delay and padding stand 141 bytes behind it.
  const info = bytes.indexOf('Info')
  const [delay, padding] = [bytes.readUInt16BE(info + 141) >> 4, bytes.readUInt16BE(info + 142) & 0xfff]
  expect(delay).toBe(576)
  expect((RATE + delay + padding) % 1152).toBe(0)
  expect(bytes.indexOf('Xing')).toBe(-1)
})

test('m4a has its index at the front, and one edit that skips exactly the delay', async () => {
  const plan = encodeArgs(sound, probeOf(44_101))
  const { file } = await encoded(noise(44_101), listArgs(plan), plan.extension)
  const bytes = Buffer.from(await Bun.file(file).arrayBuffer())
  expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
  const edits = bytes.indexOf('elst')
  const [count, length, start] = [8, 12, 16].map((at) => bytes.readUInt32BE(edits + at))
  expect({ count, length, start }).toEqual({ count: 1, length: 44_101, start: AAC_FRAME })
  // Counted in the time scale of the whole.
  expect(bytes.readUInt32BE(bytes.indexOf('mvhd') + 16)).toBe(RATE)
})
