import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { damageReader, findDamage } from '../../../src/platform/media/damage.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia } from '../../support/audio.ts'
import { sandboxedTools } from '../../support/tools.ts'
import { describeVersions } from '../../support/versions.ts'

/** Packets of a tenth of a second, each with its frame. @param late seconds that are missing before them */
const packets = (from: number, to: number, late = 0) =>
  Array.from({ length: to - from }, (_, at) => `${packet(from + at, late)}frame|nb_samples=800\n`).join('')
const packet = (at: number, late = 0) => `packet|pts_time=${(at / 10 + late).toFixed(6)}|duration_time=0.100000\n`
/** As a FLAC whose parser has found no frame: three frames and the place of a fourth. */
const untimed = `packet|pts_time=N/A|duration_time=N/A\n${'frame|nb_samples=800|\n'.repeat(3)}`
const withError = (at: number) => `${packet(at)}frame|nb_samples=800|log|level=16|log|level=16\n\n`

test.each<{ what: string; report: string; at: number | null; container?: string; jitter?: number }>([
  { what: 'a packet without a frame', report: packets(0, 5) + packet(5) + packets(6, 9), at: 0.5 },
  {
    what: 'a packet with a part of its frames',
    report: `${packets(0, 5)}${packet(5)}frame|nb_samples=400\nframe|nb_samples=200\n${packets(6, 9)}`,
    at: 0.575,
  },
  { what: 'a frame with an error', report: packets(0, 5) + withError(5) + packets(6, 9), at: 0.5 },
  { what: 'a gap', report: packets(0, 5) + packets(5, 9, 0.1), at: 0.5 },
  { what: 'a gap after packets without a time', report: packets(0, 5) + untimed + packets(9, 12), at: 0.8 },
  { what: 'packets without a time', report: packets(0, 5) + untimed + packets(8, 12), at: null },
  { what: 'times that are rounded', report: packets(0, 5) + packets(5, 9, 0.004), at: null },
  {
    what: 'a gap of one short packet',
    report: `${packets(0, 5)}${[500, 501, 503].map((ms) => `packet|pts_time=0.${ms}000|duration_time=0.001000\nframe|nb_samples=8\n`).join('')}`,
    at: 0.502,
  },
  { what: 'a time before the last', report: packets(0, 5) + packets(2, 9), at: null },
  { what: 'the first of two damages', report: packets(0, 3) + withError(3) + packet(4) + packets(5, 9), at: 0.3 },
  { what: 'a packet without a frame at the start', report: packet(0) + packets(1, 9), at: null },
  { what: 'an error at the start', report: withError(0) + packets(1, 9), at: null },
  { what: 'a packet without a frame at the end', report: packets(0, 5) + packet(5), at: null },
  { what: 'a frame with an error at the end', report: packets(0, 5) + withError(5), at: 0.5 },
  { what: 'a gap in Ogg', container: 'ogg', report: packets(0, 5) + packets(5, 9, 0.1), at: 0.5 },
  {
    what: 'headers of a second stream of Ogg',
    container: 'ogg',
    report: packets(0, 5) + packet(5) + withError(6),
    at: null,
  },
  { what: 'times of a clock', jitter: 0.05, report: packets(0, 5) + packets(5, 9, 0.054), at: null },
  { what: 'a gap between times of a clock', jitter: 0.05, report: packets(0, 5) + packets(5, 9, 0.056), at: 0.5 },
  { what: 'no report', report: '', at: null },
])('$what: $at', ({ report, at, container = 'flac', jitter }) => {
  for (const size of [1, 7, report.length]) {
    const reader = damageReader({ container, sampleRate: 8000 }, jitter)
    for (let from = 0; from < report.length; from += size) reader.read(report.slice(from, from + size))
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

  const search = async (maxReportBytes?: number) => {
    const recording = { file, probe: await probe(sandboxedTools, file), folder }
    const decoded = { errors: '[flac @ 0x1] invalid sync code', durationSeconds: SECONDS }
    return findDamage(sandboxedTools, recording, decoded, maxReportBytes)
  }

  test('is searched', async () => {
    expect(await search()).toBeCloseTo(0.8 * SECONDS, 0)
  })

  test('has no known damage after too long a report', async () => {
    expect(await search(10_000)).toBeNull()
  })
})

/** Four seconds of noise, with other bytes from the middle on. */
async function makeDamaged(extension: string, args: readonly string[]) {
  const noise = 'anoisesrc=color=pink:d=4:r=48000:amplitude=0.4:seed=1'
  const bytes = await makeMedia(['-f', 'lavfi', '-i', noise, '-ac', '1', ...args], extension)
  const half = bytes.length >> 1
  for (let at = half; at < half + 2000; at++) bytes[at] = (at * 151 + 7) % 256
  return bytes
}

describeVersions('programs', (tools) => {
  async function locate(extension: string, args: readonly string[], durationSeconds: number): Promise<number | null> {
    const folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
    try {
      const file = join(folder, 'recording')
      await Bun.write(file, await makeDamaged(extension, args))
      const report = { ...(await probe(tools, file)), announcedSeconds: durationSeconds }
      const decoded = { errors: '[matroska,webm @ 0x1] invalid size', durationSeconds }
      return await findDamage(tools, { file, probe: report, folder }, decoded)
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  test.each([
    ['flac', [], 0.1],
    ['m4a', ['-c:a', 'aac'], 0.3],
    ['mp3', ['-b:a', '128k'], 0.5],
    ['tta', [], 1.1],
    ['opus', [], 1.1],
    ['mka', ['-c:a', 'pcm_s16le', '-cluster_time_limit', '500'], 0.5],
  ] as const)('locate the damage of a %s', async (extension, args, maxError) => {
    expect(await locate(extension, args, 4)).toBeWithin(2 - maxError, 2 + maxError)
  })

  test('find no damage after the sound that is played', async () => {
    expect(await locate('m4a', ['-c:a', 'aac'], 1.9)).toBeNull()
  })
})
