import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { FFMPEG, soundTools } from '../../support/tools.ts'
import { withVariants } from '../../support/variants.ts'

const recipes: Record<string, object> = {
  level: { codec: 'aac', normalize: -20, bitrate: 192 },
  low: { codec: 'opus', normalize: -23 },
  mono: { codec: 'mp3', normalize: -20, is_stereo: false },
  vorbis: { codec: 'ogg', normalize: -20 },
  lossless: { codec: 'flac', normalize: -20 },
  limited: { codec: 'mp3', normalize: -20, normalize_mode: 'dynamic' },
  limited_aac: { codec: 'aac', normalize: -20, normalize_mode: 'dynamic' },
  clip: { codec: 'mp3', normalize: -20, preview_seconds: 2, preview_max_percent: 100, preview_start_percent: 0 },
  tagged: { codec: 'mp3', normalize: -20, is_strip_tags: false },
}

const service = useTestService(undefined, soundTools)
beforeAll(async () => {
  const { db } = service.services
  for (const [index, recipe] of Object.entries(recipes)) {
    const type = index === 'clip' ? ('preview' as const) : ('transcode' as const)
    const { organization_id: organizationId } = service.demo
    await insertVariant(db, { organizationId, trackId: null, type, index, props: resolveProps(type, recipe) })
  }
}, 60_000)

/** Makes only the files of these variants. */
const madeOf = (indexes: string[], bytes: Uint8Array<ArrayBuffer>, name: string) =>
  withVariants(service, indexes, () => processed(service, bytes, name))

/** Integrated loudness and true peak of a delivered file, by ffmpeg's own meter. */
async function meter(file: Json, filter = 'anull'): Promise<{ lufs: number; peak: number; tags: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-meter-'))
  try {
    const local = join(folder, 'sound')
    await Bun.write(local, await (await service.fetchEdge(file.url)).arrayBuffer())
    const args = ['-nostdin', '-hide_banner', '-i', local, '-af', `${filter},ebur128=peak=true`, '-f', 'null', '-']
    const said = Bun.spawnSync([FFMPEG, ...args]).stderr.toString()
    const summary = said.slice(said.lastIndexOf('Summary'))
    const number = (pattern: RegExp) => Number(pattern.exec(summary)?.[1])
    return { lufs: number(/I:\s+(\S+) LUFS/), peak: number(/Peak:\s+(\S+) dBFS/), tags: said }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A tenth of a dB is the resolution of ffmpeg's meter. */
const TOLERANCE_LU = 0.25
const CEILING_DBTP = -0.9

/**
 * Quiet noise for its first half and louder noise after it, the channels different; without what encoders leave out,
 * which counts more in noise than in any music.
 */
const noise = (volume: number) => {
  const one = (seed: number) => `anoisesrc=color=pink:sample_rate=48000:duration=4:seed=${seed}`
  const louder = `volume='${volume}*if(lt(t,2),0.5,1)':eval=frame`
  const both = `[0:a][1:a]join=inputs=2:channel_layout=stereo,lowpass=f=6000:p=2,${louder}`
  return makeMedia(['-f', 'lavfi', '-i', one(1), '-f', 'lavfi', '-i', one(2), '-filter_complex', both], 'wav')
}

describe('normalize', () => {
  let files: Record<string, Json>
  beforeAll(async () => {
    files = (await madeOf(['hq', ...Object.keys(recipes)], await noise(0.05), 'quiet.wav')).files
  }, 60_000)

  test.each([
    { index: 'level', target: -20 },
    { index: 'low', target: -23 },
    { index: 'mono', target: -20 },
    { index: 'clip', target: -20 },
    { index: 'vorbis', target: -20 },
    { index: 'lossless', target: -20 },
    { index: 'limited', target: -20 },
    { index: 'limited_aac', target: -20 },
  ])('$index is as loud as was asked for', async ({ index, target }) => {
    expect(files[index].status_text).toBeNull()
    const { lufs, peak } = await meter(files[index])
    expect(Math.abs(lufs - target)).toBeLessThanOrEqual(TOLERANCE_LU)
    expect(peak).toBeLessThan(CEILING_DBTP)
    expect(Math.abs(files[index].props.integrated_lufs - lufs)).toBeLessThanOrEqual(0.1)
    expect(Math.abs(files[index].props.true_peak_dbtp - peak)).toBeLessThanOrEqual(0.2)
  })

  test('keeps the loudness without it, and leaves it out of props', async () => {
    expect((await meter(files.hq)).lufs).toBeLessThan(-30)
    expect(files.hq.props).not.toHaveProperty('normalize')
    expect(files.hq.props).not.toHaveProperty('integrated_lufs')
    expect(files.level.props.normalize).toBe(-20)
  })

  test('writes gain tags of the delivered sound', async () => {
    const gain = /REPLAYGAIN_TRACK_GAIN\s*: (\S+) dB/i.exec((await meter(files.tagged)).tags)?.[1]
    expect(Math.abs(Number(gain) - (-18 - -20))).toBeLessThanOrEqual(0.5)
  })
})

describe('a recording with high peaks', () => {
  let files: Record<string, Json>
  beforeAll(async () => {
    // Every half second a click, 25 dB above the tone between them.
    const clicks = String.raw`aevalsrc='if(lt(mod(t\,0.5)\,0.005)\,0.9*sin(2*PI*900*t)\,0.05*sin(2*PI*300*t))':s=48000:d=4`
    const processedTrack = await processed(service, await makeMedia(['-f', 'lavfi', '-i', clicks], 'wav'), 'clicks.wav')
    expect(processedTrack.track.track_status_id).toBe('ready')
    files = processedTrack.files
  }, 60_000)

  test.each(['level', 'mono', 'vorbis', 'lossless'])('stays below its target, and has a note: %s', async (index) => {
    expect(files[index]).toMatchObject({ is_success: true, status_code: 'normalization_limited' })
    expect(files[index].status_text).toMatch(
      /^Normalized to -\d\d\.\d LUFS instead of -20: more would make its peaks clip/,
    )
    const { lufs, peak } = await meter(files[index])
    expect(lufs).toBeLessThan(-21)
    const stated = Number(/-\d\d\.\d/.exec(files[index].status_text)?.[0])
    expect(Math.abs(stated - lufs)).toBeLessThanOrEqual(0.15)
    expect(peak).toBeWithin(-1.8, CEILING_DBTP)
  })

  test.each(['limited', 'limited_aac'])('reaches its target with a limiter: %s', async (index) => {
    expect(files[index]).toMatchObject({ is_success: true, status_code: null })
    const { lufs, peak } = await meter(files[index])
    expect(Math.abs(lufs - -20)).toBeLessThanOrEqual(TOLERANCE_LU)
    expect(peak).toBeLessThan(CEILING_DBTP)
  })

  test('is limited by at most 12 dB', async () => {
    const extreme = String.raw`aevalsrc='if(lt(mod(t\,0.5)\,0.001)\,0.9\,0.001*sin(2*PI*300*t))':s=48000:d=3`
    const bytes = await makeMedia(['-f', 'lavfi', '-i', extreme], 'wav')
    const processedTrack = await madeOf(['limited', 'tagged'], bytes, 'extreme.wav')
    expect(processedTrack.files.limited.status_text).toMatch(/LUFS instead of -20: more would distort it/)
    const [loud, plain] = [await meter(processedTrack.files.limited), await meter(processedTrack.files.tagged)]
    expect(loud.peak).toBeLessThan(CEILING_DBTP)
    expect(loud.lufs).toBeGreaterThanOrEqual(plain.lufs - 0.2)
  }, 30_000)
})

test('normalizes a sound of less than 0.4 seconds to its momentary loudness', async () => {
  const short = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=0.1:r=48000'], 'wav')
  const { files, track } = await processed(service, short, 'short.wav')
  expect(track).toMatchObject({ track_status_id: 'ready', analysis: { integrated_lufs: null } })
  for (const index of ['level', 'lossless', 'vorbis']) {
    expect(files[index].status_code).toBeNull()
    const { lufs } = await meter(files[index], 'atrim=end=0.1,apad=whole_len=19200')
    expect(Math.abs(lufs - -20), index).toBeLessThanOrEqual(TOLERANCE_LU)
  }
}, 30_000)

test('makes every file of a recording of one sample', async () => {
  const one = ['-f', 'lavfi', '-i', 'aevalsrc=0.5:s=44100:d=1', '-af', 'atrim=end_sample=1']
  const { files, track } = await processed(service, await makeMedia(one, 'wav'), 'one.wav')
  const failed = Object.entries(files).filter(([, { is_success: isSuccess }]) => !isSuccess)
  expect(failed.map(([index, { status_text: text }]) => [index, text])).toEqual([])
  expect(track.track_status_id).toBe('ready')
}, 60_000)

test('does not normalize silence, adds a note and keeps it silent', async () => {
  const silence = await makeMedia(['-f', 'lavfi', '-i', 'anullsrc=r=44100', '-t', '2'], 'wav')
  const { files, track } = await processed(service, silence, 'silence.wav')
  expect(track.track_status_id).toBe('ready')
  for (const index of ['level', 'limited']) {
    expect(files[index]).toMatchObject({ is_success: true, status_code: 'normalization_limited' })
    expect(files[index].status_text).toMatch(/^Not normalized: the sound is silent/)
  }
  expect(files.hq.status_code).toBeNull()
  expect(track.analysis).toMatchObject({ integrated_lufs: null, true_peak_dbtp: null, leading_silence_seconds: 2 })
}, 30_000)

test('attenuates a loud recording regardless of its peaks', async () => {
  const { files, track } = await madeOf(['level'], await noise(2), 'loud.wav')
  expect(track.analysis.integrated_lufs).toBeGreaterThan(-20)
  expect(Math.abs((await meter(files.level)).lufs - -20)).toBeLessThanOrEqual(TOLERANCE_LU)
}, 30_000)
