import { chunk } from '../formats/png.ts'

/** Removes metadata from a JPEG or a PNG without decoding it. */
export const withoutMetadata = (bytes: Buffer, type: 'image/jpeg' | 'image/png'): Buffer | null =>
  type === 'image/jpeg' ? withoutJpegMetadata(bytes) : withoutPngMetadata(bytes)

const [SOI, EOI, SOS, COM] = [0xd8, 0xd9, 0xda, 0xfe]
const [APP0, APP1, APP15] = [0xe0, 0xe1, 0xef]
const EXIF = 'Exif\0\0'
/** Application data that describes the colors: the profile, and the transform of CMYK and RGB. */
const keptSegments: [marker: number, start: string][] = [
  [APP0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]

/**
 * Returns a JPEG without EXIF (camera, place, author, thumbnail), XMP, IPTC, comments and bytes after its end. The color
 * profile and the orientation are kept, and the picture itself is the same.
 * @returns null for bytes that are not a complete JPEG
 */
function withoutJpegMetadata(bytes: Buffer): Buffer | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xff00 + SOI) return null
  const segments: Buffer[] = []
  let orientation: number | null = null
  for (let at = 2; at + 2 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === EOI) {
      const exif =
        orientation === null ? [] : [jpegSegment(APP1, Buffer.concat([Buffer.from(EXIF), writeExif(orientation)]))]
      const jfif = segments.findIndex((segment) => segment[1] !== APP0)
      return Buffer.concat([bytes.subarray(0, 2), ...segments.toSpliced(jfif, 0, ...exif), bytes.subarray(at, at + 2)])
    }
    const end = segmentEnd(bytes, at, marker)
    if (end === null) return null
    const body = bytes.subarray(at + 4, end)
    if (marker === APP1 && startsWith(body, EXIF)) orientation ??= readOrientation(body.subarray(EXIF.length))
    if (isKept(marker, body)) segments.push(bytes.subarray(at, end))
    at = end
  }
  return null
}

const startsWith = (bytes: Buffer, text: string) => bytes.toString('latin1', 0, text.length) === text

function isKept(marker: number, body: Buffer): boolean {
  const isApplication = marker >= APP0 && marker <= APP15
  if (!isApplication) return marker !== COM
  return keptSegments.some(([keptMarker, start]) => keptMarker === marker && startsWith(body, start))
}

/** Returns the end of a segment, for a scan that of its data. Null when it is cut off. */
function segmentEnd(bytes: Buffer, at: number, marker: number): number | null {
  if (at + 4 > bytes.length) return null
  const length = bytes.readUInt16BE(at + 2)
  const end = at + 2 + length
  if (length < 2 || end > bytes.length) return null
  return marker === SOS ? scanEnd(bytes, end) : end
}

/** In the data of a scan, 0xff is followed by 0 or by a restart marker (ITU-T T.81, B.1.1.5). */
function scanEnd(bytes: Buffer, from: number): number | null {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes.readUInt8(at + 1)
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7)
    if (!isData) return at
  }
  return null
}

function jpegSegment(marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

const ORIENTATION = 0x0112
const SHORT = 3
/** More than any camera writes. */
const MAX_ENTRIES = 1000

/** Returns the orientation of EXIF data (TIFF 6.0, EXIF 2.32). Null for the usual one, and without one. */
function readOrientation(tiff: Buffer): number | null {
  const isLittle = startsWith(tiff, 'II')
  const read = (at: number, size: 2 | 4) => {
    if (at + size > tiff.length) return 0
    return isLittle ? tiff.readUIntLE(at, size) : tiff.readUIntBE(at, size)
  }
  const first = read(4, 4)
  const count = Math.min(read(first, 2), MAX_ENTRIES)
  for (let at = first + 2; at < first + 2 + 12 * count; at += 12) {
    if (read(at, 2) !== ORIENTATION || read(at + 2, 2) !== SHORT) continue
    const value = read(at + 8, 2)
    return value >= 2 && value <= 8 ? value : null
  }
  return null
}

/** EXIF data with the orientation alone. */
function writeExif(orientation: number): Buffer {
  const data = Buffer.alloc(26)
  data.write('MM\0*', 'latin1')
  data.writeUInt32BE(8, 4)
  data.writeUInt16BE(1, 8)
  data.writeUInt16BE(ORIENTATION, 10)
  data.writeUInt16BE(SHORT, 12)
  data.writeUInt32BE(1, 14)
  data.writeUInt16BE(orientation, 18)
  return data
}

const PNG_HEAD = 8
/** Chunks of the picture and its colors (PNG, third edition). Not: texts, times, EXIF, animations, unknown ones. */
const keptChunks = /^(IHDR|PLTE|IDAT|IEND|tRNS|gAMA|cHRM|sRGB|iCCP|sBIT|bKGD|pHYs|cICP|mDCV|cLLI)$/

/** The same for a PNG. @returns null for bytes that are not a complete PNG */
function withoutPngMetadata(bytes: Buffer): Buffer | null {
  if (!startsWith(bytes.subarray(1), 'PNG\r\n')) return null
  const chunks: Buffer[] = []
  let orientation: number | null = null
  for (let at = PNG_HEAD; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (end > bytes.length) return null
    if (type === 'eXIf') orientation ??= readOrientation(bytes.subarray(at + 8, end - 4))
    if (keptChunks.test(type)) chunks.push(bytes.subarray(at, end))
    if (type === 'IEND') {
      const exif = orientation === null ? [] : [chunk('eXIf', writeExif(orientation))]
      return Buffer.concat([bytes.subarray(0, PNG_HEAD), ...chunks.toSpliced(1, 0, ...exif)])
    }
    at = end
  }
  return null
}
