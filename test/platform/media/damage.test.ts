import { expect, test } from 'bun:test'
import { damageReader } from '../../../src/platform/media/damage.ts'

const frame = (at: number) =>
  `[Parsed_ashowinfo_0 @ 0x55609a29d100] [info] n:${at} pts:${at} pts_time:0 fmt:s16 rate:8000 nb_samples:800 checksum:1\n`
const error =
  '[flac @ 0x55609a2c1d00] [error] invalid sync code\n[error] Error while decoding stream #0:0: Invalid data\n'
const frames = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => frame(from + i)).join('')

const page = '[ogg @ 0x5] [error] CRC mismatch!\n'

test.each<{ what: string; log: string; at: number | null; container?: string }>([
  { what: 'an error between frames', log: frames(0, 5) + error + frames(5, 9), at: 0.5 },
  { what: 'the first of two errors', log: frames(0, 2) + error + frames(2, 6) + error + frames(6, 9), at: 0.2 },
  { what: 'an error in front of the sound', log: error + frames(0, 5), at: null },
  { what: 'an error behind the sound', log: frames(0, 5) + error, at: null },
  { what: 'a warning', log: `${frames(0, 5)}[mp3 @ 0x5] [warning] odd\n${frames(5, 9)}`, at: null },
  { what: 'a tag that looks like an error', log: `${frames(0, 5)}    title  : [error] x\n${frames(5, 9)}`, at: null },
  { what: 'a message of the muxer', log: `${frames(0, 5)}[null @ 0x5] [error] dts\n${frames(5, 9)}`, at: null },
  { what: 'a page of Ogg', container: 'ogg', log: frames(0, 5) + page + frames(5, 9), at: 0.5 },
  { what: 'a second stream of Ogg', container: 'ogg', log: frames(0, 5) + error + frames(5, 9), at: null },
  { what: 'no message', log: '', at: null },
])('$what: $at', ({ log, at, container = 'flac' }) => {
  for (const size of [1, 7, log.length]) {
    const reader = damageReader(container)
    for (let from = 0; from < log.length; from += size) reader.read(log.slice(from, from + size))
    expect(reader.found()).toEqual(at === null ? null : expect.closeTo(at, 9))
  }
})
