// The effect of the parameters of a track's variant on the sound, measured with ffprobe.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type Measured, makeMedia, measure } from '../support/audio.ts'
import { type Json, uploadTrack, useTestService } from '../support/service.ts'
import { soundTools } from '../support/tools.ts'
import { ok, variantBody } from './support.ts'

const SOURCE_SECONDS = 8
const recipes = {
  plain: ['transcode', {}],
  mp3: ['transcode', { codec: 'mp3', bitrate: 320 }],
  ogg: ['transcode', { codec: 'ogg' }],
  mono: ['transcode', { codec: 'opus', bitrate: 12, is_stereo: false }],
  tags: ['transcode', { codec: 'mp3', is_strip_tags: false }],
  cover: ['transcode', { codec: 'mp3', is_strip_cover: false }],
  clip: ['preview', {}],
  minPercent: ['preview', { preview_seconds: 1, preview_min_percent: 40 }],
  maxPercent: ['preview', { preview_max_percent: 20 }],
  percent: ['preview', { preview_type: 'percent' }],
  minSeconds: ['preview', { preview_type: 'percent', preview_min_seconds: 3 }],
  maxSeconds: ['preview', { preview_type: 'percent', preview_percent: 100, preview_max_seconds: 1.5 }],
  late: ['preview', { preview_seconds: 2, preview_start_percent: 100 }],
} as const
type Name = keyof typeof recipes

const service = useTestService(undefined, soundTools)
const sounds = {} as Record<Name, Measured>
const files = {} as Record<Name, Json>
/** The track's states: before each variant, after asking for it, after its job. */
const states: string[][] = []
let track: Json

/** A tone with a title and a cover. */
const source = () =>
  makeMedia(
    [
      '-f',
      'lavfi',
      '-i',
      `sine=frequency=440:sample_rate=44100:duration=${SOURCE_SECONDS}`,
      '-f',
      'lavfi',
      '-i',
      'color=c=red:size=64x64:duration=1:rate=1',
      ...[
        '-map',
        '0:a',
        '-map',
        '1:v',
        '-ac',
        '2',
        '-c:v',
        'mjpeg',
        '-frames:v',
        '1',
        '-disposition:v',
        'attached_pic',
      ],
      '-metadata',
      'title=A title',
      '-id3v2_version',
      '3',
    ],
    'mp3',
  )

const state = async (id: string): Promise<string> => ok(await service.v1('GET', `/track/${id}`)).track.track_status_id

beforeAll(async () => {
  const trackId = await uploadTrack(service, await source(), 'song.mp3')
  await service.runJobs()
  const indexes = {} as Record<Name, string>
  for (const [name, [type, props]] of Object.entries(recipes) as [Name, (typeof recipes)[Name]][]) {
    const body = variantBody(type, props)
    const before = await state(trackId)
    ok(await service.v1('POST', `/track/${trackId}/variant`, { body }))
    indexes[name] = body.index
    const queuedState = await state(trackId)
    await service.runJobs()
    states.push([before, queuedState, await state(trackId)])
  }
  const answer = ok(await service.v1('GET', `/track/${trackId}`))
  track = answer.track
  for (const [name, index] of Object.entries(indexes) as [Name, string][]) {
    files[name] = answer.files.find((file: Json) => file.variant.index === index)
    const response = await service.fetchEdge(files[name].url)
    expect(response.status).toBe(200)
    sounds[name] = await measure(await response.arrayBuffer())
  }
  // Many encodings, one after the other: ten seconds alone, and a minute next to tests that encode, too.
}, 180_000)

describe('3 States and transitions', () => {
  test('3 processing | New track file finished generating | Automatic | ready |', () => {
    expect(states).toEqual(Object.keys(recipes).map(() => ['ready', 'processing', 'ready']))
    for (const file of Object.values(files)) expect(file.is_success).toBe(true)
  })

  test('2 Track-specific variant | index | string | Delivery name of the variant (in the address of its file)', () => {
    const names = Object.keys(recipes) as Name[]
    const addresses = names.map((name) => [name, files[name].url.split('?')[0].replace(/\.\w+$/, '')])
    expect(addresses).toEqual(names.map((name) => [name, `${track.base_url}_${files[name].variant.index}`]))
  })
})

describe('4 Transcode parameters', () => {
  test.each([
    ['plain', 'aac'],
    ['mp3', 'mp3'],
    ['ogg', 'vorbis'],
    ['mono', 'opus'],
  ] as const)('4 codec | string | No | aac | `aac`, `mp3`, `ogg`, `opus` (%s)', (name, codec) => {
    expect(sounds[name].codec).toBe(codec)
  })

  test('4 bitrate | number | No | 128 | kbps, 12–320', () => {
    expect(sounds.mp3.bitRate).toBeWithin(300_000, 340_000)
    expect(sounds.mono.bitRate).toBeLessThan(24_000)
  })

  test.each(['plain', 'mp3', 'ogg', 'mono'] as const)(
    '4 variant_type_id | `transcode` (full-length file): %s',
    (name) => {
      expect(sounds[name].durationSeconds).toBeCloseTo(SOURCE_SECONDS, 0)
    },
  )

  test('4 is_stereo | boolean | No | true | false mixes down to mono', () => {
    expect(sounds.plain.channels).toBe(2)
    expect(sounds.mono.channels).toBe(1)
  })

  test('4 is_strip_tags | boolean | No | true | Strip metadata tags', () => {
    expect(sounds.tags.tags.title).toBe('A title')
    for (const name of ['plain', 'mp3', 'cover', 'clip'] as const) expect(sounds[name].tags.title).toBeUndefined()
  })

  test('4 is_strip_cover | boolean | No | true | Strip embedded cover art', () => {
    expect(sounds.cover.hasCover).toBe(true)
    for (const name of ['plain', 'mp3', 'tags', 'clip'] as const) expect(sounds[name].hasCover).toBe(false)
  })
})

describe('4 Preview parameters', () => {
  test.each([
    ['preview_max_percent | number | No | 50', 'clip', 4],
    ['preview_seconds | number | No | 60 | preview_type = seconds | Clip length in seconds', 'late', 2],
    ['preview_min_percent | Minimum clip length as percent of duration', 'minPercent', 3.2],
    ['preview_max_percent | Maximum clip length as percent of duration', 'maxPercent', 1.6],
    ['preview_percent | number | No | 25 | preview_type = percent | Clip length as percent of duration', 'percent', 2],
    ['preview_min_seconds | preview_type = percent | Minimum clip length in seconds', 'minSeconds', 3],
    ['preview_max_seconds | preview_type = percent | Maximum clip length in seconds', 'maxSeconds', 1.5],
  ] as const)('4 %s (%s: %d s)', (_, name, length) => {
    // An encoder rounds up to whole frames.
    expect(Math.abs(sounds[name].durationSeconds - length)).toBeLessThan(0.1)
    expect(files[name].data.duration).toBeCloseTo(length, 1)
  })

  test('4 preview_start_percent | number | No | 25 | always | Clip start as percent of total duration, 0–100', () => {
    expect(files.clip.data.capture_start).toBeCloseTo(SOURCE_SECONDS / 4, 1)
    expect(files.percent.data.capture_start).toBeCloseTo(SOURCE_SECONDS / 4, 1)
  })

  test('contract 9: a start is moved earlier where the clip would run past the end', () => {
    expect(files.late.data.capture_start).toBeCloseTo(SOURCE_SECONDS - 2, 1)
  })
})
