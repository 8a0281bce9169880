import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const BYTES_PER_PIXEL = 4
const BIT_DEPTH = 8
const TRUECOLOR_WITH_ALPHA = 6
/** Each byte minus the one above it: repeated rows become zeros, which compress well. */
const FILTER_UP = 2

const compress = promisify<Uint8Array, Buffer>(deflate)

/**
 * Encodes a picture as PNG.
 * @param pixels RGBA, four bytes each, row by row, alpha not premultiplied
 * @param width in pixels
 * @see PNG specification, third edition, sections 5 and 9
 */
export async function encodePng(pixels: Uint8Array, width: number): Promise<Uint8Array> {
  const stride = width * BYTES_PER_PIXEL
  const height = pixels.length / stride
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([BIT_DEPTH, TRUECOLOR_WITH_ALPHA], 8)
  const rows = await compress(filtered(pixels, stride, height))
  return Buffer.concat([Buffer.from(SIGNATURE), chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND')])
}

function filtered(pixels: Uint8Array, stride: number, height: number): Uint8Array {
  const rows = new Uint8Array((stride + 1) * height)
  for (let y = 0; y < height; y++) {
    const [from, to] = [y * stride, y * (stride + 1)]
    rows[to] = FILTER_UP
    for (let at = 0; at < stride; at++) {
      const above = y === 0 ? 0 : (pixels[from - stride + at] ?? 0)
      rows[to + 1 + at] = (pixels[from + at] ?? 0) - above
    }
  }
  return rows
}

/** Encodes a chunk with its length and checksum (PNG, 5.3). */
export function chunk(type: string, data: Uint8Array = new Uint8Array(0)): Buffer {
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8)
  return bytes
}
