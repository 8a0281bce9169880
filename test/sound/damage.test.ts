// Damaged, cut off and unusual recordings: what is said of them, and how much of them is delivered.
import { describe, expect, test } from 'bun:test'
import { isOldFfmpeg } from '../support/tools.ts'
import { damagedRecordings, damagedTable } from './damaged.ts'
import { decode, probe } from './decode.ts'
import { useUploads } from './uploads.ts'

const uploaded = useUploads(damagedTable)

describe('has the right status', () => {
  test.concurrent.each(damagedRecordings)('$name', async (row) => {
    const { track } = uploaded(row)
    const { track_status_id: status, status_code: code, status_text: text, analysis } = track
    expect([status, code]).toEqual([...row.state])
    expect(text === null).toBe(code === null)
    if (code === 'truncated' && row.seconds) {
      const [, announced, contained] = /It announces ([\d.]+) seconds and contains ([\d.]+)\.$/.exec(text) ?? []
      expect(Math.abs(Number(announced) - 4)).toBeLessThanOrEqual(0.1)
      expect(Number(contained)).toBeWithin(...row.seconds)
      return
    }
    if (row.damagedAt) {
      expect(analysis.damaged_at_seconds).toBeWithin(...row.damagedAt)
      expect(text).toContain(`damaged ${analysis.damaged_at_seconds.toFixed(1)} seconds after the start`)
    } else if (status === 'ready') expect(analysis.damaged_at_seconds).toBeNull()
    if (status === 'ready' && row.seconds) expect(track.duration).toBeWithin(row.seconds[0], row.seconds[1] + 1e-9)
  })
})

const playable = damagedRecordings.filter(({ state: [status] }) => status === 'ready')

describe.skipIf(isOldFfmpeg)('is delivered as far as it can be decoded', () => {
  test.concurrent.each(playable)('$name', async (row) => {
    const { file, track } = uploaded(row)
    const [lossless, opus] = await Promise.all([decode(file('flac')), decode(file('opus'))])
    const samples = lossless.channels[0]?.length ?? 0
    expect(samples).toBeGreaterThan(0)
    expect(Math.abs(samples / lossless.rate - track.duration)).toBeLessThanOrEqual(0.001)
    const length = (samples * opus.rate) / lossless.rate
    // Fewer samples than a resampler needs are padded.
    const least = Math.max(32, lossless.rate / 1000)
    const excess = Math.max(0, (least * opus.rate) / lossless.rate - length)
    expect((opus.channels[0]?.length ?? 0) - length).toBeWithin(-1.5, excess + 1.5)
    const { seconds, rate } = await probe(file('aac'))
    expect(seconds * rate - (samples * rate) / lossless.rate).toBeWithin(-1.5, (excess * rate) / opus.rate + 1.5)
  })
})

describe('has no files', () => {
  test.concurrent.each(damagedRecordings.filter(({ state: [status] }) => status === 'init_error'))(
    '$name',
    async (row) => {
      expect(Object.values(uploaded(row).files).filter(({ is_success: isSuccess }) => isSuccess)).toEqual([])
    },
  )
})
