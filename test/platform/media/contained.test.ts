import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { containedShare, lacksEndOfStream } from '../../../src/platform/media/contained.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-contained-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function fileOf(bytes: Uint8Array): Promise<string> {
  const file = join(folder, crypto.randomUUID())
  await Bun.write(file, bytes)
  return file
}

const ascii = (text: string) => Buffer.from(text, 'latin1')
const bits32 = (size: number, isBig = false) => {
  const bytes = Buffer.alloc(4)
  if (isBig) bytes.writeUInt32BE(size)
  else bytes.writeUInt32LE(size)
  return bytes
}
const bits64 = (size: bigint, isBig = false) => {
  const bytes = Buffer.alloc(8)
  if (isBig) bytes.writeBigUInt64BE(size)
  else bytes.writeBigUInt64LE(size)
  return bytes
}

const sound = Buffer.alloc(1000)
const format = Buffer.concat([ascii('fmt '), bits32(16), Buffer.alloc(16)])
/** A chunk of an odd size, which is followed by a byte that is not counted. */
const odd = Buffer.concat([ascii('LIST'), bits32(5), Buffer.alloc(6)])
const wav = (size: number, magic = 'RIFF', chunks: Buffer[] = []) => {
  const isBig = magic === 'RIFX'
  const head = isBig ? [ascii('fmt '), bits32(16, true), Buffer.alloc(16)] : [format]
  return Buffer.concat([ascii(`${magic}\0\0\0\0WAVE`), ...chunks, ...head, ascii('data'), bits32(size, isBig), sound])
}
const ds64 = (size: bigint) => Buffer.concat([ascii('ds64'), bits32(28), bits64(0n), bits64(size), Buffer.alloc(12)])
const guid = (name: string) => Buffer.concat([ascii(name), Buffer.alloc(12)])
const w64 = (size: bigint) =>
  Buffer.concat([
    guid('riff'),
    bits64(0n),
    guid('wave'),
    guid('fmt '),
    bits64(24n + 18n),
    Buffer.alloc(24),
    guid('data'),
    bits64(size),
    sound,
  ])
const caf = (size: bigint) =>
  Buffer.concat([
    ascii('caff\0\x01\0\0'),
    ascii('desc'),
    bits64(32n, true),
    Buffer.alloc(32),
    ascii('data'),
    bits64(size, true),
    sound,
  ])

const files: { name: string; bytes: Buffer; share: number }[] = [
  { name: 'a WAV of its size', bytes: wav(1000), share: 1 },
  { name: 'half a WAV', bytes: wav(2000), share: 0.5 },
  { name: 'half a WAV in big-endian', bytes: wav(2000, 'RIFX'), share: 0.5 },
  { name: 'half a WAV behind an odd chunk', bytes: wav(2000, 'RIFF', [odd]), share: 0.5 },
  { name: 'a WAV with more than it announces', bytes: wav(10), share: 1 },
  { name: 'a WAV of size 0', bytes: wav(0), share: 1 },
  { name: 'a WAV of the largest size that is believed', bytes: wav(0x7fff_efff), share: 1000 / 0x7fff_efff },
  { name: 'a WAV from a pipe of sox', bytes: wav(0x7fff_f000), share: 1 },
  { name: 'a WAV from a pipe of ffmpeg', bytes: wav(0xffff_ffff), share: 1 },
  { name: 'half an RF64', bytes: wav(0xffff_ffff, 'RF64', [ds64(2000n)]), share: 0.5 },
  { name: 'half a BW64', bytes: wav(0xffff_ffff, 'BW64', [ds64(2000n)]), share: 0.5 },
  { name: 'a tenth of an RF64 above 4 GiB', bytes: wav(0xffff_ffff, 'RF64', [ds64(10n ** 10n)]), share: 1e-7 },
  { name: 'an RF64 of size 0', bytes: wav(0xffff_ffff, 'RF64', [ds64(0n)]), share: 1 },
  { name: 'an RF64 with all bits set', bytes: wav(0xffff_ffff, 'RF64', [ds64(2n ** 64n - 1n)]), share: 1 },
  { name: 'an RF64 without its 64-bit sizes', bytes: wav(0xffff_ffff, 'RF64'), share: 1 },
  { name: 'half a W64', bytes: w64(2024n), share: 0.5 },
  { name: 'a W64 from a pipe', bytes: w64(2n ** 63n - 1n), share: 1 },
  { name: 'a W64 whose size is less than its head', bytes: w64(3n), share: 1 },
  { name: 'half a CAF', bytes: caf(2000n), share: 0.5 },
  { name: 'a CAF from a pipe', bytes: caf(2n ** 64n - 1n), share: 1 },
  { name: 'a WAV without sound', bytes: wav(1000).subarray(0, 44), share: 0 },
  { name: 'a chunk that reaches beyond the file', bytes: wav(2000, 'RIFF', [ascii('LIST\xff\xff\xff\xff')]), share: 1 },
  {
    name: 'more chunks than are looked at',
    bytes: wav(2000, 'RIFF', Array(1001).fill(ascii('LIST\0\0\0\0'))),
    share: 1,
  },
  { name: 'another container', bytes: ascii('fLaC data'), share: 1 },
  { name: 'a name of an object', bytes: ascii('constructor'), share: 1 },
  { name: 'nothing', bytes: Buffer.alloc(0), share: 1 },
]

test.each(files)('$name contains $share of the declared sound', async ({ bytes, share }) => {
  expect(await containedShare(await fileOf(bytes))).toBeCloseTo(share, 12)
})

/** A page of Ogg (RFC 3533, section 6). */
function page(type: number, body: Buffer): Buffer {
  const segments = Buffer.from([...Array(Math.floor(body.length / 255)).fill(255), body.length % 255])
  return Buffer.concat([
    ascii('OggS\0'),
    Buffer.from([type]),
    Buffer.alloc(20),
    Buffer.from([segments.length]),
    segments,
    body,
  ])
}
const [START, GOES_ON, END] = [2, 0, 4]
const body = Buffer.alloc(600, 'x')
const ended = Buffer.concat([page(START, body), page(GOES_ON, body), page(END, body)])

const oggs: { name: string; bytes: Buffer; lacks: boolean }[] = [
  { name: 'an Ogg with its end', bytes: ended, lacks: false },
  {
    name: 'an Ogg that ends with an empty page',
    bytes: Buffer.concat([page(START, body), page(END, Buffer.alloc(0))]),
    lacks: false,
  },
  { name: 'an Ogg of one page', bytes: page(START | END, body), lacks: false },
  { name: 'an Ogg without its last page', bytes: Buffer.concat([page(START, body), page(GOES_ON, body)]), lacks: true },
  { name: 'an Ogg that lacks one byte', bytes: ended.subarray(0, -1), lacks: true },
  { name: 'an Ogg cut in the head of its last page', bytes: ended.subarray(0, ended.length - 610), lacks: true },
  { name: 'an Ogg with junk behind its end', bytes: Buffer.concat([ended, Buffer.alloc(500)]), lacks: false },
  {
    name: 'letters by chance in its last page',
    bytes: Buffer.concat([page(START, body), page(END, ascii('xOggS\x01x'))]),
    lacks: false,
  },
  {
    name: 'an Ogg with more junk behind its end than is looked at',
    bytes: Buffer.concat([ended, Buffer.alloc(1 << 17)]),
    lacks: false,
  },
  { name: 'another container', bytes: ascii('RIFF'), lacks: false },
  { name: 'nothing', bytes: Buffer.alloc(0), lacks: false },
]

test.each(oggs)('$name: $lacks', async ({ bytes, lacks }) => {
  expect(await lacksEndOfStream(await fileOf(bytes))).toBe(lacks)
})

describe('a file truncated anywhere', () => {
  test.each([
    { name: 'WAV', bytes: wav(1000, 'RIFF', [odd]) },
    { name: 'RF64', bytes: wav(0xffff_ffff, 'RF64', [ds64(1000n)]) },
    { name: 'W64', bytes: w64(1024n) },
    { name: 'CAF', bytes: caf(1000n) },
    { name: 'Ogg', bytes: ended },
  ])('is read without an error: $name', async ({ bytes }) => {
    for (let length = 0; length < 200; length++) {
      const file = await fileOf(bytes.subarray(0, length))
      expect(await containedShare(file), `${length} bytes`).toBeWithin(0, 1.000001)
      expect(await lacksEndOfStream(file), `${length} bytes`).toBeBoolean()
    }
  })
})
