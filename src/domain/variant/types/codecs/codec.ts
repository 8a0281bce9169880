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
  /** Bits per sample. Lossless codecs. */
  bit_depth?: BitDepth
}

export type BitDepth = 16 | 24

/** kbps. */
export const DEFAULT_BITRATE = 128

export interface Encoded {
  args: readonly string[]
  /** Hz. */
  sampleRate: number
  /** kbps. Null for a lossless codec. */
  bitrate: number | null
  bitDepth?: BitDepth
}

interface LossyEncoder extends Omit<Codec, 'encode' | 'isLossless'> {
  /** Name of ffmpeg's encoder, and its options. */
  encoder: readonly string[]
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
  usableBitrate,
  reducedRate,
  rateFor = playableRate,
  ...codec
}: LossyEncoder): Codec & { isLossless: false } => ({
  ...codec,
  isLossless: false,
  encode: ({ bitrate: requested = DEFAULT_BITRATE }, { sampleRate: sourceRate }, channels) => {
    const bitrate = usableBitrate(requested, channels)
    const sampleRate = reducedRate(bitrate, channels) ?? rateFor(sourceRate)
    return { args: ['-c:a', ...encoder, '-b:a', `${bitrate}k`], sampleRate, bitrate }
  },
})
