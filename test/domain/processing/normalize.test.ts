import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { FFMPEG } from '../../support/tools.ts'

const recipes: Record<string, object> = {
  level: { codec: 'aac', normalize: -20, bitrate: 192 },
  low: { codec: 'opus', normalize: -23 },
  mono: { codec: 'mp3', normalize: -20, is_stereo: false },
  clip: { codec: 'mp3', normalize: -20, preview_seconds: 2, preview_max_percent: 100, preview_start_percent: 0 },
  tagged: { codec: 'mp3', normalize: -20, is_strip_tags: false },
}

const service = useTestService()
beforeAll(async () => {
  const { db } = service.services
  for (const [index, given] of Object.entries(recipes)) {
    const type = index === 'clip' ? ('preview' as const) : ('transcode' as const)
    const { organization_id: organizationId } = service.demo
    await insertVariant(db, { organizationId, trackId: null, type, index, props: resolveProps(type, given) })
  }
}, 60_000)

/** Integrated loudness and true peak of a delivered file, by ffmpeg's own meter. */
async function meter(file: Json): Promise<{ lufs: number; peak: number; tags: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-meter-'))
  try {
    const local = join(folder, 'sound')
    await Bun.write(local, await (await service.fetchEdge(file.url)).arrayBuffer())
    const args = ['-nostdin', '-hide_banner', '-i', local, '-af', 'ebur128=peak=true', '-f', 'null', '-']
    const said = Bun.spawnSync([FFMPEG, ...args]).stderr.toString()
    const summary = said.slice(said.lastIndexOf('Summary'))
    const number = (pattern: RegExp) => Number(pattern.exec(summary)?.[1])
    return { lufs: number(/I:\s+(\S+) LUFS/), peak: number(/Peak:\s+(\S+) dBFS/), tags: said }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

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
    files = (await processed(service, await noise(0.05), 'quiet.wav')).files
  }, 60_000)

  test.each([
    { index: 'level', target: -20 },
    { index: 'low', target: -23 },
    { index: 'mono', target: -20 },
    { index: 'clip', target: -20 },
  ])('$index is as loud as was asked for', async ({ index, target }) => {
    expect(files[index].status_text).toBeNull()
    const { lufs, peak } = await meter(files[index])
    expect(Math.abs(lufs - target)).toBeLessThanOrEqual(0.5)
    expect(peak).toBeLessThan(0)
  })

  test('keeps the loudness without it, and leaves it out of props', async () => {
    expect((await meter(files.hq)).lufs).toBeLessThan(-30)
    expect(files.hq.props).not.toHaveProperty('normalize')
    expect(files.level.props.normalize).toBe(-20)
  })

  test('writes gain tags of the delivered sound', async () => {
    const gain = /REPLAYGAIN_TRACK_GAIN\s*: (\S+) dB/i.exec((await meter(files.tagged)).tags)?.[1]
    expect(Math.abs(Number(gain) - (-18 - -20))).toBeLessThanOrEqual(0.5)
  })
})

test('stays below the target when peaks would clip, and adds a note', async () => {
  const clicks = String.raw`aevalsrc='if(lt(mod(t\,0.5)\,0.002)\,0.9\,0.01*sin(2*PI*300*t))':s=48000:d=3`
  const { files, track } = await processed(service, await makeMedia(['-f', 'lavfi', '-i', clicks], 'wav'), 'clicks.wav')
  expect(track.track_status_id).toBe('ready')
  expect(files.level).toMatchObject({ is_success: true, status_code: 'normalization_limited' })
  expect(files.level.status_text).toMatch(/LUFS instead of -20/)
  expect((await meter(files.level)).lufs).toBeLessThan(-21)
}, 30_000)

test.each<{ what: string; args: string[] }>([
  { what: 'silence', args: ['-f', 'lavfi', '-i', 'anullsrc=r=44100', '-t', '2'] },
  { what: 'a recording of 0.3 s', args: ['-f', 'lavfi', '-i', 'sine=d=0.3'] },
])(
  'does not normalize $what, and adds a note',
  async ({ args }) => {
    const { files, track } = await processed(service, await makeMedia(args, 'wav'), 'unmeasured.wav')
    expect(track.track_status_id).toBe('ready')
    expect(files.level).toMatchObject({ is_success: true, status_code: 'normalization_limited' })
    expect(files.level.status_text).toMatch(/^Not normalized: /)
    expect(files.hq.status_code).toBeNull()
  },
  30_000,
)

test('keeps silence silent', async () => {
  const silence = await makeMedia(['-f', 'lavfi', '-i', 'anullsrc=r=44100', '-t', '2'], 'wav')
  const { files, track } = await processed(service, silence, 'silence.wav')
  expect(track.track_status_id).toBe('ready')
  expect(files.level.is_success).toBe(true)
  expect(track.analysis).toMatchObject({ integrated_lufs: null, true_peak_dbtp: null, leading_silence_seconds: 2 })
}, 30_000)

test('attenuates a loud recording regardless of its peaks', async () => {
  const { files, track } = await processed(service, await noise(2), 'loud.wav')
  expect(track.analysis.integrated_lufs).toBeGreaterThan(-20)
  expect(Math.abs((await meter(files.level)).lufs - -20)).toBeLessThanOrEqual(0.5)
}, 30_000)
