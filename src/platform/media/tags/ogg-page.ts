/** Pages of an Ogg stream (RFC 3533, section 6). */

const HEAD_BYTES = 27
const SEQUENCE_AT = 18
const CRC_AT = 22
const MAX_SEGMENTS = 255
const NO_PACKET_ENDS = -1n
export const MAX_PAGE_BYTES = HEAD_BYTES + MAX_SEGMENTS + MAX_SEGMENTS * 255

/** The CRC's polynomial, and its value for each byte. */
const POLYNOMIAL = 0x04c11db7
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ POLYNOMIAL : crc << 1
  return crc
})

function computeCrc(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) crc = (crc << 8) ^ (table[(crc >>> 24) ^ byte] ?? 0)
  return crc >>> 0
}

/** Returns the length of the page at an offset. Null when it is incomplete. @throws RangeError if there is no page */
export function pageBytes(bytes: Buffer, at: number): number | null {
  if (at + HEAD_BYTES > bytes.length) return null
  if (bytes.toString('latin1', at, at + 4) !== 'OggS') throw new RangeError('no page begins here')
  const body = at + HEAD_BYTES + bytes.readUInt8(at + 26)
  if (body > bytes.length) return null
  const end = bytes.subarray(at + HEAD_BYTES, body).reduce((sum, length) => sum + length, body)
  return end > bytes.length ? null : end - at
}

/** Returns the packets, or parts of packets, of the page at an offset. */
export function readSegments(bytes: Buffer, at: number): { body: Buffer; isEnd: boolean }[] {
  const lengths = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + bytes.readUInt8(at + 26))
  let from = at + HEAD_BYTES + lengths.length
  return [...lengths].map((length) => {
    const body = bytes.subarray(from, from + length)
    from += length
    return { body, isEnd: length < 255 }
  })
}

/** Whether a page begins a packet, and does not continue one. */
export const isFirstPart = (bytes: Buffer, at: number) => ((bytes[at + 5] ?? 0) & 1) === 0

/** Computes the CRC of a changed page again. */
export function sealPage(bytes: Buffer, at: number, length: number): void {
  bytes.writeUInt32LE(0, at + CRC_AT)
  bytes.writeUInt32LE(computeCrc(bytes.subarray(at, at + length)), at + CRC_AT)
}

export const readSerial = (bytes: Buffer, at: number) => bytes.readUInt32LE(at + 14)

/**
 * Splits header packets into pages. The last page ends with the last packet.
 * @param sequence number of the first page
 */
export function splitIntoPages(packets: readonly Buffer[], serial: number, sequence: number): Buffer[] {
  const lengths = packets.flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255])
  const bytes = Buffer.concat(packets)
  const pages: Buffer[] = []
  let offset = 0
  let isContinued = false
  for (let from = 0; from < lengths.length; from += MAX_SEGMENTS) {
    const pageLengths = lengths.slice(from, from + MAX_SEGMENTS)
    const size = pageLengths.reduce((sum, length) => sum + length, 0)
    const head = Buffer.alloc(HEAD_BYTES)
    head.write('OggS')
    head.writeUInt8(isContinued ? 1 : 0, 5)
    head.writeBigInt64LE(pageLengths.some((length) => length < 255) ? 0n : NO_PACKET_ENDS, 6)
    head.writeUInt32LE(serial, 14)
    head.writeUInt32LE(sequence + pages.length, SEQUENCE_AT)
    head.writeUInt8(pageLengths.length, 26)
    const page = Buffer.concat([head, Buffer.from(pageLengths), bytes.subarray(offset, offset + size)])
    page.writeUInt32LE(computeCrc(page), CRC_AT)
    pages.push(page)
    offset += size
    isContinued = pageLengths.at(-1) === 255
  }
  return pages
}

/** Effect of zero bytes on a CRC, by bit: it is linear, so 32 values describe it. */
const overZeros = [Array.from({ length: 32 }, (_, bit) => (((2 ** bit) << 8) ^ (table[(2 ** bit) >>> 24] ?? 0)) >>> 0)]
const apply = (step: readonly number[], crc: number) =>
  step.reduce((sum, image, bit) => ((crc >>> bit) & 1 ? sum ^ image : sum), 0) >>> 0
// Powers of two, up to the longest page.
for (let step = overZeros[0]; step && overZeros.length <= 16; ) {
  const once = step
  step = once.map((image) => apply(once, image))
  overZeros.push(step)
}

/**
 * Changes the sequence number of a page. The new CRC follows from the old one because CRCs are linear, so the sound is
 * not read.
 */
export function renumber(bytes: Buffer, at: number, length: number, by: number): void {
  const old = bytes.readUInt32LE(at + SEQUENCE_AT)
  bytes.writeUInt32LE((old + by) >>> 0, at + SEQUENCE_AT)
  const change = Buffer.alloc(4)
  change.writeUInt32LE((old ^ (old + by)) >>> 0)
  let crc = computeCrc(change)
  const rest = length - CRC_AT
  overZeros.forEach((step, power) => {
    if ((rest >>> power) & 1) crc = apply(step, crc)
  })
  bytes.writeUInt32LE((bytes.readUInt32LE(at + CRC_AT) ^ crc) >>> 0, at + CRC_AT)
}
