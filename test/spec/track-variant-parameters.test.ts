// Accepted parameters of POST /v1/track/:track_id/variant, and the `props` of the answer. Nothing is encoded here.
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Json, useTestService } from '../support/service.ts'
import { createTrack, makeReady, ok, refused, variantBody } from './support.ts'

const service = useTestService()
let trackId: string
beforeAll(async () => {
  trackId = (await createTrack(service)).id
})
beforeEach(() => makeReady(service, trackId))

type Kind = 'transcode' | 'preview'
const add = (kind: Kind, props: object) =>
  service.v1('POST', `/track/${trackId}/variant`, { body: variantBody(kind, props) })
const propsOf = async (kind: Kind, props: object): Promise<Json> => ok(await add(kind, props)).variant.props

const audioDefaults = { codec: 'aac', bitrate: 128, is_stereo: true, is_strip_tags: true, is_strip_cover: true }
const secondsDefaults = {
  preview_type: 'seconds',
  preview_seconds: 60,
  preview_min_percent: 0,
  preview_max_percent: 50,
  preview_start_percent: 25,
  ...audioDefaults,
}
const percentDefaults = {
  preview_type: 'percent',
  preview_percent: 25,
  preview_min_seconds: 0,
  preview_max_seconds: 90,
  preview_start_percent: 25,
  ...audioDefaults,
}

interface Row {
  row: string
  field: string
  fallback: unknown
  /** Fields that are sent with the field under test. */
  others?: object
  good: unknown[]
  bad: unknown[]
}

const wrongNumbers = ['60', null, true, [], {}]
const wrongFlags = ['true', 1, 0, null]
const audioRows: Row[] = [
  {
    row: '4 codec | string | No | aac | `aac`, `mp3`, `ogg`, `opus`; `flac` and `alac` are not allowed',
    field: 'codec',
    fallback: 'aac',
    good: ['aac', 'mp3', 'ogg', 'opus'],
    bad: ['flac', 'alac', 'wav', 'AAC', '', 1, null],
  },
  {
    row: '4 bitrate | number | No | 128 | kbps, 12–320; applies only to codecs that use a bitrate',
    field: 'bitrate',
    fallback: 128,
    good: [12, 13, 319, 320],
    bad: [11, 11.9, 320.1, 321, 0, -128, ...wrongNumbers],
  },
  {
    row: '4 is_stereo | boolean | No | true | false mixes down to mono',
    field: 'is_stereo',
    fallback: true,
    good: [true, false],
    bad: wrongFlags,
  },
  {
    row: '4 is_strip_tags | boolean | No | true | Strip metadata tags',
    field: 'is_strip_tags',
    fallback: true,
    good: [true, false],
    bad: wrongFlags,
  },
  {
    row: '4 is_strip_cover | boolean | No | true | Strip embedded cover art',
    field: 'is_strip_cover',
    fallback: true,
    good: [true, false],
    bad: wrongFlags,
  },
]

describe('4 Transcode parameters (also accepted for `preview` for the output audio)', () => {
  for (const kind of ['transcode', 'preview'] as const) {
    test.each(audioRows)(`$row (${kind})`, async ({ field, fallback, good, bad }) => {
      expect((await propsOf(kind, {}))[field]).toBe(fallback)
      for (const value of good) {
        await makeReady(service, trackId)
        expect((await propsOf(kind, { [field]: value }))[field]).toBe(value)
      }
      for (const value of bad) refused(await add(kind, { [field]: value }), 400, 'invalid_input', field)
    })
  }

  test('8 bitrate | Transcode and preview output | 12–320 kbps, default 128', async () => {
    for (const kind of ['transcode', 'preview'] as const) {
      for (const bitrate of [11, 321]) refused(await add(kind, { bitrate }), 400, 'invalid_input', 'bitrate')
    }
    expect((await propsOf('transcode', {})).bitrate).toBe(128)
  })

  test.each(['flac', 'alac', 'wav', 'pcm_s16le', 'vorbis', 'wma', 'copy'])(
    '8 Output codecs via API | Track variant | `aac`, `mp3`, `ogg`, `opus` only: %s',
    async (codec) => {
      refused(await add('transcode', { codec }), 400, 'invalid_input', 'codec')
    },
  )
})

const percent = { good: [0, 0.5, 99.5, 100], bad: [-0.1, -1, 100.1, 101, ...wrongNumbers] }
const seconds = { good: [0, 0.5, 1, 3600], bad: [-0.1, -1, ...wrongNumbers] }
const ofPercent = { preview_type: 'percent' }
const previewRows: Row[] = [
  {
    row: '4 preview_type | string | No | seconds | always | `seconds` or `percent`: how clip length is measured',
    field: 'preview_type',
    fallback: 'seconds',
    good: ['seconds', 'percent'],
    bad: ['minutes', 'Seconds', '', 1, null],
  },
  {
    row: '4 preview_seconds | number | No | 60 | preview_type = seconds | Clip length in seconds',
    field: 'preview_seconds',
    fallback: 60,
    good: [0.5, 1, 60, 3600],
    bad: [-0.1, -1, ...wrongNumbers],
  },
  {
    row: '4 preview_min_percent | number | No | 0 | preview_type = seconds | Minimum clip length as percent of duration, 0–100',
    field: 'preview_min_percent',
    fallback: 0,
    others: { preview_max_percent: 100 },
    ...percent,
  },
  {
    row: '4 preview_max_percent | number | No | 50 | preview_type = seconds | Maximum clip length as percent of duration, 0–100',
    field: 'preview_max_percent',
    fallback: 50,
    ...percent,
  },
  {
    row: '4 preview_percent | number | No | 25 | preview_type = percent | Clip length as percent of duration, 0–100',
    field: 'preview_percent',
    fallback: 25,
    ...percent,
    others: ofPercent,
  },
  {
    row: '4 preview_min_seconds | number | No | 0 | preview_type = percent | Minimum clip length in seconds',
    field: 'preview_min_seconds',
    fallback: 0,
    ...seconds,
    others: { ...ofPercent, preview_max_seconds: 3600 },
  },
  {
    row: '4 preview_max_seconds | number | No | 90 | preview_type = percent | Maximum clip length in seconds',
    field: 'preview_max_seconds',
    fallback: 90,
    ...seconds,
    others: ofPercent,
  },
  {
    row: '4 preview_start_percent | number | No | 25 | always | Clip start as percent of total duration, 0–100',
    field: 'preview_start_percent',
    fallback: 25,
    ...percent,
  },
]

describe('4 Preview parameters (when `variant_type_id` is `preview`)', () => {
  test.each(previewRows)('$row', async ({ field, fallback, good, bad, others = {} }) => {
    const type = 'preview_type' in others ? ofPercent : {}
    expect((await propsOf('preview', type))[field]).toBe(fallback as string)
    for (const value of good) {
      await makeReady(service, trackId)
      expect((await propsOf('preview', { ...others, [field]: value }))[field]).toBe(value as string)
    }
    for (const value of bad) refused(await add('preview', { ...others, [field]: value }), 400, 'invalid_input', field)
  })

  test('4 preview_start_percent applies always: also to preview_type = percent', async () => {
    const input = { ...ofPercent, preview_start_percent: 75 }
    expect(await propsOf('preview', input)).toEqual({ ...percentDefaults, preview_start_percent: 75 })
    refused(await add('preview', { ...ofPercent, preview_start_percent: 101 }), 400, 'invalid_input', 'start_percent')
  })

  test('8 percentage parameters | Preview | 0–100', async () => {
    const names = ['preview_min_percent', 'preview_max_percent', 'preview_start_percent']
    for (const name of names) {
      for (const value of [-1, 101]) refused(await add('preview', { [name]: value }), 400, 'invalid_input', name)
    }
    for (const value of [-1, 101]) {
      refused(await add('preview', { ...ofPercent, preview_percent: value }), 400, 'invalid_input', 'preview_percent')
    }
  })

  test('contract 9: a minimum above its maximum is 400', async () => {
    const crossed = [
      { preview_min_percent: 51 },
      { preview_min_percent: 20, preview_max_percent: 19 },
      { ...ofPercent, preview_min_seconds: 91 },
      { ...ofPercent, preview_min_seconds: 10, preview_max_seconds: 9 },
    ]
    for (const props of crossed) refused(await add('preview', props), 400, 'invalid_input', 'preview_min')
    ok(await add('preview', { preview_min_percent: 50, preview_max_percent: 50 }))
  })
})

describe('2 `props` echoes the resolved parameters with defaults filled in', () => {
  const organizationOnly = {
    bit_depth: 24,
    bitrate_mode: 'cbr',
    normalize_mode: 'dynamic',
    is_measured: true,
    is_trim_silence: true,
    fade_in_seconds: 1,
    fade_out_seconds: 1,
  }
  const echoes: [name: string, kind: Kind, input: object, props: object][] = [
    ['a transcode without parameters', 'transcode', {}, audioDefaults],
    [
      'a transcode with all of them',
      'transcode',
      { codec: 'opus', bitrate: 64, is_stereo: false, is_strip_tags: false, is_strip_cover: false },
      { codec: 'opus', bitrate: 64, is_stereo: false, is_strip_tags: false, is_strip_cover: false },
    ],
    ['a transcode leaves preview parameters out', 'transcode', { preview_seconds: 5 }, audioDefaults],
    ['a preview: the preview parameters plus codec, bitrate, ...', 'preview', {}, secondsDefaults],
    [
      'contract 9: preview_type, preview_start_percent, the set that applies, and the audio parameters',
      'preview',
      { preview_type: 'percent', preview_percent: 10, codec: 'mp3' },
      { ...percentDefaults, preview_percent: 10, codec: 'mp3' },
    ],
    [
      'the set of preview_type = percent is left out of seconds',
      'preview',
      { preview_percent: 10, preview_max_seconds: 1, preview_seconds: 5 },
      { ...secondsDefaults, preview_seconds: 5 },
    ],
    [
      'the set of preview_type = seconds is left out of percent',
      'preview',
      { preview_type: 'percent', preview_seconds: 5, preview_max_percent: 1 },
      percentDefaults,
    ],
    ...(['transcode', 'preview'] as const).map((kind): [string, Kind, object, object] => [
      `parameters of organization-wide variants are ignored like unknown ones (${kind})`,
      kind,
      organizationOnly,
      kind === 'transcode' ? audioDefaults : secondsDefaults,
    ]),
    ['unknown parameters are ignored', 'transcode', { sample_rate: 8000, props: { codec: 'mp3' } }, audioDefaults],
  ]
  test.each(echoes)('%s', async (_, kind, input, props) => {
    expect(await propsOf(kind, input)).toEqual(props)
  })
})
