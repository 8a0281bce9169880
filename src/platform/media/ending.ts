import { type FileHandle, open } from 'node:fs/promises'
import type { FileEnding, ReadBytes } from './formats/file-ending.ts'
import { readMatroskaEnding } from './formats/matroska-ending.ts'
import { readMp4Ending } from './formats/mp4-ending.ts'
import { readOggEnding } from './formats/ogg-ending.ts'

/** Bytes that are read at once: the heads of many small parts. */
const WINDOW_BYTES = 1 << 14

/**
 * Follows the parts of a container to the end of the file. Other containers are `whole`.
 * @param file local path
 */
export async function readEnding(file: string): Promise<FileEnding> {
  const source = await open(file, 'r')
  try {
    const { size } = await source.stat()
    const read = createReader(source)
    const magic = await read(0, 16)
    if (/^(ftyp|moov|mdat|wide|skip)$/.test(magic.toString('latin1', 4, 8))) return await readMp4Ending(read, size)
    if (magic.subarray(0, 4).equals(EBML)) return await readMatroskaEnding(read, size)
    if (magic.toString('latin1', 0, 4) === 'OggS') return await readOggEnding(read, size)
    if (magic.toString('latin1', 0, 4) === 'wvpk') return await readWavPackEnding(read, size)
    if (magic.toString('latin1', 0, 4) === 'TTA1') return await readTtaEnding(read, size)
    if (magic.equals(ASF_HEADER)) return await readAsfEnding(read, size)
    return 'whole'
  } finally {
    await source.close()
  }
}

const EBML = Buffer.from('1a45dfa3', 'hex')
const ASF_HEADER = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex')

function createReader(source: FileHandle): ReadBytes {
  let [start, window] = [0, Buffer.alloc(0)]
  return async (at, length) => {
    if (at < start || at + length > start + window.length) {
      const buffer = Buffer.alloc(Math.max(WINDOW_BYTES, length))
      const { bytesRead } = await source.read(buffer, 0, buffer.length, at)
      start = at
      window = buffer.subarray(0, bytesRead)
    }
    return window.subarray(at - start, at - start + length)
  }
}

/** Objects of ASF have an ID and a 64-bit size (ASF specification, 2.1). */
async function readAsfEnding(read: ReadBytes, fileBytes: number): Promise<FileEnding> {
  const HEAD_BYTES = 24
  const MAX_OBJECTS = 1000
  let at = 0
  for (let objects = 0; at + HEAD_BYTES <= fileBytes && objects < MAX_OBJECTS; objects++) {
    const size = Number((await read(at, HEAD_BYTES)).readBigUInt64LE(16))
    // Live recordings do not know the size of their data.
    if (size < HEAD_BYTES) return 'whole'
    at += size
  }
  return at > fileBytes ? 'cut' : 'whole'
}

/** Blocks of WavPack have an ID, and their size without both. Tags follow the last one. */
async function readWavPackEnding(read: ReadBytes, fileBytes: number): Promise<FileEnding> {
  const HEAD_BYTES = 8
  /** Blocks of half a second. */
  const MAX_BLOCKS = 500_000
  let at = 0
  for (let blocks = 0; blocks < MAX_BLOCKS; blocks++) {
    const head = await read(at, HEAD_BYTES)
    if (head.length < HEAD_BYTES || head.toString('latin1', 0, 4) !== 'wvpk') break
    at += HEAD_BYTES + head.readUInt32LE(4)
  }
  return at > fileBytes ? 'cut' : 'whole'
}

/** TTA has the size of each frame after its header (True Audio format, 2). */
async function readTtaEnding(read: ReadBytes, fileBytes: number): Promise<FileEnding> {
  const [HEAD_BYTES, CHECKSUM_BYTES, MAX_TABLE_BYTES] = [22, 4, 1 << 22]
  const head = await read(0, HEAD_BYTES)
  if (head.length < HEAD_BYTES) return 'cut'
  const frameSamples = Math.floor((head.readUInt32LE(10) * 256) / 245)
  const tableBytes = 4 * Math.ceil(head.readUInt32LE(14) / Math.max(1, frameSamples))
  if (tableBytes > MAX_TABLE_BYTES) return 'whole'
  const table = await read(HEAD_BYTES, tableBytes)
  let end = HEAD_BYTES + tableBytes + CHECKSUM_BYTES
  for (let at = 0; at + 4 <= table.length; at += 4) end += table.readUInt32LE(at)
  return end > fileBytes ? 'cut' : 'whole'
}
