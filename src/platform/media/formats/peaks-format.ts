import type { Peaks } from '../peaks.ts'

/** Resolution of stored peaks: 8 bits are the upper half of 16. */
export type PeakBits = 8 | 16

/** Version of BBC audiowaveform's data formats. */
export const PEAKS_VERSION = 2

const FLAG_8_BIT = 1
const HEADER_BYTES = 24

/** Writes the JSON format, a block at a time. @see audiowaveform, doc/DataFormat.md */
export function* peaksJson(
  { sampleRate, samplesPerPixel, channels, length, blocks }: Peaks,
  bits: PeakBits,
): Generator<string> {
  const head = {
    version: PEAKS_VERSION,
    channels,
    sample_rate: sampleRate,
    samples_per_pixel: samplesPerPixel,
    bits,
    length,
  }
  yield `${JSON.stringify(head).slice(0, -1)},"data":[`
  let comma = ''
  for (const values of blocks) {
    yield comma + scaled(values, bits).join(',')
    comma = ','
  }
  yield ']}\n'
}

/** Writes the binary format, a block at a time: six 32-bit words, then the pairs, little-endian. */
export function* peaksDat(peaks: Peaks, bits: PeakBits): Generator<Uint8Array> {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES))
  const { sampleRate, samplesPerPixel, length, channels } = peaks
  const words = [PEAKS_VERSION, bits === 8 ? FLAG_8_BIT : 0, sampleRate, samplesPerPixel, length, channels]
  for (const [i, word] of words.entries()) header.setUint32(4 * i, word, true)
  yield new Uint8Array(header.buffer)
  for (const values of peaks.blocks) {
    const { buffer, byteOffset, byteLength } = scaled(values, bits)
    yield new Uint8Array(buffer, byteOffset, byteLength)
  }
}

/** Truncates towards zero, so that near silence is a straight line. */
const scaled = (values: Int16Array, bits: PeakBits) => (bits === 16 ? values : Int8Array.from(values, (v) => v / 256))
