// Organization-wide variants with parameters that variants of a single track do not have.
import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { FFMPEG, soundTools } from '../../support/tools.ts'

const recipes: Record<string, object> = {
  mp3: { codec: 'mp3' },
  mp3_cbr: { codec: 'mp3', bitrate_mode: 'cbr' },
  mp3_vbr: { codec: 'mp3', bitrate_mode: 'vbr' },
  opus: { codec: 'opus' },
  opus_cbr: { codec: 'opus', bitrate_mode: 'cbr' },
  opus_vbr: { codec: 'opus', bitrate_mode: 'vbr' },
  measured: { codec: 'aac', is_measured: true },
  measured_copy: { codec: 'wav', is_measured: true },
  measured_mono: { codec: 'flac', is_stereo: false, is_measured: true, is_strip_tags: false },
  clip_measured: { codec: 'mp3', is_measured: true, preview_seconds: 2, preview_start_percent: 0 },
  clip_faded: {
    codec: 'opus',
    bitrate: 256,
    preview_seconds: 2,
    preview_start_percent: 0,
    fade_in_seconds: 0.5,
    fade_out_seconds: 1,
  },
  clip_hard: { codec: 'opus', bitrate: 256, preview_seconds: 2, preview_start_percent: 0 },
  clip_silent: { codec: 'mp3', is_measured: true, preview_seconds: 2, preview_start_percent: 40 },
}

const service = useTestService(undefined, soundTools)
beforeAll(async () => {
  const { db } = service.services
  await db.variant.updateMany({ data: { deletedAt: new Date() } })
  for (const [index, recipe] of Object.entries(recipes)) {
    const type = index.startsWith('clip') ? ('preview' as const) : ('transcode' as const)
    const { organization_id: organizationId } = service.demo
    await insertVariant(db, { organizationId, trackId: null, type, index, props: resolveProps(type, recipe) })
  }
}, 60_000)

/** Integrated loudness and true peak of a delivered file, by ffmpeg's own meter. */
async function meter(file: Json): Promise<{ lufs: number; peak: number; said: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-meter-'))
  try {
    const local = join(folder, 'sound')
    await Bun.write(local, await bytesOf(file))
    const args = ['-nostdin', '-hide_banner', '-i', local, '-af', 'ebur128=peak=true', '-f', 'null', '-']
    const said = Bun.spawnSync([FFMPEG, ...args]).stderr.toString()
    const summary = said.slice(said.lastIndexOf('Summary'))
    const number = (pattern: RegExp) => Number(pattern.exec(summary)?.[1])
    return { lufs: number(/I:\s+(\S+) LUFS/), peak: number(/Peak:\s+(\S+) dBFS/), said }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const bytesOf = async ({ url }: Json) => Buffer.from(await (await service.fetchEdge(url)).arrayBuffer())

describe('a recording with silence in it', () => {
  let files: Record<string, Json>
  let track: Json
  beforeAll(async () => {
    const noise = "anoisesrc=d=6:r=48000:seed=3:a=0.3,volume='if(between(t,2,5),0,1)':eval=frame"
    const processedTrack = await processed(
      service,
      await makeMedia(['-f', 'lavfi', '-i', noise, '-ac', '2'], 'wav'),
      'a.wav',
    )
    ;({ files, track } = processedTrack)
  }, 60_000)

  test.each(['mp3_cbr', 'opus_cbr'])('has the bit rate in every second: %s', (index) => {
    expect(Math.abs(files[index].props.measured_bitrate - 128)).toBeLessThan(128 * 0.03)
  })

  test.each(['mp3_vbr', 'opus_vbr'])('takes less in the silence: %s', (index) => {
    expect(files[index].props.measured_bitrate).toBeLessThan(128 * 0.8)
  })

  test.each([
    ['mp3', 'mp3_cbr'],
    ['opus', 'opus_vbr'],
  ])('has the mode of its encoder by default: %s as %s', async (index, same) => {
    expect(Buffer.compare(await bytesOf(files[index]), await bytesOf(files[same]))).toBe(0)
  })

  test.each(['measured', 'measured_copy', 'measured_mono', 'clip_measured'])('is measured: %s', async (index) => {
    const { integrated_lufs: lufs, true_peak_dbtp: peak } = files[index].props
    const figures = await meter(files[index])
    expect(Math.abs(lufs - figures.lufs)).toBeLessThanOrEqual(0.1)
    expect(Math.abs(peak - figures.peak)).toBeLessThanOrEqual(0.2)
    expect(files[index].status_code).toBeNull()
  })

  test('fades linearly in a preview of the same length', async () => {
    const levels = async (index: string) => {
      const bytes = await bytesOf(files[index])
      const folder = mkdtempSync(join(tmpdir(), 'tonearm-fade-'))
      try {
        await Bun.write(join(folder, 'sound'), bytes)
        const args = ['-v', 'error', '-i', join(folder, 'sound'), '-ac', '1', '-ar', '48000', '-f', 's16le', '-']
        const out = Buffer.from(Bun.spawnSync([FFMPEG, ...args]).stdout)
        const samples = new Int16Array(out.buffer.slice(out.byteOffset, out.byteOffset + out.length))
        const rms = (from: number) => {
          const part = samples.subarray(from * 48_000, (from + 0.05) * 48_000)
          return Math.sqrt(part.reduce((sum, sample) => sum + sample ** 2, 0) / part.length)
        }
        return { length: samples.length, rms }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
    const [faded, hard] = [await levels('clip_faded'), await levels('clip_hard')]
    expect(Math.abs(hard.length - 96_000)).toBeLessThanOrEqual(1)
    expect(faded.length).toBe(hard.length)
    for (const [at, gain] of [
      [0, 0.05],
      [0.225, 0.5],
      [0.7, 1],
      [1.225, 0.75],
      [1.475, 0.5],
      [1.725, 0.25],
      [1.95, 0.025],
    ] as const) {
      expect(Math.abs(faded.rms(at) / hard.rms(at) - gain), `at ${at} s`).toBeLessThan(0.06)
    }
  })

  test('has the loudness of the recording in a lossless copy', () => {
    const { integrated_lufs: lufs, true_peak_dbtp: peak } = files.measured_copy.props
    expect([lufs, peak]).toEqual([track.analysis.integrated_lufs, track.analysis.true_peak_dbtp])
  })

  test('has a gain tag of the measured file', async () => {
    const gain = /REPLAYGAIN_TRACK_GAIN\s*: (\S+) dB/i.exec((await meter(files.measured_mono)).said)?.[1]
    expect(Math.abs(Number(gain) - (-18 - files.measured_mono.props.integrated_lufs))).toBeLessThanOrEqual(0.01)
  })

  test('has no loudness where it is silent, and none without a request', () => {
    for (const index of ['clip_silent', 'mp3']) expect(files[index].props).not.toHaveProperty('integrated_lufs')
    expect(files.clip_silent).toMatchObject({ is_success: true, props: { is_measured: true } })
  })
})
