import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { findReason, type MediaReason, reasons } from '../../../src/platform/media/ffmpeg/reasons.ts'

const ended = { signal: null, stderr: '', timedOut: false, cpuMs: 0 }

test.each<{ how: object; reason: MediaReason }>([
  { how: {}, reason: 'encoder_failed' },
  { how: { timedOut: true, signal: 'SIGKILL' }, reason: 'timed_out' },
  // ffmpeg ends itself when it has used up its CPU time.
  { how: { cpuMs: 48_000 }, reason: 'timed_out' },
  { how: { cpuMs: 47_999 }, reason: 'encoder_failed' },
  { how: { signal: 'SIGXCPU' }, reason: 'timed_out' },
  { how: { signal: 'SIGSEGV', stderr: 'moov atom not found' }, reason: 'encoder_failed' },
  { how: { stderr: '[aac @ 0x1] Cannot allocate memory' }, reason: 'out_of_memory' },
  {
    how: { stderr: '[aac @ 0x1] Error: Cannot allocate memory\nNumber of streams exceeds max_streams' },
    reason: 'too_many_streams',
  },
  { how: { stderr: '[mov @ 0x1] moov atom not found' }, reason: 'truncated' },
  { how: { stderr: 'x\n[imc @ 0x1] Codec (imc) not on whitelist' }, reason: 'unsupported_codec' },
  { how: { stderr: '[hls @ 0x1] Format not on whitelist' }, reason: 'encoder_failed' },
])('a program that ends with $how is $reason', ({ how, reason }) => {
  expect(findReason({ ...ended, ...how }, 60, 'encoder_failed')).toBe(reason)
})

test.each(Object.entries(reasons))(
  '%s is a sentence in plain words, and is in the guide of status codes',
  async (code, sentence) => {
    const guide = await Bun.file(join(import.meta.dir, '../../../src/web/docs/guides/status-codes.md')).text()
    expect(guide).toContain(`| \`${code}\` |`)
    expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(sentence).not.toMatch(/ffmpeg|codec|container|demux|null|undefined/i)
  },
)
