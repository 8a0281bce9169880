import type { FileEnding, ReadBytes } from './file-ending.ts'

const SEGMENT = 0x18538067
const CLUSTER = 0x1f43b675
/** Elements of a segment: seek head, info, tracks, cues, attachments, chapters, tags. */
const topLevel = new Set([0x114d9b74, 0x1549a966, 0x1654ae6b, 0x1c53bb6b, 0x1941a469, 0x1043a770, 0x1254c367, CLUSTER])
/** Elements of a cluster: time, silent tracks, position, size of the one before, blocks. */
const inCluster = new Set([0xe7, 0x5854, 0xa7, 0xab, 0xa3, 0xa0, 0xaf])
/** Anywhere: padding and checksum. */
const global = new Set([0xec, 0xbf])
/** ID and size. */
const MAX_HEAD_BYTES = 12
/** Blocks of 20 ms over 5 hours. Longer live recordings are not followed to their end. */
const MAX_ELEMENTS = 1_000_000

interface Element {
  id: number
  /** Offset of its content. */
  from: number
  /** Null for an element that ends where the next of its level begins, as live recorders write it. */
  end: number | null
}

/**
 * Follows the elements of a Matroska or WebM file: those of the segment, and the blocks of clusters without a size.
 * @see RFC 8794, section 6; RFC 9559, section 5
 */
export async function readMatroskaEnding(read: ReadBytes, fileBytes: number): Promise<FileEnding> {
  const header = parseElement(await read(0, MAX_HEAD_BYTES), 0)
  if (!header?.end) return 'open'
  const segment = parseElement(await read(header.end, MAX_HEAD_BYTES), header.end)
  if (segment?.id !== SEGMENT) return 'open'
  if (segment.end !== null && segment.end > fileBytes) return 'cut'
  const end = segment.end ?? fileBytes
  let at = segment.from
  for (let elements = 0; at < end && elements < MAX_ELEMENTS; elements++) {
    const bytes = await read(at, MAX_HEAD_BYTES)
    const element = parseElement(bytes, at)
    if (!element) return bytes.length < MAX_HEAD_BYTES && bytes[0] !== 0 ? 'cut' : 'open'
    if (!isExpected(element)) return 'open'
    at = element.end ?? element.from
  }
  return at > end ? 'cut' : 'whole'
}

/** Only clusters may have no size. */
const isExpected = ({ id, end }: Element) =>
  (topLevel.has(id) || inCluster.has(id) || global.has(id)) && (end !== null || id === CLUSTER)

/** Reads the ID and size of an element. Null for invalid or too few bytes. */
function parseElement(bytes: Buffer, at: number): Element | null {
  const idBytes = Math.clz32(bytes[0] ?? 0) - 23
  const sizeBytes = Math.clz32(bytes[idBytes] ?? 0) - 23
  if (idBytes > 4 || sizeBytes > 8 || bytes.length < idBytes + sizeBytes) return null
  let [size, isUnknown] = [(bytes[idBytes] ?? 0) & (0xff >> sizeBytes), true]
  if (size !== 0xff >> sizeBytes) isUnknown = false
  for (let i = 1; i < sizeBytes; i++) {
    const byte = bytes[idBytes + i] ?? 0
    if (byte !== 0xff) isUnknown = false
    size = size * 256 + byte
  }
  const from = at + idBytes + sizeBytes
  return { id: bytes.readUIntBE(0, idBytes), from, end: isUnknown ? null : from + size }
}
