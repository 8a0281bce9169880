import { open } from 'node:fs/promises'
import { readMp3Count } from './mp3-count.ts'
import { readAt } from './rewrite.ts'

/** Twelve bits count the padding. */
const MAX_PADDING = 0xfff
/** The checksum of the tag covers this part of its frame, in which its own place counts as zero. */
const CHECKED_BYTES = 190

/**
 * Sets the length of an MP3 file to the sample. LAME states at most 1,681 samples of padding, so that 4 % of lengths would
 * be up to 46 samples too long. Changes bytes in place. A file without LAME's count is left unchanged.
 * @param file local path, as our encoder writes it
 * @param samples length of the sound
 */
export async function setMp3Length(file: string, samples: number): Promise<void> {
  const count = await readMp3Count(file)
  if (!count) return
  const { delay, paddingAt, frame } = count
  const padding = count.frameSamples - delay - samples
  if (padding < 0 || padding > MAX_PADDING) return
  const target = await open(file, 'r+')
  try {
    const bytes = await readAt(target, frame.at, frame.bytes)
    bytes.writeUIntBE(delay * (MAX_PADDING + 1) + padding, paddingAt - frame.at, 3)
    bytes.writeUInt16BE(0, frame.checksumAt)
    bytes.writeUInt16BE(crc16(bytes.subarray(0, CHECKED_BYTES)), frame.checksumAt)
    await target.write(bytes, 0, bytes.length, frame.at)
  } finally {
    await target.close()
  }
}

/** CRC-16 with the polynomial 0x8005, the lowest bit first. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1
  }
  return crc
}
