import { notMade } from '../ffmpeg/output.ts'

/** Cover picture of an audio file. */
export interface Picture {
  bytes: Buffer
  type: 'image/jpeg' | 'image/png'
}

/** Picture type 3 of ID3 and FLAC. */
export const FRONT_COVER = 3

/** Picture properties of FLAC's picture block. */
export interface PictureShape {
  width: number
  height: number
  /** Bits per pixel. */
  depth: number
  /** Number of palette entries. 0 without a palette. */
  colors: number
}

/**
 * Reads the properties of a picture from its header.
 * @throws MediaError `encoder_failed` when it has none
 */
export const readShape = ({ bytes, type }: Picture): PictureShape =>
  type === 'image/png' ? pngShape(bytes) : jpegShape(bytes)

/** Samples per pixel by PNG color type: gray, -, RGB, palette, gray with alpha, -, RGBA. */
const pngSamples = [1, 0, 3, 1, 2, 0, 4]
const PALETTE = 3

/** IHDR is the first chunk (PNG, 11.2.2). */
function pngShape(bytes: Buffer): PictureShape {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') throw notMade('the cover is not a PNG')
  const [bits, color] = [bytes.readUInt8(24), bytes.readUInt8(25)]
  const depth = bits * (pngSamples[color] ?? 0)
  const colors = color === PALETTE ? 2 ** bits : 0
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), depth, colors }
}

/** The frame header is the first SOF marker (ITU-T T.81, B.2.2). */
function jpegShape(bytes: Buffer): PictureShape {
  for (let at = 2; at + 10 < bytes.length; ) {
    const marker = bytes.readUInt16BE(at)
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)
    if (isFrame) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      return { width, height, depth: bytes.readUInt8(at + 4) * bytes.readUInt8(at + 9), colors: 0 }
    }
    // Markers may be preceded by any number of fill bytes.
    at += marker === 0xffff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  throw notMade('the cover is not a JPEG')
}
