import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { makeMedia } from './audio.ts'

/** A decoded picture. */
export interface Picture {
  /** Red, green, blue and alpha of a pixel, 0-255. */
  at: (x: number, y: number) => number[]
}

/**
 * Decodes a picture, or one frame of a film, with ffmpeg.
 * @param seconds position of the frame. Defaults to the first frame.
 */
export async function decodePicture(bytes: ArrayBuffer, width: number, seconds = 0): Promise<Picture> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-picture-'))
  try {
    const file = join(folder, 'picture')
    await Bun.write(file, bytes)
    const raw = ['-frames:v', '1', '-pix_fmt', 'rgba', '-f', 'rawvideo']
    const pixels = await makeMedia(['-i', file, '-ss', String(seconds), ...raw], 'raw')
    return { at: (x, y) => [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Bytes of a PNG whose pixels are given, 8 or 16 bits a channel, row by row. */
export function pngOf(
  { width, height, channels, depth = 8 }: { width: number; height: number; channels: 3 | 4; depth?: 8 | 16 },
  pixels: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const rowBytes = (width * channels * depth) / 8
  const rows = Buffer.alloc((rowBytes + 1) * height)
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * rowBytes, (y + 1) * rowBytes), y * (rowBytes + 1) + 1)
  return pngHolding({ width, height, depth, colorType: channels === 4 ? 6 : 2 }, rows)
}

/** A PNG with any header, and rows that may not match it. */
export function pngHolding(
  { width, height, depth, colorType }: { width: number; height: number; depth: number; colorType: number },
  rows: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = depth
  header[9] = colorType
  const chunk = (type: string, data: Uint8Array) => {
    const typed = Buffer.concat([Buffer.from(type), data])
    const framed = Buffer.alloc(typed.length + 8)
    framed.writeUInt32BE(data.length, 0)
    framed.set(typed, 4)
    framed.writeUInt32BE(crc32(typed), typed.length + 4)
    return framed
  }
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return new Uint8Array(Buffer.concat([signature, ...parts]))
}

/** Vertical stripes with a width in pixels and a colour each (red, green, blue and, where there is one, opacity). */
export function stripes(height: number, columns: [width: number, color: number[]][]): Uint8Array<ArrayBuffer> {
  const row = columns.flatMap(([width, color]) => Array.from({ length: width }, () => color).flat())
  const channels = columns[0]?.[1].length === 4 ? 4 : 3
  const rows = Buffer.concat(Array.from({ length: height }, () => Buffer.from(row)))
  return pngOf({ width: row.length / channels, height, channels }, rows)
}

/** Inserts a segment after the start marker of a JPEG. */
function withSegment(jpeg: Uint8Array, marker: number, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 0xff])
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]))
}

/** A JPEG with an Exif segment with its orientation (1-8) and a position. */
export function withExif(jpeg: Uint8Array, orientation: number): Uint8Array<ArrayBuffer> {
  const tiff = Buffer.alloc(64)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  const entry = (at: number, tag: number, type: number, value: (at: number) => void) => {
    tiff.writeUInt16BE(tag, at)
    tiff.writeUInt16BE(type, at + 2)
    tiff.writeUInt32BE(type === 2 ? 2 : 1, at + 4)
    value(at + 8)
  }
  tiff.writeUInt16BE(2, 8)
  entry(10, 0x0112, 3, (at) => tiff.writeUInt16BE(orientation, at))
  // GPS: one entry, the hemisphere.
  entry(22, 0x8825, 4, (at) => tiff.writeUInt32BE(40, at))
  tiff.writeUInt16BE(1, 40)
  entry(42, 0x0001, 2, (at) => tiff.write('N\0', at, 'latin1'))
  return withSegment(jpeg, 0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]))
}

/** A JPEG with comments, XMP and Photoshop metadata. */
export function withNotes(jpeg: Uint8Array, text: string): Uint8Array<ArrayBuffer> {
  const xmp = `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><dc:creator>${text}</dc:creator></x:xmpmeta>`
  const iptc = `Photoshop 3.0\x008BIM\x04\x04\0\0\0${String.fromCharCode(text.length + 5)}\x1c\x02\x50\0${String.fromCharCode(text.length)}${text}`
  const withXmp = withSegment(jpeg, 0xe1, Buffer.from(xmp, 'latin1'))
  const withIptc = withSegment(withXmp, 0xed, Buffer.from(iptc, 'latin1'))
  return withSegment(withIptc, 0xfe, Buffer.from(text, 'latin1'))
}
