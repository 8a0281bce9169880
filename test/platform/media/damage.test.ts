import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { damageReader, findDamage } from '../../../src/platform/media/damage.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia } from '../../support/audio.ts'
import { hostTools } from '../../support/tools.ts'

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

describe('a recording in very short frames', () => {
  const SECONDS = 10
  let folder: string
  let file: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
    file = join(folder, 'recording')
    const noise = `anoisesrc=d=${SECONDS}:r=44100:seed=1`
    const flac = await makeMedia(['-f', 'lavfi', '-i', noise, '-c:a', 'flac', '-frame_size', '16'], 'flac')
    // A frame without its content, at four fifths of the sound.
    await Bun.write(file, flac.fill(0, Math.floor(flac.length * 0.8), Math.floor(flac.length * 0.8) + 40))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** @returns what is found, and the length of the messages */
  async function search(maxMessageChars?: number) {
    const messages = join(folder, crypto.randomUUID())
    const script = `"$@" 2>${messages}; status=$?; cat ${messages} >&2; exit $status`
    const tools = { ...hostTools, sandbox: ['/bin/sh', '-c', script, 'sh'], fileView: null }
    const recording = { file, probe: await probe(hostTools, file), folder }
    const decoded = { errors: '[flac @ 0x1] invalid sync code', durationSeconds: SECONDS }
    return { seconds: await findDamage(tools, recording, decoded, maxMessageChars), chars: Bun.file(messages).size }
  }

  test('is searched with few messages', async () => {
    const { seconds, chars } = await search()
    expect(seconds).toBeCloseTo(0.8 * SECONDS, 0)
    expect(chars).toBeLessThan(500_000)
  })

  test('has no known damage after too many messages', async () => {
    expect((await search(10_000)).seconds).toBeNull()
  })
})
