// Files of recordings with more than two channels, by the layout of their speakers. The files are decoded and
// measured by ffmpeg.
import { beforeAll, describe, expect, test } from 'bun:test'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import {
  ABSENT_DB,
  AMPLITUDE,
  expectInMono,
  expectInStereo,
  hzOf,
  layouts,
  tones,
  unnamedTones,
} from '../../support/layouts.ts'
import { loudnessOf, toneLevels } from '../../support/loudness.ts'
import { type Processed, processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { soundTools } from '../../support/tools.ts'

const TARGET_LUFS = -20
const recipes: Record<string, object> = {
  stereo: { codec: 'mp3', bitrate: 320 },
  mono: { codec: 'mp3', bitrate: 320, is_stereo: false },
  level: { codec: 'mp3', bitrate: 320, normalize: TARGET_LUFS },
  level_mono: { codec: 'mp3', bitrate: 320, normalize: TARGET_LUFS, is_stereo: false },
  clip: { codec: 'mp3', bitrate: 320, preview_seconds: 1, preview_max_percent: 100 },
}

const service = useTestService(undefined, soundTools)
beforeAll(async () => {
  const { db } = service.services
  const { organization_id: organizationId } = service.demo
  await db.variant.updateMany({ where: { organizationId }, data: { deletedAt: new Date() } })
  for (const [index, recipe] of Object.entries(recipes)) {
    const type = index === 'clip' ? ('preview' as const) : ('transcode' as const)
    await insertVariant(db, { organizationId, trackId: null, type, index, props: resolveProps(type, recipe) })
  }
}, 60_000)

const bytesOf = async ({ url }: Json) => new Uint8Array(await (await service.fetchEdge(url)).arrayBuffer())

// `bun run test:sound` has every layout.
const common = ['quad', '5.1', '7.1(wide)'].map((layout) => ({ layout, shares: layouts[layout] ?? [] }))

describe.each(common)('a recording in $layout', ({ layout, shares }) => {
  let processedTrack: Processed
  let bytes: Uint8Array<ArrayBuffer>
  beforeAll(async () => {
    bytes = await makeMedia(tones(layout, shares.length), 'wav')
    processedTrack = await processed(service, bytes, 'tones.wav')
    expect(processedTrack.track).toMatchObject({ track_status_id: 'ready', status_code: null })
  }, 60_000)

  test.each(['stereo', 'clip'])('has every channel on its side in %s, as loud as BS.775 says', async (index) => {
    await expectInStereo(await bytesOf(processedTrack.files[index]), shares)
  })

  test('has every channel in mono, as loud as BS.775 says', async () => {
    await expectInMono(await bytesOf(processedTrack.files.mono), shares)
  })

  test('has the loudness that ffmpeg measures', async () => {
    const { lufs } = await loudnessOf(bytes)
    expect(Math.abs(processedTrack.track.analysis.integrated_lufs - lufs)).toBeLessThanOrEqual(0.1)
  })

  test.each(['level', 'level_mono'])('reaches its target in %s', async (index) => {
    expect(processedTrack.files[index].status_code).toBeNull()
    expect(
      Math.abs((await loudnessOf(await bytesOf(processedTrack.files[index]))).lufs - TARGET_LUFS),
    ).toBeLessThanOrEqual(0.3)
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

test('mixes six channels without speaker names as 5.1', async () => {
  const { files, track } = await processed(service, await unnamedTones('5.1', 6), 'unnamed.wav')
  expect(track).toMatchObject({ track_status_id: 'ready', info: { channels: 6 } })
  const [leftLevels = []] = await toneLevels(await bytesOf(files.stereo), 2, [hzOf(0), hzOf(2), hzOf(3), hzOf(4)])
  const [front, center, low, back] = leftLevels.map((level) => level - 20 * Math.log10(AMPLITUDE))
  expect(front).toBeWithin(-0.1, 0.1)
  expect(center).toBeWithin(-3.11, -2.91)
  expect(low).toBeLessThan(ABSENT_DB)
  expect(back).toBeWithin(-3.11, -2.91)
  expect(Math.abs((await loudnessOf(await bytesOf(files.level))).lufs - TARGET_LUFS)).toBeLessThanOrEqual(0.3)
}, 60_000)

test('mixes more channels without speaker names to alternating sides, as loud as their peaks allow', async () => {
  const { files, track } = await processed(service, await unnamedTones('hexadecagonal', 16), 'multitrack.wav')
  expect(track).toMatchObject({ track_status_id: 'ready', info: { channels: 16 } })
  const bytes = await bytesOf(files.stereo)
  const [leftLevels = [], rightLevels = []] = await toneLevels(bytes, 2, [hzOf(0), hzOf(1)])
  expect(leftLevels[1]).toBeLessThan(ABSENT_DB)
  expect(rightLevels[0]).toBeLessThan(ABSENT_DB)
  expect(leftLevels[0]).toBeCloseTo(rightLevels[1] ?? 0, 1)
  expect((await loudnessOf(bytes)).peak).toBeWithin(-1.2, -0.7)
}, 60_000)

test('uses the same downmix for a waveform video', async () => {
  const { db } = service.services
  const props = resolveProps('waveform_video', { width: 128, height: 128, fps: 1, bitrate: 192 })
  const { organization_id: organizationId } = service.demo
  await insertVariant(db, { organizationId, trackId: null, type: 'waveform_video', index: 'film', props })
  const { files } = await processed(service, await makeMedia(tones('quad', 4), 'wav'), 'film.wav')
  const [leftLevels = []] = await toneLevels(await bytesOf(files.film), 2, [hzOf(0), hzOf(1), hzOf(2), hzOf(3)])
  const [front, opposite, back, oppositeBack] = leftLevels.map((level) => level - 20 * Math.log10(AMPLITUDE))
  expect(front).toBeWithin(-0.2, 0.2)
  expect(back).toBeWithin(-3.2, -2.8)
  for (const absent of [opposite, oppositeBack]) expect(absent).toBeLessThan(-40)
}, 60_000)
