import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readMp3Count } from '../../../src/platform/media/formats/mp3-count.ts'
import { setMp3Length } from '../../../src/platform/media/formats/mp3-length.ts'
import { FFMPEG, isOldFfmpeg } from '../../support/tools.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-mp3-'))
})
afterAll(() => rm(folder, { recursive: true }))

const file = () => join(folder, 'sound.mp3')

function run(args: readonly string[]): Buffer {
  const { exitCode, stdout, stderr } = Bun.spawnSync([FFMPEG, '-nostdin', '-v', 'error', ...args])
  if (exitCode !== 0) throw new Error(stderr.toString())
  return Buffer.from(stdout)
}

/** A file as the service encodes it. */
function encode(samples: number, rate: number, channels: number): void {
  const source = ['-f', 'lavfi', '-i', `sine=sample_rate=${rate}:duration=4`, '-af', `atrim=end_sample=${samples}`]
  const options = [
    '-ac',
    String(channels),
    '-c:a',
    'libmp3lame',
    '-b:a',
    '64k',
    '-id3v2_version',
    '3',
    '-write_xing',
    '1',
  ]
  run([...source, ...options, '-y', file()])
}
const countDecoded = (channels: number) => run(['-i', file(), '-f', 's16le', '-']).length / 2 / channels

/** Up to 46 samples after whole frames, LAME's padding is too short. */
const lengths = [1, 14, 30, 46, 47, 60, 576, 1151, 1152]

describe.skipIf(isOldFfmpeg).each([
  { rate: 44_100, channels: 1 },
  { rate: 48_000, channels: 2 },
  { rate: 22_050, channels: 1 },
  { rate: 24_000, channels: 2 },
])('$rate Hz, $channels channels', ({ rate, channels }) => {
  test.each(lengths)('has its exact length: whole frames and %d samples', async (more) => {
    const samples = 20 * 1152 + more
    encode(samples, rate, channels)
    await setMp3Length(file(), samples)
    expect(countDecoded(channels)).toBe(samples)
    expect(await readMp3Count(file())).toMatchObject({ samples, sampleRate: rate })
  })
})

test('keeps the bytes of a file whose length is right, with its checksum', async () => {
  for (const channels of [1, 2]) {
    encode(20 * 1152 + 500, 44_100, channels)
    const bytes = await Bun.file(file()).bytes()
    await setMp3Length(file(), 20 * 1152 + 500)
    expect(Buffer.compare(await Bun.file(file()).bytes(), bytes)).toBe(0)
  }
})

test.each([
  {
    name: 'a file without a count',
    change: (bytes: Buffer) => bytes.fill(0, bytes.indexOf('Info'), bytes.indexOf('Info') + 4),
  },
  {
    name: 'a file of another encoder',
    change: (bytes: Buffer) => bytes.fill('x', bytes.lastIndexOf('Lavc'), bytes.lastIndexOf('Lavc') + 4),
  },
  { name: 'bytes', change: () => Buffer.alloc(1000, 1) },
  { name: 'half of a tag', change: (bytes: Buffer) => bytes.subarray(0, 60) },
  { name: 'nothing', change: () => Buffer.alloc(0) },
])('leaves $name unchanged', async ({ change }) => {
  encode(20 * 1152 + 1, 44_100, 1)
  const bytes = change(Buffer.from(await Bun.file(file()).bytes()))
  await Bun.write(file(), new Uint8Array(bytes))
  expect(await readMp3Count(file())).toBeNull()
  await setMp3Length(file(), 20 * 1152 + 1)
  expect(Buffer.compare(await Bun.file(file()).bytes(), bytes)).toBe(0)
})
