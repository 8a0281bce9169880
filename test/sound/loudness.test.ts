// Loudness and peaks: the analysis of recordings, and of files that were normalized. Measured by ffmpeg, and by libebur128
// and sox where they are installed.
import { describe, expect, test } from 'bun:test'
import { decode } from './decode.ts'
import { layoutRecordings, layoutTable } from './layouts.ts'
import { loudnessRecordings, loudnessTable } from './loudness.ts'
import { byFfmpeg, byLibrary, bySox, hasLibrary, type Loudness } from './meters.ts'
import { useUploads } from './uploads.ts'
import { TARGET_LUFS } from './variants.ts'

const uploaded = useUploads(loudnessTable)
const uploadedLayouts = useUploads(layoutTable)

const MAX_ERROR_LU = 0.1
const MAX_MISS_LU = 0.2
/** Files are limited to -1 dBTP before they are encoded. */
const CEILING_DBTP = -0.9

const audible = loudnessRecordings.filter(({ target }) => target !== 'silent')
const measurable = layoutRecordings.filter(({ isMeasurable }) => isMeasurable)

describe('is measured as by ffmpeg', () => {
  test.concurrent.each(audible)('$name', async (row) => {
    const { track, bytes } = uploaded(row)
    const { integrated, range, truePeak, samplePeak } = await byFfmpeg(bytes, row.name)
    const { analysis } = track
    expect(Math.abs(analysis.integrated_lufs - integrated)).toBeLessThan(MAX_ERROR_LU)
    expect(Math.abs(analysis.loudness_range_lu - range), `${analysis.loudness_range_lu} ${range} LU`).toBeLessThan(0.2)
    expect(Math.abs(analysis.true_peak_dbtp - truePeak)).toBeLessThan(0.15)
    expect(Math.abs(analysis.sample_peak_dbfs - samplePeak)).toBeLessThan(0.02)
  })

  test.concurrent.each(measurable)('$name', async (row) => {
    const { track, bytes } = uploadedLayouts(row)
    const { integrated } = await byFfmpeg(bytes, row.name)
    expect(Math.abs(track.analysis.integrated_lufs - integrated)).toBeLessThan(MAX_ERROR_LU)
  })
})

describe.skipIf(!hasLibrary)('is measured as by libebur128', () => {
  test.concurrent.each(audible)('$name', async (row) => {
    const { track, bytes } = uploaded(row)
    const { integrated, truePeak } = byLibrary(await decode(bytes, { name: row.name }), row.speakers)
    expect(Math.abs(track.analysis.integrated_lufs - integrated)).toBeLessThan(MAX_ERROR_LU)
    expect(Math.abs(track.analysis.true_peak_dbtp - truePeak)).toBeLessThan(0.15)
  })
})

describe.skipIf(!Bun.which('sox'))('has the offset and peak that sox measures', () => {
  test.concurrent.each(audible)('$name', async (row) => {
    const { track, bytes } = uploaded(row)
    const { dcOffset, peak } = await bySox(bytes, row.name)
    expect(Math.abs(track.analysis.dc_offset - dcOffset)).toBeLessThan(0.0001)
    expect(Math.abs(track.analysis.sample_peak_dbfs - peak)).toBeLessThan(0.02)
  })
})

/** Expects a file as loud as the target, by both meters. */
async function expectTarget(bytes: Uint8Array, { integrated, truePeak }: Loudness) {
  expect(Math.abs(integrated - TARGET_LUFS), `${integrated} LUFS by ffmpeg`).toBeLessThan(MAX_MISS_LU)
  expect(truePeak).toBeLessThan(CEILING_DBTP)
  if (!hasLibrary) return
  const { integrated: other } = byLibrary(await decode(bytes))
  expect(Math.abs(other - TARGET_LUFS), `${other} LUFS by libebur128`).toBeLessThan(MAX_MISS_LU)
}

describe.each(loudnessTable.variants)('%s', (index) => {
  const isLimiter = index === 'limited'

  test.concurrent.each(loudnessRecordings)('$name', async (row) => {
    const { files, file } = uploaded(row)
    const { status_code: code, status_text: text, props } = files[index]
    if (row.target === 'silent') {
      expect([code, text]).toEqual(['normalization_limited', expect.stringContaining('silent')])
      return
    }
    const bytes = file(index)
    const measured = await byFfmpeg(bytes)
    const { integrated, truePeak } = measured
    expect(Math.abs(props.integrated_lufs - integrated)).toBeLessThan(MAX_ERROR_LU)
    expect(Math.abs(props.true_peak_dbtp - truePeak)).toBeLessThan(0.2)
    if (row.target === 'limited' && !isLimiter) {
      const stated = Number(/^Normalized to (-\d+\.\d) LUFS/.exec(text)?.[1])
      expect([code, Math.abs(stated - integrated) < 0.15]).toEqual(['normalization_limited', true])
      expect(truePeak).toBeLessThan(CEILING_DBTP)
      return
    }
    expect(code).toBeNull()
    await expectTarget(bytes, measured)
  })
})

describe('a normalized mix reaches its target', () => {
  test.concurrent.each(layoutRecordings)('$name', async (row) => {
    const { files, file } = uploadedLayouts(row)
    for (const index of ['level_mp3', 'level_mono']) {
      expect(files[index].status_code).toBeNull()
      await expectTarget(file(index), await byFfmpeg(file(index)))
    }
  })
})
