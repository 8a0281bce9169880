import { describe, expect, test } from 'bun:test'
import { resolveProps } from '../../../src/domain/variant/service.ts'
import { variantType } from '../../../src/domain/variant/types/index.ts'
import { AppError } from '../../../src/platform/errors.ts'
import type { Probe } from '../../../src/platform/media/probe.ts'

const probe: Probe = {
  container: 'wav',
  codec: 'pcm_s16le',
  sampleRate: 44_100,
  sampleFormat: 's16',
  bitDepth: 16,
  announcedSeconds: null,
  paddingSeconds: 0,
  isTimed: false,
  isCut: false,
  containedShare: 1,
  lacksEnd: false,
  isHeard: true,
  channels: 2,
  channelLayout: 'stereo',
  bitRate: 1_411_200,
  durationSeconds: 0,
  tags: {},
  audioStream: 0,
  chapters: [],
  coverStream: null,
}

/** The span of a recording in the plan of a preview. */
function span(raw: object, durationSeconds: number) {
  const plan = variantType('preview').plan(resolveProps('preview', raw), probe, durationSeconds)
  if (plan.kind !== 'audio' || !plan.clip) throw new Error('a preview is an audio clip')
  return { ...plan.clip, data: plan.data() }
}

function rules(raw: object): string {
  try {
    resolveProps('preview', raw)
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    const { status, message } = error as AppError
    return `${status} ${message}`
  }
  return 'accepted'
}

const audio = { codec: 'aac', bitrate: 128, is_stereo: true, is_strip_tags: true, is_strip_cover: true }

describe('length and start (contract, section 9)', () => {
  type Case = [what: string, props: object, duration: number, start: number, length: number]
  const seconds: Case[] = [
    ['defaults, a long one: 60 s from a quarter on', {}, 400, 100, 60],
    ['defaults, 120 s: 60 s are just the half', {}, 120, 30, 60],
    ['defaults, 100 s: at most the half', {}, 100, 25, 50],
    ['defaults, 2 s: the half is one second', {}, 2, 0.5, 1],
    ['defaults, 1.5 s: never below one second', {}, 1.5, 0.375, 1],
    ['defaults, 1.2 s: moved earlier to fit', {}, 1.2, 0.2, 1],
    ['defaults, 1 s: the whole', {}, 1, 0, 1],
    ['defaults, 0.4 s: never longer than the source', {}, 0.4, 0, 0.4],
    ['30 s of 200', { preview_seconds: 30 }, 200, 50, 30],
    ['a minimum of 40 % lifts 10 s to 40', { preview_seconds: 10, preview_min_percent: 40 }, 100, 25, 40],
    ['a maximum of 5 % lowers 60 s to 5', { preview_max_percent: 5 }, 100, 25, 5],
    ['a maximum of 0 % leaves one second', { preview_max_percent: 0 }, 100, 25, 1],
    ['0 s leaves one second', { preview_seconds: 0 }, 100, 25, 1],
    ['minimum and maximum alike', { preview_min_percent: 20, preview_max_percent: 20 }, 300, 75, 60],
    ['a minimum of 100 % is the whole, from 0', { preview_min_percent: 100, preview_max_percent: 100 }, 80, 0, 80],
    ['up to 100 %', { preview_seconds: 90, preview_max_percent: 100 }, 100, 10, 90],
    ['more than there is', { preview_seconds: 500, preview_max_percent: 100 }, 100, 0, 100],
    ['from the start', { preview_seconds: 10, preview_start_percent: 0 }, 100, 0, 10],
    ['from 90 % on, fits exactly', { preview_seconds: 10, preview_start_percent: 90 }, 100, 90, 10],
    ['from 95 % on, moved earlier', { preview_seconds: 10, preview_start_percent: 95 }, 100, 90, 10],
    ['from the end, moved earlier', { preview_seconds: 10, preview_start_percent: 100 }, 100, 90, 10],
    ['fractions', { preview_seconds: 7.25, preview_start_percent: 12.5 }, 64, 8, 7.25],
  ]
  const percent: Case[] = [
    ['defaults: a quarter from a quarter on', {}, 200, 50, 50],
    ['defaults, 360 s: a quarter is just 90 s', {}, 360, 90, 90],
    ['defaults, 1000 s: at most 90 s', {}, 1000, 250, 90],
    ['defaults, 3 s: never below one second', {}, 3, 0.75, 1],
    ['10 % of 300', { preview_percent: 10 }, 300, 75, 30],
    ['a minimum of 20 s lifts 10 % of 100', { preview_percent: 10, preview_min_seconds: 20 }, 100, 25, 20],
    ['a maximum of 5 s', { preview_max_seconds: 5 }, 100, 25, 5],
    ['a minimum above the source is the source', { preview_min_seconds: 60, preview_max_seconds: 60 }, 40, 0, 40],
    ['0 % leaves one second', { preview_percent: 0 }, 100, 25, 1],
    ['0 % with a maximum of 0 s leaves one second', { preview_percent: 0, preview_max_seconds: 0 }, 100, 25, 1],
    ['all of it', { preview_percent: 100, preview_max_seconds: 1000 }, 250, 0, 250],
    ['80 % from a half on, moved earlier', { preview_percent: 80, preview_start_percent: 50 }, 100, 20, 80],
    ['0.5 s', { preview_percent: 25 }, 0.5, 0, 0.5],
  ]

  test.each(seconds)('seconds, %s', (_, props, duration, start, length) => {
    const range = span({ preview_type: 'seconds', ...props }, duration)
    expect(range.startSeconds).toBeCloseTo(start, 6)
    expect(range.durationSeconds).toBeCloseTo(length, 6)
  })

  test.each(percent)('percent, %s', (_, props, duration, start, length) => {
    const range = span({ preview_type: 'percent', ...props }, duration)
    expect(range.startSeconds).toBeCloseTo(start, 6)
    expect(range.durationSeconds).toBeCloseTo(length, 6)
  })

  test('data has the span and the format of the file', () => {
    expect(span({ preview_seconds: 30, codec: 'mp3' }, 200).data).toEqual({
      duration: 30,
      extension: 'mp3',
      capture_start: 50,
      capture_end: 80,
      content_type: 'audio/mpeg',
    })
    expect(span({ codec: 'opus' }, 200).data).toMatchObject({ extension: 'opus', content_type: 'audio/ogg' })
    expect(span({ codec: 'ogg' }, 200).data).toMatchObject({ extension: 'ogg', content_type: 'audio/ogg' })
    expect(span({}, 200).data).toMatchObject({ extension: 'm4a', content_type: 'audio/mp4' })
  })
})

describe('props', () => {
  test('defaults to seconds, and has the parameters of that type and of the audio', () => {
    const bySeconds = {
      preview_type: 'seconds',
      preview_seconds: 60,
      preview_min_percent: 0,
      preview_max_percent: 50,
      preview_start_percent: 25,
      ...audio,
    }
    expect(resolveProps('preview', {})).toEqual(bySeconds)
    expect(resolveProps('preview', { preview_percent: 10, preview_min_seconds: 3, preview_max_seconds: 9 })).toEqual(
      bySeconds,
    )
  })

  test('has the parameters of the type percent', () => {
    expect(resolveProps('preview', { preview_type: 'percent', preview_seconds: 5, codec: 'opus' })).toEqual({
      preview_type: 'percent',
      preview_percent: 25,
      preview_min_seconds: 0,
      preview_max_seconds: 90,
      preview_start_percent: 25,
      ...audio,
      codec: 'opus',
    })
  })

  test('accepts camelCase', () => {
    expect(resolveProps('preview', { previewType: 'percent', previewPercent: 40, isStereo: false })).toMatchObject({
      preview_percent: 40,
      is_stereo: false,
    })
  })

  test('rejects a minimum above its maximum, only for the type of length that applies', () => {
    expect(rules({ preview_min_percent: 51 })).toMatch(/^400 .*preview_?min_?percent/i)
    expect(rules({ preview_min_percent: 30, preview_max_percent: 20 })).toMatch(/^400 .*preview_?min_?percent/i)
    expect(rules({ preview_type: 'percent', preview_min_seconds: 91 })).toMatch(/^400 .*preview_?min_?seconds/i)
    expect(rules({ preview_min_percent: 50, preview_max_percent: 50 })).toBe('accepted')
    expect(rules({ preview_type: 'percent', preview_min_percent: 99, preview_max_percent: 1 })).toBe('accepted')
    expect(rules({ preview_min_seconds: 99, preview_max_seconds: 1 })).toBe('accepted')
  })

  const refused: [props: object, field: RegExp][] = [
    [{ preview_type: 'minutes' }, /type/],
    [{ preview_type: null }, /type/],
    [{ preview_seconds: -1 }, /seconds/],
    [{ preview_seconds: '30' }, /seconds/],
    [{ preview_min_percent: -0.1 }, /min/],
    [{ preview_max_percent: 100.1 }, /max/],
    [{ preview_start_percent: 101 }, /start/],
    [{ preview_type: 'percent', preview_percent: 101 }, /percent/],
    [{ preview_type: 'percent', preview_min_seconds: -1 }, /min/],
    [{ preview_type: 'percent', preview_max_seconds: -1 }, /max/],
    [{ codec: 'flac' }, /codec/],
    [{ codec: 'alac' }, /codec/],
    [{ bitrate: 11 }, /bitrate/],
    [{ bitrate: 321 }, /bitrate/],
    [{ is_stereo: 'no' }, /stereo/],
  ]
  test.each(refused)('rejects %j', (props, field) => {
    const answer = rules(props)
    expect(answer).toStartWith('400 ')
    expect(answer.toLowerCase()).toMatch(field)
  })
})
