// What becomes of recordings with more than two channels, by the layout of their speakers. The files are decoded and
// measured by ffmpeg.
import { beforeAll, describe, expect, test } from 'bun:test'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import { loudnessOf, toneLevels } from '../../support/loudness.ts'
import { type Processed, processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'

const TARGET_LUFS = -20
const recipes: Record<string, object> = {
  stereo: { codec: 'mp3', bitrate: 320 },
  mono: { codec: 'mp3', bitrate: 320, is_stereo: false },
  level: { codec: 'mp3', bitrate: 320, normalize: TARGET_LUFS },
  level_mono: { codec: 'mp3', bitrate: 320, normalize: TARGET_LUFS, is_stereo: false },
  clip: { codec: 'mp3', bitrate: 320, preview_seconds: 1, preview_max_percent: 100 },
}

const service = useTestService()
beforeAll(async () => {
  const { db } = service.services
  const { organization_id: organizationId } = service.demo
  await db.variant.updateMany({ where: { organizationId }, data: { deletedAt: new Date() } })
  for (const [index, given] of Object.entries(recipes)) {
    const type = index === 'clip' ? ('preview' as const) : ('transcode' as const)
    await insertVariant(db, { organizationId, trackId: null, type, index, props: resolveProps(type, given) })
  }
}, 60_000)

/** One tone for each channel, at -12.04 dB. */
const AMPLITUDE = 0.25
const hzOf = (channel: number) => 400 + 200 * channel
const tones = (layout: string, channels: number) => [
  ...['-f', 'lavfi', '-i'],
  `aevalsrc=${Array.from({ length: channels }, (_, at) => `${AMPLITUDE}*sin(2*PI*${hzOf(at)}*t)`).join('|')}:c=${layout}:d=3:s=48000`,
]

const bytesOf = async ({ url }: Json) => new Uint8Array(await (await service.fetchEdge(url)).arrayBuffer())

const [L, R, C, N] = [
  [0, null],
  [null, 0],
  [-3.01, -3.01],
  [null, null],
] as const
const [LS, RS, BC] = [
  [-3.01, null],
  [null, -3.01],
  [-6.02, -6.02],
] as const
/** What each channel adds to left and to right, in dB; null for nothing (ITU-R BS.775, table 2). */
const layouts: { layout: string; shares: (readonly [number | null, number | null])[]; extension?: string }[] = [
  { layout: '2.1', shares: [L, R, N] },
  { layout: '3.0', shares: [L, R, C] },
  { layout: '3.0(back)', shares: [L, R, BC] },
  { layout: '3.1', shares: [L, R, C, N] },
  { layout: '4.0', shares: [L, R, C, BC] },
  { layout: 'quad', shares: [L, R, LS, RS] },
  { layout: 'quad', shares: [L, R, LS, RS], extension: 'flac' },
  { layout: 'quad(side)', shares: [L, R, LS, RS] },
  { layout: '4.1', shares: [L, R, C, N, BC] },
  { layout: '5.0', shares: [L, R, C, LS, RS] },
  { layout: '5.0(side)', shares: [L, R, C, LS, RS] },
  { layout: '5.1', shares: [L, R, C, N, LS, RS] },
  { layout: '5.1(side)', shares: [L, R, C, N, LS, RS] },
  { layout: '6.0', shares: [L, R, C, BC, LS, RS] },
  { layout: '6.0(front)', shares: [L, R, L, R, LS, RS] },
  { layout: 'hexagonal', shares: [L, R, C, LS, RS, BC] },
  { layout: '6.1', shares: [L, R, C, N, BC, LS, RS] },
  { layout: '7.0', shares: [L, R, C, LS, RS, LS, RS] },
  { layout: '7.1', shares: [L, R, C, N, LS, RS, LS, RS] },
  { layout: '7.1(wide)', shares: [L, R, C, N, LS, RS, L, R] },
  { layout: 'FL+FR+LFE+TC', shares: [L, R, N, BC] },
]

const linear = (db: number | null) => (db === null ? 0 : 10 ** (db / 20))

/** Below this a tone is not there. */
const ABSENT_DB = -60

describe.each(layouts)('a recording in $layout', ({ layout, shares, extension = 'wav' }) => {
  let made: Processed
  let bytes: Uint8Array<ArrayBuffer>
  beforeAll(async () => {
    bytes = await makeMedia(tones(layout, shares.length), extension)
    made = await processed(service, bytes, `tones.${extension}`)
    expect(made.track).toMatchObject({ track_status_id: 'ready', status_code: null })
  }, 60_000)

  test.each(['stereo', 'clip'])('has every channel on its side in %s, as loud as BS.775 says', async (index) => {
    const [left = [], right = []] = await toneLevels(
      await bytesOf(made.files[index]),
      2,
      shares.map((_, at) => hzOf(at)),
    )
    for (const [channel, share] of shares.entries()) {
      for (const [side, found] of [left[channel] ?? 0, right[channel] ?? 0].entries()) {
        const expected = share[side] ?? null
        const about = `channel ${channel}, side ${side}: ${found} dB`
        if (expected === null) expect(found, about).toBeLessThan(ABSENT_DB)
        else expect(Math.abs(found - expected - 20 * Math.log10(AMPLITUDE)), about).toBeLessThan(0.1)
      }
    }
  })

  test('has every channel in mono, as loud as BS.775 says', async () => {
    const [levels = []] = await toneLevels(
      await bytesOf(made.files.mono),
      1,
      shares.map((_, at) => hzOf(at)),
    )
    // Relative to the first: the sum of many channels leaves no room for all of it.
    const first = levels[0] ?? 0
    expect(first).toBeGreaterThan(20 * Math.log10(AMPLITUDE) - 6)
    for (const [channel, [left, right]] of shares.entries()) {
      const sum = linear(left) + linear(right)
      const found = levels[channel] ?? 0
      if (sum === 0) expect(found, `channel ${channel}`).toBeLessThan(ABSENT_DB)
      else expect(Math.abs(found - first - 20 * Math.log10(sum)), `channel ${channel}: ${found} dB`).toBeLessThan(0.1)
    }
  })

  test('has the loudness that ffmpeg measures', async () => {
    const { lufs } = await loudnessOf(bytes)
    expect(Math.abs(made.track.analysis.integrated_lufs - lufs)).toBeLessThanOrEqual(0.1)
  })

  test.each(['level', 'level_mono'])('reaches its target in %s', async (index) => {
    expect(made.files[index].status_code).toBeNull()
    expect(Math.abs((await loudnessOf(await bytesOf(made.files[index]))).lufs - TARGET_LUFS)).toBeLessThanOrEqual(0.3)
  })
})

test('attenuates a downmix just enough to prevent clipping', async () => {
  const same = Array(6).fill('0.5*sin(2*PI*400*t)').join('|')
  const bytes = await makeMedia(['-f', 'lavfi', '-i', `aevalsrc=${same}:c=5.1:d=3:s=48000`], 'wav')
  const { files } = await processed(service, bytes, 'loud.wav')
  for (const index of ['stereo', 'mono']) {
    const { peak } = await loudnessOf(await bytesOf(files[index]))
    expect(peak, index).toBeWithin(-1.2, -0.7)
  }
}, 60_000)

/** A WAV whose speaker mask is empty. */
async function unnamed(layout: string, channels: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await makeMedia([...tones(layout, channels), '-f', 'wav', '-bitexact'], 'wav')
  Buffer.from(bytes.buffer).writeUInt32LE(0, Buffer.from(bytes).indexOf('fmt ') + 28)
  return bytes
}

test('mixes six channels without speaker names as 5.1', async () => {
  const { files, track } = await processed(service, await unnamed('5.1', 6), 'unnamed.wav')
  expect(track).toMatchObject({ track_status_id: 'ready', info: { channels: 6 } })
  const [left = []] = await toneLevels(await bytesOf(files.stereo), 2, [hzOf(0), hzOf(2), hzOf(3), hzOf(4)])
  const [front, center, low, back] = left.map((level) => level - 20 * Math.log10(AMPLITUDE))
  expect(front).toBeWithin(-0.1, 0.1)
  expect(center).toBeWithin(-3.11, -2.91)
  expect(low).toBeLessThan(ABSENT_DB)
  expect(back).toBeWithin(-3.11, -2.91)
  expect(Math.abs((await loudnessOf(await bytesOf(files.level))).lufs - TARGET_LUFS)).toBeLessThanOrEqual(0.3)
}, 60_000)

test('mixes more channels without speaker names to alternating sides, as loud as their peaks allow', async () => {
  const { files, track } = await processed(service, await unnamed('hexadecagonal', 16), 'multitrack.wav')
  expect(track).toMatchObject({ track_status_id: 'ready', info: { channels: 16 } })
  const bytes = await bytesOf(files.stereo)
  const [left = [], right = []] = await toneLevels(bytes, 2, [hzOf(0), hzOf(1)])
  expect(left[1]).toBeLessThan(ABSENT_DB)
  expect(right[0]).toBeLessThan(ABSENT_DB)
  expect(left[0]).toBeCloseTo(right[1] ?? 0, 1)
  expect((await loudnessOf(bytes)).peak).toBeWithin(-1.2, -0.7)
}, 60_000)

test('uses the same downmix for a waveform video', async () => {
  const { db } = service.services
  const props = resolveProps('waveform_video', { width: 128, height: 128, fps: 1, bitrate: 192 })
  const { organization_id: organizationId } = service.demo
  await insertVariant(db, { organizationId, trackId: null, type: 'waveform_video', index: 'film', props })
  const { files } = await processed(service, await makeMedia(tones('quad', 4), 'wav'), 'film.wav')
  const [left = []] = await toneLevels(await bytesOf(files.film), 2, [hzOf(0), hzOf(1), hzOf(2), hzOf(3)])
  const [front, opposite, back, oppositeBack] = left.map((level) => level - 20 * Math.log10(AMPLITUDE))
  expect(front).toBeWithin(-0.2, 0.2)
  expect(back).toBeWithin(-3.2, -2.8)
  for (const absent of [opposite, oppositeBack]) expect(absent).toBeLessThan(-40)
}, 60_000)
