import type { FileEnding, ReadBytes } from './file-ending.ts'

const [HEAD_BYTES, LONG_HEAD_BYTES] = [8, 16]
/** A fragment of a second has two boxes; a recording of 12 hours has fewer. */
const MAX_BOXES = 200_000

/**
 * Follows the boxes of an MP4 file, and the fragments that an index of segments announces.
 * @see ISO/IEC 14496-12, 4.2 and 8.16.3
 */
export async function readMp4Ending(read: ReadBytes, fileBytes: number): Promise<FileEnding> {
  let [at, lastType, announcedEnd] = [0, '', 0]
  for (let boxes = 0; at < fileBytes && boxes < MAX_BOXES; boxes++) {
    const head = await read(at, LONG_HEAD_BYTES)
    if (head.length < HEAD_BYTES) return 'cut'
    const type = head.toString('latin1', 4, 8)
    if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) return 'open'
    const short = head.readUInt32BE(0)
    // 0: up to the end of the file. 1: a 64-bit size follows.
    if (short === 0) return 'whole'
    const size = short === 1 && head.length === LONG_HEAD_BYTES ? Number(head.readBigUInt64BE(8)) : short
    if (size < HEAD_BYTES) return 'open'
    if (type === 'sidx') announcedEnd = Math.max(announcedEnd, await readSegmentsEnd(read, at, size))
    at += size
    lastType = type
  }
  // The data of a fragment follows its index.
  return at > fileBytes || announcedEnd > fileBytes || lastType === 'moof' ? 'cut' : 'whole'
}

/** Larger indexes are of no recording. */
const MAX_INDEX_BYTES = 1 << 20

/** Returns the end of the last segment that a `sidx` box lists. 0 for an unreadable box. */
async function readSegmentsEnd(read: ReadBytes, at: number, size: number): Promise<number> {
  const box = await read(at, Math.min(size, MAX_INDEX_BYTES))
  const isLong = box.length > HEAD_BYTES && box.readUInt8(HEAD_BYTES) > 0
  const countAt = isLong ? 38 : 30
  if (box.length < countAt + 2) return 0
  const firstOffset = isLong ? Number(box.readBigUInt64BE(28)) : box.readUInt32BE(24)
  const count = box.readUInt16BE(countAt)
  let end = at + size + firstOffset
  for (let i = 0, entry = countAt + 2; i < count && entry + 12 <= box.length; i++, entry += 12) {
    end += box.readUInt32BE(entry) & 0x7fff_ffff
  }
  return end
}
