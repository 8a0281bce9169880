import { type FileHandle, open } from 'node:fs/promises'
import { readAt } from './rewrite.ts'

/** The count of samples in the first frame of an MP3 file, as LAME writes it, and programs after it. */
export interface Mp3Count {
  sampleRate: number
  /** Samples of the sound, as decoders return it: without delay and padding of the encoder. */
  samples: number
  /** Offset in the file of the end of the last frame. */
  end: number
  /** Of all frames, with delay and padding. */
  frameSamples: number
  /** Samples that the encoder has put before the sound. */
  delay: number
  /** Offset in the file of the three bytes with delay and padding. */
  paddingAt: number
  /** Offset of the frame, its length, and that of its checksum in it. */
  frame: { at: number; bytes: number; checksumAt: number }
}

/** Delay of a decoder, in samples. */
const DECODER_DELAY = 529

/** kbit/s of layer III by index: of MPEG 1, and of MPEG 2 and 2.5. */
const bitRates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
const sampleRates = [44_100, 48_000, 32_000] as const

/** Offsets in the tag: name, flags, four optional fields (here: all of them), LAME's extension. */
const [EXTENSION_AT, DELAY_IN_EXTENSION, CHECKSUM_IN_EXTENSION] = [120, 21, 34]
const ALL_FIELDS = 0xf
/** Encoders whose count does not include their own frame. */
const exactEncoders = /^(LAME|Lav[cf])/

/**
 * Reads LAME's count of samples.
 * @param file local path
 * @returns null for a file without one
 * @see "Mp3 Info Tag rev 1 specifications" of LAME
 */
export async function readMp3Count(file: string): Promise<Mp3Count | null> {
  const source = await open(file, 'r')
  try {
    return await readCount(source)
  } finally {
    await source.close()
  }
}

async function readCount(source: FileHandle): Promise<Mp3Count | null> {
  const at = await findFirstFrame(source)
  const bytes = await readAt(source, at, 512)
  if (bytes.length < 4 || (bytes.readUInt16BE(0) & 0xffe6) !== 0xffe2) return null
  const [version, isMono] = [(bytes.readUInt8(1) >> 3) & 3, bytes.readUInt8(3) >> 6 === 3]
  const isFirst = version === 3
  const rate = sampleRates[(bytes.readUInt8(2) >> 2) & 3]
  const bitRate = bitRates[isFirst ? 0 : 1][bytes.readUInt8(2) >> 4]
  if (!rate || !bitRate || version === 1) return null
  const sampleRate = isFirst ? rate : version === 2 ? rate / 2 : rate / 4
  const samplesOfFrame = isFirst ? 1152 : 576
  const tag = 4 + (isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17)
  const extension = tag + EXTENSION_AT
  if (!/^(Xing|Info)$/.test(bytes.toString('latin1', tag, tag + 4)) || bytes.length < extension + 36) return null
  if ((bytes.readUInt32BE(tag + 4) & ALL_FIELDS) !== ALL_FIELDS) return null
  if (!exactEncoders.test(bytes.toString('latin1', extension, extension + 4))) return null
  const paddingAt = extension + DELAY_IN_EXTENSION
  const both = bytes.readUIntBE(paddingAt, 3)
  const [delay, padding] = [both >> 12, both & 0xfff]
  const frameSamples = bytes.readUInt32BE(tag + 8) * samplesOfFrame
  const frameBytes =
    Math.floor((samplesOfFrame / 8) * ((bitRate * 1000) / sampleRate)) + ((bytes.readUInt8(2) >> 1) & 1)
  return {
    sampleRate,
    samples: frameSamples - delay - DECODER_DELAY - Math.max(0, padding - DECODER_DELAY),
    end: at + bytes.readUInt32BE(tag + 12),
    frameSamples,
    delay,
    paddingAt: at + paddingAt,
    frame: { at, bytes: frameBytes, checksumAt: extension + CHECKSUM_IN_EXTENSION },
  }
}

/** The offset after the ID3v2 tags at the start. */
async function findFirstFrame(source: FileHandle): Promise<number> {
  const [HEAD_BYTES, MAX_TAGS] = [10, 10]
  let at = 0
  for (let tags = 0; tags < MAX_TAGS; tags++) {
    const head = await readAt(source, at, HEAD_BYTES)
    if (head.length < HEAD_BYTES || head.toString('latin1', 0, 3) !== 'ID3') break
    const size = head.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
    const hasFooter = (head.readUInt8(5) & 0x10) !== 0
    at += HEAD_BYTES + size + (hasFooter ? HEAD_BYTES : 0)
  }
  return at
}
