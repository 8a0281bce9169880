// Normalized files of percussive sound, speech, orchestra and electronic music: each is as loud as its target and below the
// ceiling, or its note names the cause. Measured by ffmpeg.
import { describe, expect, test } from 'bun:test'
import { byFfmpeg } from './meters.ts'
import { programTables, targets } from './targets.ts'
import { useUploads } from './uploads.ts'

const MAX_MISS_LU = 0.2
/** Of the summary of ffmpeg's meter, in dB. */
const RESOLUTION = 0.05 + 1e-6
const CEILING_DBTP = -1
const MAX_EXCESS_DB = 0.1
/** Room of a file that is too soft, in dB: the last attempt leaves 1, and its peaks change by up to 0.3 with each encode. */
const MAX_ROOM_DB = 1.3

const causes =
  /: more would make its peaks clip\.$|: more would make its peaks clip, which the encoder raises by (\d+\.\d) dB\.$|: more would distort it, its limiter is at its bound of 12 dB\.$|: more would distort it, and a limiter would make it softer\.$|: no encode came closer\.$/

for (const table of programTables) {
  const uploaded = useUploads(table)
  for (const row of table.rows) {
    describe(row.name, () => {
      test.concurrent.each(targets)('$index', async ({ index, lufs }) => {
        const { files, file } = uploaded(row)
        const { status_code: code, status_text: text, props } = files[index]
        const { integrated, truePeak } = await byFfmpeg(file(index))
        const figures = `${integrated} LUFS, ${truePeak} dBTP, ${text}`
        expect(truePeak - CEILING_DBTP, figures).toBeLessThanOrEqual(MAX_EXCESS_DB + RESOLUTION)
        // Few blocks of a short program are near the gate, and one of them counts.
        expect(Math.abs(props.integrated_lufs - integrated)).toBeLessThan(0.15)
        if (Math.abs(integrated - lufs) <= MAX_MISS_LU) return
        expect(code, figures).toBe('normalization_limited')
        expect(text).toMatch(/^Normalized to -\d+\.\d LUFS instead of -\d+: /)
        expect(text).toMatch(causes)
        expect(integrated).toBeLessThan(lufs)
        expect(truePeak, figures).toBeGreaterThan(CEILING_DBTP - MAX_ROOM_DB)
      })
    })
  }
}
