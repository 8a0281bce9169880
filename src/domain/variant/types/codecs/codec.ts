import type { Probe } from '../../../../platform/media/probe.ts'

/** Arguments of ffmpeg for a codec, and the properties of its files. */
export interface Codec {
  description: string
  extension: string
  contentType: string
  /** As named by ffprobe. */
  codecName: string
  container: readonly string[]
  /** Relative cost of encoding a second. */
  effort: number
  isLossless: boolean
  /** Options of the encoder for the modes that it has. Lossy codecs. */
  modes?: BitrateModes
  /** Gain that the encoder itself applies at a bit rate, in dB. Defaults to 0. */
  gainDb?: (bitrate: number | null) => number
  /** Whether several programs may encode the parts of a recording. Only AAC: its frames can be joined. */
  isSplittable?: boolean
  /** The encoding of one recording. @param channels number of channels of the file */
  encode: (requested: Requested, probe: Probe, channels: number) => Encoded
}

/** Requested parameters that a codec may use. */
export interface Requested {
  /** kbps. Lossy codecs. */
  bitrate?: number
  /** Lossy codecs. */
  bitrate_mode?: BitrateMode
  /** Bits per sample. Lossless codecs. */
  bit_depth?: BitDepth
}

export type BitDepth = 16 | 24

/** `cbr`: every second has the bit rate. `vbr`: the sound decides, and the encoder aims at the bit rate. */
export const bitrateModes = ['cbr', 'vbr'] as const
export type BitrateMode = (typeof bitrateModes)[number]
export type BitrateModes = Readonly<Partial<Record<BitrateMode, readonly string[]>>>

/** kbps. */
export const DEFAULT_BITRATE = 128

export interface Encoded {
  args: readonly string[]
  /** Hz. */
  sampleRate: number
  /** kbps. Null for a lossless codec. */
  bitrate: number | null
  bitDepth?: BitDepth
  /** Name of ffprobe, where it depends on the encoding. */
  codecName?: string
}

interface LossyEncoder extends Omit<Codec, 'encode' | 'isLossless'> {
  /** Name of ffmpeg's encoder, and its options. */
  encoder: readonly string[]
  modes: BitrateModes
  /** The nearest supported bit rate in kbps for a number of channels. */
  usableBitrate: (bitrate: number, channels: number) => number
  /** Sample rate in Hz for a bit rate that is too low for the full bandwidth. Null where no reduction is needed. */
  reducedRate: (bitrate: number, channels: number) => number | null
  /** Sample rate in Hz for a recording. Defaults to the nearest of the same family that every player supports. */
  rateFor?: (sourceRate: number) => number
}

const playableRate = (sourceRate: number) => (sourceRate % 11_025 === 0 ? 44_100 : 48_000)

/** A codec with a bit rate. */
export const lossy = ({
  encoder,
  modes,
  usableBitrate,
  reducedRate,
  rateFor = playableRate,
  ...codec
}: LossyEncoder): Codec & { isLossless: false } => ({
  ...codec,
  modes,
  isLossless: false,
  encode: ({ bitrate: requested = DEFAULT_BITRATE, bitrate_mode: mode }, { sampleRate: sourceRate }, channels) => {
    const bitrate = usableBitrate(requested, channels)
    const sampleRate = reducedRate(bitrate, channels) ?? rateFor(sourceRate)
    return { args: ['-c:a', ...encoder, '-b:a', `${bitrate}k`, ...((mode && modes[mode]) ?? [])], sampleRate, bitrate }
  },
})

interface LosslessEncoder extends Omit<Codec, 'encode' | 'isLossless'> {
  /** Name of ffmpeg's encoder, and its options. ffmpeg encodes 24 bits of 32-bit samples. */
  encoder: Record<BitDepth, readonly string[]>
  codecNameOf?: (bitDepth: BitDepth) => string
}

/** Sample rates that players support, in Hz. Any other rate is raised to the next one. */
const losslessRates = [8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000]
const MAX_LOSSLESS_RATE = 192_000

/** Applies only where ffmpeg reduces the precision of samples. Truncated ones would distort soft sounds (decision 0038). */
const dither = ['-dither_method', 'triangular']

/** A codec that keeps every sample of 16 or 24 bits. */
export const lossless = ({ encoder, codecNameOf, ...codec }: LosslessEncoder): Codec & { isLossless: true } => ({
  ...codec,
  isLossless: true,
  encode: ({ bit_depth: requested }, { sampleRate: sourceRate, bitDepth: sourceDepth }) => {
    const bitDepth = requested ?? ((sourceDepth ?? 16) > 16 ? 24 : 16)
    const args = ['-c:a', ...encoder[bitDepth], ...(bitDepth === 16 ? dither : [])]
    const sampleRate = losslessRates.find((rate) => rate >= sourceRate) ?? MAX_LOSSLESS_RATE
    return { args, sampleRate, bitrate: null, bitDepth, codecName: codecNameOf?.(bitDepth) }
  },
})
