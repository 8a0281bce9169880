import type { FileEnding, ReadBytes } from './file-ending.ts'

const [HEAD_BYTES, MAX_TABLE_BYTES, TYPE_AT, SERIAL_AT, SEGMENTS_AT] = [27, 255, 5, 14, 26]
const BEGIN_OF_STREAM = 2
/** A page has at least 4 kB of sound in usual files. */
const MAX_PAGES = 500_000
/** The longest page. Tags of another kind, which are at the end of some files, are not followed by a page. */
const SEARCH_BYTES = 65_307

/**
 * Follows the pages of an Ogg file. `open` when a page is followed by something else before another page, or belongs to a
 * stream that has not begun: decoders stop there. `lacksEndOfStream` checks the last page.
 * @see RFC 3533, section 6
 */
export async function readOggEnding(read: ReadBytes, fileBytes: number): Promise<FileEnding> {
  const serials = new Set<number>()
  let at = 0
  for (let pages = 0; at < fileBytes && pages < MAX_PAGES; pages++) {
    const head = await read(at, HEAD_BYTES + MAX_TABLE_BYTES)
    if (head.length < HEAD_BYTES) return 'whole'
    if (!isPage(head)) return (await read(at, SEARCH_BYTES)).includes('OggS') ? 'open' : 'whole'
    const serial = head.readUInt32LE(SERIAL_AT)
    if ((head.readUInt8(TYPE_AT) & BEGIN_OF_STREAM) !== 0) serials.add(serial)
    if (!serials.has(serial)) return 'open'
    const bodyAt = HEAD_BYTES + head.readUInt8(SEGMENTS_AT)
    at += head.subarray(HEAD_BYTES, bodyAt).reduce((sum, length) => sum + length, bodyAt)
  }
  return 'whole'
}

const isPage = (head: Buffer) => head.toString('latin1', 0, 4) === 'OggS' && head[4] === 0
