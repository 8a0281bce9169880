// Recordings whose end is missing, and those that only look like it.
import { beforeAll, describe, expect, test } from 'bun:test'
import { makeMedia } from '../../support/audio.ts'
import { measureFile, type Processed, processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'
import { soundTools } from '../../support/tools.ts'

const service = useTestService(undefined, soundTools)
beforeAll(async () => {
  const { db } = service.services
  await db.variant.updateMany({ where: { index: { not: 'hq' } }, data: { deletedAt: new Date() } })
}, 60_000)

const SECONDS = 4
const noise = (seconds = SECONDS, rate = 44_100) => [
  ...['-f', 'lavfi', '-i', `anoisesrc=color=pink:sample_rate=${rate}:duration=${seconds}:amplitude=0.4:seed=1`],
  ...['-ac', '1'],
]
const makeSound = async (name: string, args: readonly string[] = [], seconds = SECONDS, rate = 44_100) =>
  Buffer.from(await makeMedia([...noise(seconds, rate), ...args], name.split('.').at(-1) ?? ''))
const cut = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.4))
const upload = (bytes: Buffer, name: string): Promise<Processed> => processed(service, new Uint8Array(bytes), name)
const stateOf = ({ track: { track_status_id: status, status_code: code } }: Processed) => [status, code]

const counted: { name: string; args?: string[]; rate?: number }[] = [
  { name: 'pcm.wav' },
  { name: 'deep.wav', args: ['-c:a', 'pcm_s24le'] },
  { name: 'adaptive.wav', args: ['-c:a', 'adpcm_ms'] },
  { name: 'layer3.wav', args: ['-c:a', 'libmp3lame'] },
  { name: 'long.wav', args: ['-rf64', 'always'] },
  { name: 'a.w64' },
  { name: 'pcm.caf' },
  { name: 'adaptive.caf', args: ['-c:a', 'adpcm_ima_qt'] },
  { name: 'constant.mp3', args: ['-b:a', '128k'] },
  { name: 'variable.mp3', args: ['-q:a', '4'] },
  { name: 'low.mp3', args: ['-q:a', '4'], rate: 22_050 },
  { name: 'a.au' },
  { name: 'a.aiff' },
  { name: 'a.flac' },
  { name: 'a.tta' },
  { name: 'a.wv' },
]

describe('a recording that announces more than it contains', () => {
  test.each(counted)(
    'is refused as truncated: $name',
    async ({ name, args, rate }) => {
      const whole = await makeSound(name, args, SECONDS, rate)
      expect(stateOf(await upload(whole, name))).toEqual(['ready', null])
      const result = await upload(cut(whole), name)
      expect(stateOf(result)).toEqual(['error', 'truncated'])
      const [, announced, contained] =
        /It announces ([\d.]+) seconds and contains ([\d.]+)\.$/.exec(result.track.status_text) ?? []
      expect(Math.abs(Number(announced) - SECONDS)).toBeLessThanOrEqual(0.1)
      expect(Number(contained)).toBeWithin(0.2 * SECONDS, 0.45 * SECONDS)
    },
    30_000,
  )

  test('is refused as truncated when its packet table is missing', async () => {
    expect(stateOf(await upload(cut(await makeSound('a.caf', ['-c:a', 'alac'])), 'a.caf'))).toEqual([
      'init_error',
      'truncated',
    ])
  }, 30_000)
})

/** Writes a size over the one at `at` bytes behind a name. */
function withSize(
  bytes: Buffer,
  name: string,
  at: number,
  size: bigint,
  write: 'writeUInt32LE' | 'writeBigUInt64LE' | 'writeBigUInt64BE',
) {
  const copy = Buffer.from(bytes)
  const offset = copy.indexOf(name) + at
  if (write === 'writeUInt32LE') copy.writeUInt32LE(Number(size), offset)
  else copy[write](size, offset)
  return copy
}
const wavOf = (size: number) => async () => withSize(await makeSound('a.wav'), 'data', 4, BigInt(size), 'writeUInt32LE')

const unknown: { name: string; make: () => Promise<Buffer> }[] = [
  { name: 'empty.wav', make: wavOf(0) },
  { name: 'ffmpeg.wav', make: wavOf(0xffff_ffff) },
  { name: 'sox.wav', make: wavOf(0x7fff_f000) },
  { name: 'arecord.wav', make: wavOf(0x7fff_ff00) },
  {
    name: 'ones.caf',
    make: async () => withSize(await makeSound('a.caf'), 'data', 4, 0xffff_ffff_ffff_ffffn, 'writeBigUInt64BE'),
  },
]

describe('a recording that announces nothing', () => {
  test.each(unknown)(
    'is processed completely: $name',
    async ({ name, make }) => {
      const result = await upload(await make(), name)
      expect(stateOf(result)).toEqual(['ready', null])
      expect(result.track.duration).toBeCloseTo(SECONDS, 2)
    },
    30_000,
  )

  test.each([
    { name: 'constant.mp3', args: ['-b:a', '128k', '-write_xing', '0'] },
    { name: 'variable.mp3', args: ['-q:a', '4', '-write_xing', '0'] },
    { name: 'a.aac', args: [] },
  ])(
    'is processed up to its end: $name',
    async ({ name, args }) => {
      const result = await upload(cut(await makeSound(name, args, SECONDS, 48_000)), name)
      expect(stateOf(result)).toEqual(['ready', null])
      expect(result.track.duration).toBeWithin(0.3 * SECONDS, 0.5 * SECONDS)
    },
    30_000,
  )
})

describe('a recording that lacks a little', () => {
  /** Without the last twentieth: 0.2 seconds. */
  const shorten = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.95))

  test.each([
    ...counted.filter(({ name }) => name !== 'a.tta' && name !== 'a.wv'),
    { name: 'lossless.m4a', args: ['-c:a', 'alac', '-movflags', '+faststart'] },
    { name: 'front.m4a', args: ['-c:a', 'aac', '-movflags', '+faststart'] },
    { name: 'opus.mka', args: ['-c:a', 'libopus'], rate: 48_000 },
  ])(
    'is ready, with a note: $name',
    async ({ name, args, rate }) => {
      const result = await upload(shorten(await makeSound(name, args, SECONDS, rate)), name)
      expect(stateOf(result)).toEqual(['ready', 'truncated'])
      expect(result.track.status_text).toMatch(/It announces [\d.]+ seconds and contains [\d.]+\. Upload/)
      expect(result.files.hq.is_success).toBe(true)
    },
    30_000,
  )

  test('is refused when half of it is missing, however short it is', async () => {
    const effect = await makeSound('a.wav', [], 0.6)
    expect(stateOf(await upload(cut(effect), 'a.wav'))).toEqual(['error', 'truncated'])
  }, 30_000)

  test('keeps its note when another file is made', async () => {
    const { id } = await upload(shorten(await makeSound('a.flac')), 'a.flac')
    const body = { variant_type_id: 'transcode', index: 'later', codec: 'mp3' }
    expect((await service.v1('POST', `/track/${id}/variant`, { body })).status).toBe(200)
    await service.runJobs()
    const { json } = await service.v1('GET', `/track/${id}`)
    expect([json.track.track_status_id, json.track.status_code]).toEqual(['ready', 'truncated'])
  }, 30_000)

  test('is ready, with a note, when a live recording ends within a block', async () => {
    const args = ['-c:a', 'libopus', '-live', '1']
    const whole = await makeSound('a.webm', args, SECONDS, 48_000)
    expect(stateOf(await upload(whole, 'a.webm'))).toEqual(['ready', null])
    const result = await upload(cut(whole), 'a.webm')
    expect(stateOf(result)).toEqual(['ready', 'truncated'])
    expect(result.track.duration).toBeWithin(0.3 * SECONDS, 0.5 * SECONDS)
  }, 30_000)
})

describe('a recording that contains more than it announces', () => {
  const [first, second] = [() => makeSound('a.mp3', ['-q:a', '4'], 4), () => makeSound('b.mp3', ['-q:a', '4'], 3)]

  test.each([
    { what: 'two MP3 files', seconds: 7, make: async () => Buffer.concat([await first(), await second()]) },
    {
      what: 'an MP3 file and half of another',
      seconds: 5.2,
      make: async () => Buffer.concat([await first(), cut(await second())]),
    },
    {
      what: 'an MP3 file and a little of another',
      seconds: 4.1,
      make: async () => Buffer.concat([await first(), (await second()).subarray(0, 2500)]),
    },
    {
      what: 'a WAV file with other chunks behind its sound',
      seconds: 4,
      make: async () => Buffer.concat([await makeSound('a.wav'), Buffer.alloc(999)]),
    },
  ])(
    'is processed completely: $what',
    async ({ make, seconds, what }) => {
      const result = await upload(await make(), what.includes('WAV') ? 'a.wav' : 'joined.mp3')
      expect(stateOf(result)).toEqual(['ready', null])
      expect(Math.abs(result.track.duration - seconds)).toBeLessThan(0.15)
      expect(Math.abs((await measureFile(service, result.files.hq)).durationSeconds - seconds)).toBeLessThan(0.15)
    },
    30_000,
  )

  test('is ready, with a note, when the header announces a few bytes too many', async () => {
    const bytes = await makeSound('a.wav')
    const result = await upload(withSize(bytes, 'data', 4, BigInt(bytes.length), 'writeUInt32LE'), 'a.wav')
    expect(stateOf(result)).toEqual(['ready', 'truncated'])
    expect(result.track.status_text).toMatch(/It announces 4\.\d{4} seconds and contains 4\.\d{4}\./)
    expect(result.files.hq.is_success).toBe(true)
  }, 30_000)
})

describe('an Ogg file without its end mark', () => {
  const streams = [
    { name: 'a.ogg', args: ['-c:a', 'libvorbis'], rate: 44_100 },
    { name: 'a.opus', args: ['-c:a', 'libopus'], rate: 48_000 },
    { name: 'flac.ogg', args: ['-c:a', 'flac'], rate: 44_100 },
    // FFmpeg 7.0 decodes Speex to twice its length.
    ...(/^n?7\.0\b/.test(soundTools.version) ? [] : [{ name: 'a.spx', args: ['-c:a', 'libspeex'], rate: 16_000 }]),
  ]

  test.each(streams)(
    'is ready, with a note: $name',
    async ({ name, args, rate }) => {
      const whole = await makeSound(name, args, SECONDS, rate)
      expect(stateOf(await upload(whole, name))).toEqual(['ready', null])
      const result = await upload(cut(whole), name)
      expect(stateOf(result)).toEqual(['ready', 'end_missing'])
      expect(result.track.status_text).toMatch(/may be missing/)
      expect(result.track.duration).toBeWithin(0.1 * SECONDS, 0.5 * SECONDS)
    },
    30_000,
  )

  test('keeps its note when another file is made', async () => {
    const { id } = await upload(cut(await makeSound('a.opus', ['-c:a', 'libopus'], SECONDS, 48_000)), 'a.opus')
    const body = { variant_type_id: 'transcode', index: 'later', codec: 'mp3' }
    expect((await service.v1('POST', `/track/${id}/variant`, { body })).status).toBe(200)
    await service.runJobs()
    const { json } = await service.v1('GET', `/track/${id}`)
    expect([json.track.track_status_id, json.track.status_code]).toEqual(['ready', 'end_missing'])
  }, 30_000)

  test('has no note when two complete streams follow each other', async () => {
    const whole = await makeSound('a.ogg', ['-c:a', 'libvorbis'])
    expect(stateOf(await upload(Buffer.concat([whole, whole]), 'a.ogg'))).toEqual(['ready', null])
  }, 30_000)
})
