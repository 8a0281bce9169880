import { beforeAll, describe, expect, test } from 'bun:test'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import { measureImage } from '../../support/image.ts'
import { heardSeconds, measureFile, processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'
import { soundTools } from '../../support/tools.ts'

const service = useTestService(undefined, soundTools)
beforeAll(async () => {
  for (const [index, codec] of [
    ['as_mp3', 'mp3'],
    ['as_ogg', 'ogg'],
  ] as const) {
    await insertVariant(service.services.db, {
      organizationId: service.demo.organization_id,
      trackId: null,
      type: 'transcode',
      index,
      props: resolveProps('transcode', { codec, bitrate: 128 }),
    })
  }
}, 60_000)

/** Noise, so that encoders need the bits that they are given. */
const source = (seconds: number, rate = 44_100) => [
  ...['-f', 'lavfi', '-i', `anoisesrc=color=pink:sample_rate=${rate}:duration=${seconds}:amplitude=0.4:seed=1`],
]
const noise = (seconds: number, channels: string, rate = 44_100) => [
  ...source(seconds, rate),
  ...['-af', `aformat=channel_layouts=${channels}`],
]

interface Case {
  name: string
  seconds: number
  channels: number
  container: RegExp
  codec: string
  sampleRate: number
  make: () => Promise<Uint8Array<ArrayBuffer>>
}
const cover = ['-f', 'lavfi', '-i', 'testsrc2=size=3000x3000:rate=1:duration=1']
const cases: Case[] = [
  {
    name: 'a.wav',
    seconds: 2,
    channels: 2,
    container: /wav/,
    codec: 'pcm_s16le',
    sampleRate: 44_100,
    make: () => makeMedia(noise(2, 'stereo'), 'wav'),
  },
  {
    name: 'a.m4a',
    seconds: 2,
    channels: 2,
    container: /mp4/,
    codec: 'aac',
    sampleRate: 44_100,
    make: () => makeMedia([...noise(2, 'stereo'), '-c:a', 'aac', '-b:a', '160k'], 'm4a'),
  },
  {
    name: 'a.flac',
    seconds: 2,
    channels: 2,
    container: /flac/,
    codec: 'flac',
    sampleRate: 96_000,
    make: () =>
      makeMedia(
        [...noise(2, 'stereo', 96_000), '-c:a', 'flac', '-sample_fmt', 's32', '-bits_per_raw_sample', '24'],
        'flac',
      ),
  },
  {
    name: 'a.opus',
    seconds: 2,
    channels: 2,
    container: /ogg/,
    codec: 'opus',
    sampleRate: 48_000,
    make: () => makeMedia([...noise(2, 'stereo', 48_000), '-c:a', 'libopus', '-b:a', '96k'], 'opus'),
  },
  {
    name: 'a.ogg',
    seconds: 2,
    channels: 1,
    container: /ogg/,
    codec: 'vorbis',
    sampleRate: 44_100,
    make: () => makeMedia([...noise(2, 'mono'), '-c:a', 'libvorbis', '-q:a', '4'], 'ogg'),
  },
  {
    name: 'a.mp3',
    seconds: 2,
    channels: 2,
    container: /mp3/,
    codec: 'mp3',
    sampleRate: 44_100,
    make: () =>
      makeMedia(
        [
          ...[...source(2), ...cover, '-map', '0:a', '-map', '1:v', '-c:v', 'mjpeg', '-frames:v', '1', '-ac', '2'],
          ...['-c:a', 'libmp3lame', '-b:a', '160k', '-id3v2_version', '3', '-disposition:v', 'attached_pic'],
          ...['-metadata', 'title=Ünï ☂', '-metadata', 'artist=Someone'],
        ],
        'mp3',
      ),
  },
  {
    name: 'phone.wav',
    seconds: 2.4,
    channels: 1,
    container: /wav/,
    codec: 'pcm_s16le',
    sampleRate: 8000,
    make: () => makeMedia(noise(2.4, 'mono', 8000), 'wav'),
  },
  {
    name: 'surround.wav',
    seconds: 2,
    channels: 6,
    container: /wav/,
    codec: 'pcm_s16le',
    sampleRate: 48_000,
    make: () => makeMedia(noise(2, '5.1', 48_000), 'wav'),
  },
]

/** index, ffprobe's codec, kbps asked for, most channels, extension. */
const outputs: [index: string, codec: string, kbps: number, type: string, extension: string][] = [
  ['hq', 'aac', 192, 'audio/mp4', 'm4a'],
  ['lq', 'opus', 64, 'audio/ogg', 'opus'],
  ['as_mp3', 'mp3', 128, 'audio/mpeg', 'mp3'],
  ['as_ogg', 'vorbis', 128, 'audio/ogg', 'ogg'],
  ['preview', 'mp3', 128, 'audio/mpeg', 'mp3'],
]
const TOLERANCE_SECONDS = 0.05

describe('every recording becomes ready, and each file matches its variant', () => {
  test.each(cases)(
    '$name',
    async ({ name, make, seconds, channels, container, codec }) => {
      const bytes = await make()
      const { track, files } = await processed(service, bytes, name)
      expect(track).toMatchObject({ track_status_id: 'ready', status_text: null })
      expect(Math.abs(track.duration - seconds)).toBeLessThan(TOLERANCE_SECONDS)
      expect(track.info).toMatchObject({ codec, channels })
      expect(track.info.container).toMatch(container)
      expect(track.files_completed_at).not.toBeNull()

      for (const [index, expected, kbps, type, extension] of outputs) {
        const file = files[index]
        const about = `${name} ${index}`
        expect(file, about).toMatchObject({ is_success: true, content_type: type })
        expect(file.path).toEndWith(`_${index}.${extension}`)
        const figures = await measureFile(service, file)
        expect([about, figures.codec, figures.channels]).toEqual([about, expected, Math.min(2, channels)])
        const length = index === 'preview' ? Math.max(1, seconds / 2) : seconds
        // ffprobe before 6 counts the padding of an MP3 that every player skips: what is heard is decoded.
        const isExact = Math.abs(figures.durationSeconds - length) < TOLERANCE_SECONDS
        const playedSeconds =
          isExact || expected !== 'mp3' ? figures.durationSeconds : await heardSeconds(service, file)
        expect(Math.abs(playedSeconds - length), `${about}: ${playedSeconds} s`).toBeLessThan(TOLERANCE_SECONDS)
        expect(Math.abs(figures.durationSeconds - length), about).toBeLessThan(0.075)
        const isMono = channels === 1
        // Encoders with a variable rate spend less on one channel, and on a bandwidth of 4 kHz.
        expect(figures.bitRate / 1000, about).toBeWithin(kbps * (isMono ? 0.2 : 0.6), kbps * 1.35)
      }
      const preview = files.preview.data
      expect(preview.duration).toBeCloseTo(Math.max(1, seconds / 2), 1)
      expect(preview.capture_start).toBeCloseTo(seconds / 4, 1)
      expect(preview.capture_end).toBeCloseTo(preview.capture_start + preview.duration, 2)
      expect(files.waveform.data).toMatchObject({ num_samples: 320, resample: 8000, metric: 'rms' })
      expect(files.waveform.data.levels).toHaveLength(320)
      expect(files.original).toMatchObject({ size: bytes.length, data: null, file_name: name })
      expect(files.original.props).toMatchObject({ codec, bitrate: expect.any(Number) })
      expect('cover' in files).toBe(name === 'a.mp3')
    },
    60_000,
  )
})

test('reads tags and cover, strips them from files, and keeps them on request', async () => {
  const { id, track, files } = await processed(
    service,
    (await cases.find(({ name }) => name === 'a.mp3')?.make()) ?? new Uint8Array(),
    'b.mp3',
  )
  expect(track.info.tags).toMatchObject({ title: 'Ünï ☂', artist: 'Someone' })
  for (const index of ['hq', 'lq', 'as_mp3', 'as_ogg', 'preview']) {
    const { tags, hasCover } = await measureFile(service, files[index])
    expect([index, hasCover]).toEqual([index, false])
    expect(Object.values(tags).join(' ')).not.toMatch(/Ünï|Someone/)
  }
  expect((await measureFile(service, files.original)).hasCover).toBe(true)
  const edges = { icon: 64, small: 200, regular: 500, large: 1200 }
  const base = new URL(files.cover.url)
  expect(await measureImage(await (await service.fetchEdge(base.toString())).arrayBuffer())).toMatchObject({
    width: 1200,
    height: 1200,
  })
  for (const [size, edge] of Object.entries(edges)) {
    expect(files.cover.data[size]).toMatchObject({ width: edge, height: edge, type: 'image/jpeg' })
  }

  for (const codec of ['mp3', 'aac', 'ogg']) {
    const body = {
      variant_type_id: 'transcode',
      index: `kept_${codec}`,
      codec,
      is_strip_tags: false,
      is_strip_cover: false,
    }
    expect((await service.v1('POST', `/track/${id}/variant`, { body })).status).toBe(200)
    await service.runJobs()
  }
  const { json } = await service.v1('GET', `/track/${id}`)
  expect(json.track.track_status_id).toBe('ready')
  for (const file of json.files.filter((one: { variant: { index: string } }) =>
    one.variant.index.startsWith('kept_'),
  )) {
    const { tags, hasCover } = await measureFile(service, file)
    const { index } = file.variant
    const lower = Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]))
    expect([index, lower.title]).toEqual([index, 'Ünï ☂'])
    if (index === 'kept_mp3' || index === 'kept_aac') expect([index, hasCover]).toEqual([index, true])
  }
}, 60_000)

test('shows the probe in snake_case in /v1, and tags with their own names', async () => {
  const [wav] = cases
  if (!wav) throw new Error('no case')
  const { track } = await processed(service, await wav.make(), 'd.wav')
  expect(Object.keys(track.info).filter((key) => /[A-Z]/.test(key))).toEqual([])
  expect(track.info).toMatchObject({ sample_rate: wav.sampleRate, bit_rate: 1_411_200 })
}, 60_000)
