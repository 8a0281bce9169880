import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/**
 * Writes a picture as PNG, with 8 bits for each of three colors.
 * @param rows bytes of each row after its filter (PNG specification, section 9)
 */
export async function writePng(width: number, height: number, rows: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const data = await promisify(deflate)(rows)
  return new Uint8Array(
    Buffer.concat([SIGNATURE, toChunk('IHDR', header), toChunk('IDAT', data), toChunk('IEND', Buffer.alloc(0))]),
  )
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
