import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTrack, makeReady, unique } from '../../spec/support.ts'
import { codeOf, post, signIn } from '../../support/administrators.ts'
import { makeMedia, measure } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { type Json, startTestService, type TestService } from '../../support/service.ts'
import { FFMPEG, soundTools } from '../../support/tools.ts'
import { variantsAs } from '../../support/variants.ts'

let service: TestService
let variants: ReturnType<typeof variantsAs>
let folder: string
beforeAll(async () => {
  service = await startTestService({}, soundTools)
  variants = variantsAs(service, (await signIn(service)).token)
  folder = await mkdtemp(join(tmpdir(), 'tonearm-lossless-'))
  await service.services.db.variant.updateMany({ data: { deletedAt: new Date() } })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

const create = async (input: object): Promise<Json> =>
  (await variants.create({ variantTypeId: 'TRANSCODE', index: unique('v'), codec: 'flac', ...input })).variant

describe('a variant', () => {
  test('has a bit depth instead of a bit rate', async () => {
    expect((await create({})).props).toMatchObject({ codec: 'FLAC', bitrate: null, bitDepth: null, isStereo: true })
    const variant = await create({ bitDepth: 24, isStripTags: false })
    expect(variant.props).toMatchObject({ codec: 'FLAC', bitDepth: 24, isStripTags: false })
    const { json } = await service.v1('GET', `/variant/${variant.id}`)
    expect(json.variant.props).toEqual({
      codec: 'flac',
      bit_depth: 24,
      is_stereo: true,
      is_strip_tags: false,
      is_strip_cover: true,
    })
  })

  test.each([
    { input: { codec: 'flac', bitrate: 128 }, field: 'bitrate' },
    { input: { codec: 'aac', bitDepth: 16 }, field: 'bitDepth' },
  ])('rejects $field of a $input.codec transcode', async ({ input, field }) => {
    const answer = await variants.tryCreate({ variantTypeId: 'TRANSCODE', index: unique('v'), ...input })
    expect([codeOf(answer), answer.json.errors?.[0].message]).toEqual(['invalid_input', expect.stringContaining(field)])
  })

  test('drops the parameters of the other codec when its codec changes', async () => {
    const { id } = await create({ codec: 'mp3', bitrate: 192, isStripCover: false })
    const lossless = await variants.update(id, { codec: 'flac', bitDepth: 16 })
    expect(lossless.props).toMatchObject({ codec: 'FLAC', bitrate: null, bitDepth: 16, isStripCover: false })
    const lossy = await variants.update(id, { codec: 'opus' })
    expect(lossy.props).toMatchObject({ codec: 'OPUS', bitrate: 128, bitDepth: null, isStripCover: false })
  })

  test('is not available for a single track, nor as a preview (specification, section 8)', async () => {
    const { id } = await createTrack(service)
    await makeReady(service, id)
    for (const type of ['transcode', 'preview']) {
      const body = { variant_type_id: type, index: unique('v'), codec: 'flac' }
      const rest = await service.v1('POST', `/track/${id}/variant`, { body })
      expect([rest.status, rest.json.message]).toEqual([
        400,
        expect.stringContaining('lossless codecs are not allowed'),
      ])
      const mutation = `mutation ($id: ID!, $input: AddTrackVariantInput!) {
        addTrackVariant(trackId: $id, input: $input) { jobId } }`
      const input = { variantTypeId: type, index: unique('v'), codec: 'flac' }
      expect(codeOf(await post(service, mutation, { id, input }, { key: service.demo.api_key }))).toBe('invalid_input')
    }
    const preview = await variants.tryCreate({ variantTypeId: 'PREVIEW', index: unique('v'), codec: 'flac' })
    expect(codeOf(preview)).toBe('invalid_input')
  })
})

/** Decoded samples with 32 bits. */
async function samplesOf(bytes: ArrayBuffer | Uint8Array): Promise<Buffer> {
  const file = join(folder, crypto.randomUUID())
  await Bun.write(file, bytes)
  const args = ['-v', 'error', '-i', file, '-map', '0:a', '-c:a', 'pcm_s32le', '-f', 's32le', '-']
  const { stdout, stderr, exitCode } = Bun.spawnSync([FFMPEG, ...args], { maxBuffer: 256 << 20 })
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  return Buffer.from(stdout)
}

describe('a file', () => {
  const noise = (rate: number, channels: number) => [
    ...['-f', 'lavfi', '-i', `anoisesrc=d=1.2345:r=${rate}:seed=7:a=0.7`, '-ac', String(channels)],
  ]
  const codecs = {
    flac: { extension: 'flac', type: 'audio/flac', codecOf: () => 'flac' },
    alac: { extension: 'm4a', type: 'audio/mp4', codecOf: () => 'alac' },
    wav: { extension: 'wav', type: 'audio/wav', codecOf: (bits: number) => `pcm_s${bits}le` },
  }
  beforeAll(async () => {
    for (const codec of Object.keys(codecs)) await create({ codec, index: codec })
  })
  const contentOf = async ({ url }: Json) => {
    const answer = await service.fetchEdge(url)
    expect(answer.status).toBe(200)
    return { bytes: await answer.arrayBuffer(), type: answer.headers.get('content-type') }
  }
  const fileOf = async (sound: Uint8Array<ArrayBuffer>, name: string, variant = 'flac') => {
    const { files } = await processed(service, sound, name)
    return { file: files[variant], bytes: (await contentOf(files[variant])).bytes }
  }

  test.each([
    { what: 'WAV of 16 bits', extension: 'wav', rate: 44_100, channels: 2, args: ['-c:a', 'pcm_s16le'], bits: 16 },
    { what: 'WAV of 24 bits', extension: 'wav', rate: 96_000, channels: 2, args: ['-c:a', 'pcm_s24le'], bits: 24 },
    {
      what: 'mono FLAC of 24 bits',
      extension: 'flac',
      rate: 48_000,
      channels: 1,
      args: ['-sample_fmt', 's32'],
      bits: 24,
    },
    { what: 'WAV of 192 kHz', extension: 'wav', rate: 192_000, channels: 2, args: ['-c:a', 'pcm_s24le'], bits: 24 },
    { what: 'WAV of 8 kHz', extension: 'wav', rate: 8000, channels: 1, args: ['-c:a', 'pcm_s16le'], bits: 16 },
  ])(
    'of a $what has the same samples, in every codec',
    async ({ extension, rate, channels, args, bits }) => {
      const sound = await makeMedia([...noise(rate, channels), ...args], extension)
      const { files } = await processed(service, sound, `a.${extension}`)
      const expected = await samplesOf(sound)
      expect(expected.length).toBe(4 * channels * Math.round(1.2345 * rate))
      for (const [codec, { extension: suffix, type, codecOf }] of Object.entries(codecs)) {
        const file = files[codec]
        const content = await contentOf(file)
        expect(content.type).toBe(type)
        expect(Buffer.compare(await samplesOf(content.bytes), expected), codec).toBe(0)
        const measured = await measure(content.bytes)
        expect(measured).toMatchObject({ codec: codecOf(bits), sampleRate: rate, channels })
        expect(Math.abs(measured.durationSeconds - Math.round(1.2345 * rate) / rate)).toBeLessThan(0.000_001)
        expect(file).toMatchObject({ is_success: true, status_text: null, file_name: `a.${suffix}` })
        expect(file.path).toEndWith(`_${codec}.${suffix}`)
        expect(file.props).toMatchObject({ codec, bit_depth: bits, sample_rate: rate, channels })
        expect(Math.abs(file.props.bitrate - (file.size * 8) / 1.2345 / 1000)).toBeLessThan(1)
      }
    },
    30_000,
  )

  test('has the requested bit depth, and 16 bits of a lossy recording', async () => {
    const { index: coarse } = await create({ bitDepth: 16 })
    const { index: fine } = await create({ bitDepth: 24 })
    const lossy = await makeMedia(noise(44_100, 2), 'mp3')
    const { files } = await processed(service, lossy, 'a.mp3')
    expect(files.flac.props).toMatchObject({ bit_depth: 16, sample_rate: 44_100 })
    expect(files[fine].props.bit_depth).toBe(24)
    const deep = await makeMedia([...noise(48_000, 2), '-c:a', 'pcm_s24le'], 'wav')
    const { file, bytes } = await fileOf(deep, 'a.wav', coarse)
    expect(file.props.bit_depth).toBe(16)
    const samples = await samplesOf(bytes)
    expect(Array.from({ length: 1000 }, (_, i) => samples.readInt32LE(4 * i) & 0xffff)).toEqual(Array(1000).fill(0))
  }, 30_000)

  test('of a recording of one sample has this sample', async () => {
    const one = ['-f', 'lavfi', '-i', 'aevalsrc=0.5:s=48000:d=0.1,atrim=end_sample=1', '-c:a', 'pcm_s16le']
    const { files } = await processed(service, await makeMedia(one, 'wav'), 'one.wav')
    for (const codec of Object.keys(codecs)) {
      const samples = await samplesOf((await contentOf(files[codec])).bytes)
      expect([codec, samples.length, samples.readInt32LE(0)]).toEqual([codec, 4, 2 ** 30])
    }
  }, 30_000)

  test('of 16 bits keeps a tone of -90 dBFS free of distortion', async () => {
    const { index: coarse } = await create({ bitDepth: 16 })
    const soft = String.raw`aevalsrc='pow(10\,-90/20)*sin(2*PI*1000*t)':d=2:s=48000`
    const { bytes } = await fileOf(
      await makeMedia(['-f', 'lavfi', '-i', soft, '-c:a', 'pcm_s24le'], 'wav'),
      'a.wav',
      coarse,
    )
    const samples = await samplesOf(bytes)
    const level = (hz: number) => {
      let [cosine, sine] = [0, 0]
      for (let i = 0; i < 96_000; i++) {
        const sample = samples.readInt32LE(4 * i) / 2 ** 31
        cosine += sample * Math.cos((2 * Math.PI * hz * i) / 48_000)
        sine += sample * Math.sin((2 * Math.PI * hz * i) / 48_000)
      }
      return 20 * Math.log10(Math.hypot(cosine, sine) / 48_000)
    }
    expect(Math.abs(level(1000) - -90)).toBeLessThan(0.2)
    // -99 to -115 dBFS when samples are truncated.
    for (const harmonic of [3000, 5000, 7000]) expect(level(harmonic)).toBeLessThan(-125)
  }, 30_000)

  test('keeps tags and picture when requested', async () => {
    const { index: wholeIndex } = await create({ isStripTags: false, isStripCover: false })
    const picture = ['-f', 'lavfi', '-i', 'color=c=red:s=64x64:d=1:r=1', '-map', '0:a', '-map', '1:v', '-frames:v', '1']
    const attached = [...picture, '-c:v', 'mjpeg', '-disposition:v', 'attached_pic', '-metadata', 'title=Föhn']
    const sound = await makeMedia([...noise(44_100, 2), ...attached], 'mp3')
    const whole = await fileOf(sound, 'a.mp3', wholeIndex)
    const bare = await fileOf(sound, 'a.mp3')
    const { tags, hasCover } = await measure(whole.bytes)
    expect({ hasCover, title: tags.title ?? tags.TITLE }).toEqual({ hasCover: true, title: 'Föhn' })
    expect(Object.keys(tags).map((name) => name.toLowerCase())).toContain('replaygain_track_gain')
    const stripped = await measure(bare.bytes)
    expect([stripped.hasCover, stripped.tags.title ?? stripped.tags.TITLE]).toEqual([false, undefined])
    expect(Buffer.compare(await samplesOf(whole.bytes), await samplesOf(bare.bytes))).toBe(0)
  }, 30_000)
})
