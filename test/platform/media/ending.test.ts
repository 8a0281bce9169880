import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnding } from '../../../src/platform/media/ending.ts'
import type { FileEnding } from '../../../src/platform/media/formats/file-ending.ts'
import { ebmlHeader, element } from '../../support/matroska.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-ending-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function endingOf(bytes: Uint8Array): Promise<FileEnding> {
  const file = join(folder, 'recording')
  await Bun.write(file, bytes)
  return readEnding(file)
}

const body = Buffer.alloc(300, 'x')
const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** An element without a size, as live recorders write it. */
const unsized = (id: string, content: Buffer[]) =>
  Buffer.concat([Buffer.from(id, 'hex'), Buffer.from('01ffffffffffffff', 'hex'), ...content])
const block = element('a3', body)
const info = element('1549a966', [element('2ad7b1', uint32(1_000_000))])
const sizedCluster = element('1f43b675', [element('e7', Uint8Array.of(0)), block, block])
const matroska = Buffer.concat([ebmlHeader('webm'), element('18538067', [info, sizedCluster, sizedCluster])])
const cluster = unsized('1f43b675', [element('e7', Uint8Array.of(0)), block, element('a0', [element('a1', body)])])
const live = Buffer.concat([ebmlHeader('webm'), unsized('18538067', [info, cluster, cluster])])

const box = (type: string, content: Buffer) =>
  Buffer.concat([uint32(8 + content.length), Buffer.from(type, 'latin1'), content])
const fragment = Buffer.concat([box('moof', body), box('mdat', body)])
const head = Buffer.concat([box('ftyp', Buffer.from('isom')), box('moov', body)])
const mp4 = Buffer.concat([head, box('mdat', body)])
const fragmented = Buffer.concat([head, fragment, fragment])
/** Version 0: stream, time scale, first time, first offset, two segments. */
const segments = box(
  'sidx',
  Buffer.concat([
    uint32(0),
    uint32(1),
    uint32(1),
    uint32(0),
    uint32(0),
    uint32(2),
    ...[0, 1].flatMap(() => [uint32(fragment.length), uint32(1), uint32(0)]),
  ]),
)
const indexed = Buffer.concat([head, segments, fragment, fragment])
const longBox = Buffer.concat([uint32(1), Buffer.from('mdat'), uint32(0), uint32(16 + body.length), body])

/** A page of Ogg without a checksum. @param type 2 begins a stream, 4 ends it */
const page = (type: number, serial: number) =>
  Buffer.concat([
    Buffer.from('OggS\0'),
    Uint8Array.of(type),
    Buffer.alloc(8),
    uint32(serial),
    Buffer.alloc(8),
    Uint8Array.of(1, 200),
    Buffer.alloc(200),
  ])
const ogg = Buffer.concat([page(2, 1), page(0, 1), page(4, 1)])

const asfObject = (guid: string, content: Buffer, size = 24 + content.length) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(size))
  return Buffer.concat([Buffer.from(guid, 'hex'), bytes, content])
}
const asfHead = asfObject('3026b2758e66cf11a6d900aa0062ce6c', body)
const asfData = '3626b2758e66cf11a6d900aa0062ce6c'

const littleEndian = (value: number) => uint32(value).reverse()
const wavPackBlock = Buffer.concat([Buffer.from('wvpk'), littleEndian(body.length), body])
const wavPack = Buffer.concat([wavPackBlock, wavPackBlock])
/** Two frames of 48 kHz, whose samples and sizes are counted. */
const tta = Buffer.concat([
  Buffer.from('TTA1'),
  Buffer.alloc(6),
  littleEndian(48_000),
  littleEndian(60_000),
  Buffer.alloc(4),
  littleEndian(body.length),
  littleEndian(body.length),
  Buffer.alloc(4),
  body,
  body,
])

test.each<{ name: string; bytes: Buffer; ending: FileEnding }>([
  { name: 'a Matroska', bytes: matroska, ending: 'whole' },
  { name: 'a live Matroska', bytes: live, ending: 'whole' },
  {
    name: 'a Matroska whose second cluster is lost',
    bytes: zeroed(matroska, sizedCluster.length + 20),
    ending: 'open',
  },
  { name: 'a live Matroska with zeros', bytes: zeroed(live, cluster.length), ending: 'open' },
  { name: 'an MP4', bytes: mp4, ending: 'whole' },
  { name: 'an MP4 with a 64-bit size', bytes: Buffer.concat([head, longBox]), ending: 'whole' },
  { name: 'an MP4 with a longer 64-bit size', bytes: Buffer.concat([head, longBox]).subarray(0, -1), ending: 'cut' },
  {
    name: 'an MP4 whose last box has no size',
    bytes: Buffer.concat([head, uint32(0), Buffer.from('mdat'), body]),
    ending: 'whole',
  },
  { name: 'a fragmented MP4', bytes: fragmented, ending: 'whole' },
  {
    name: 'a fragmented MP4 that ends between two fragments',
    bytes: fragmented.subarray(0, -fragment.length),
    ending: 'whole',
  },
  { name: 'a fragmented MP4 that ends after an index', bytes: fragmented.subarray(0, -308), ending: 'cut' },
  { name: 'a fragmented MP4 with zeros', bytes: zeroed(fragmented, fragment.length), ending: 'open' },
  { name: 'an MP4 with an index of segments', bytes: indexed, ending: 'whole' },
  { name: 'an MP4 that lacks an indexed segment', bytes: indexed.subarray(0, -fragment.length), ending: 'cut' },
  { name: 'an Ogg', bytes: ogg, ending: 'whole' },
  {
    name: 'an Ogg with tags of another kind at its end',
    bytes: Buffer.concat([ogg, Buffer.alloc(128)]),
    ending: 'whole',
  },
  { name: 'two joined Oggs', bytes: Buffer.concat([ogg, page(2, 2), page(4, 2)]), ending: 'whole' },
  {
    name: 'an Ogg with a page of no stream',
    bytes: Buffer.concat([page(2, 1), page(0, 7), page(4, 1)]),
    ending: 'open',
  },
  { name: 'an Ogg with zeros', bytes: Buffer.concat([page(2, 1), Buffer.alloc(500), page(4, 1)]), ending: 'open' },
  { name: 'a WMA', bytes: Buffer.concat([asfHead, asfObject(asfData, body)]), ending: 'whole' },
  {
    name: 'a WMA that lacks a byte',
    bytes: Buffer.concat([asfHead, asfObject(asfData, body)]).subarray(0, -1),
    ending: 'cut',
  },
  { name: 'a live WMA', bytes: Buffer.concat([asfHead, asfObject(asfData, body, 0)]), ending: 'whole' },
  { name: 'a WavPack', bytes: wavPack, ending: 'whole' },
  { name: 'a WavPack with tags', bytes: Buffer.concat([wavPack, Buffer.from('APETAGEX')]), ending: 'whole' },
  { name: 'a WavPack that lacks a byte', bytes: wavPack.subarray(0, -1), ending: 'cut' },
  { name: 'a TTA', bytes: tta, ending: 'whole' },
  { name: 'a TTA that lacks a byte', bytes: tta.subarray(0, -1), ending: 'cut' },
  { name: 'another container', bytes: Buffer.from('fLaC'), ending: 'whole' },
  { name: 'nothing', bytes: Buffer.alloc(0), ending: 'whole' },
])('$name is $ending', async ({ bytes, ending }) => {
  expect(await endingOf(bytes)).toBe(ending)
})

/** Zeros over the head of the last part. @param length of the part */
function zeroed(bytes: Buffer, length: number): Buffer {
  return Buffer.from(bytes).fill(0, bytes.length - length, bytes.length - length + 30)
}

describe('a file cut anywhere in its last part', () => {
  test.each([
    { name: 'Matroska', bytes: matroska },
    { name: 'live Matroska', bytes: live },
    { name: 'MP4', bytes: mp4 },
    { name: 'fragmented MP4', bytes: fragmented },
    { name: 'MP4 with an index of segments', bytes: indexed },
  ])('$name', async ({ bytes }) => {
    for (let length = bytes.length - 290; length < bytes.length; length += 7) {
      expect(await endingOf(bytes.subarray(0, length)), `${length} of ${bytes.length}`).toBe('cut')
    }
  })

  test.each([matroska, live, mp4, fragmented, indexed, ogg])('is read without an error', async (bytes) => {
    for (let length = 0; length < 120; length++) {
      expect(await endingOf(bytes.subarray(0, length))).toBeString()
    }
  })
})
