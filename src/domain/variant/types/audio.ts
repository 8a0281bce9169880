import { z } from 'zod'
import { mixTo } from '../../../platform/media/mix.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import { parameter } from './parameter.ts'

/** Codecs with a bit rate, the only ones that clients may request (specification, section 8). */
export const lossyCodecs = ['aac', 'mp3', 'ogg', 'opus'] as const
export type LossyCodec = (typeof lossyCodecs)[number]

/** Parameters of transcodes and previews (specification, section 4). */
export const audioParameters = {
  codec: parameter(
    z
      .enum(lossyCodecs, { error: `must be one of ${lossyCodecs.join(', ')}; lossless codecs are not allowed` })
      .default('aac'),
    'Codec of the file.',
  ),
  bitrate: parameter(z.number().min(12).max(320).default(128), 'Bit rate in kbps.'),
  is_stereo: parameter(z.boolean().default(true), 'Stereo. False mixes down to mono.'),
  is_strip_tags: parameter(z.boolean().default(true), 'Whether to remove the tags of the recording.'),
  is_strip_cover: parameter(z.boolean().default(true), 'Whether to remove the embedded cover.'),
  normalize: parameter(
    z.number().min(-40).max(-5).optional(),
    'Integrated loudness of the file in LUFS, that of the recording by default.',
  ),
}
const audio = z.object(audioParameters)
export type AudioProps = z.infer<typeof audio>

/** Arguments of ffmpeg for a codec, and the properties of the file. */
interface Format {
  extension: string
  contentType: string
  /** As named by ffprobe. */
  codecName: string
  encoder: readonly string[]
  container: readonly string[]
  /** The nearest supported bit rate in kbps for a number of channels. */
  usableBitrate: (bitrate: number, channels: number) => number
  /** Relative cost of encoding a second. */
  effort: number
  /** Sample rate in Hz for a bit rate that is too low for the full bandwidth. Null where no reduction is needed. */
  reducedRate: (bitrate: number, channels: number) => number | null
}

/** Bit rates in kbps that a frame header can state (ISO/IEC 11172-3 layer III; below 32 those of 13818-3). */
const mp3Bitrates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

const formats: Record<LossyCodec, Format> = {
  aac: {
    extension: 'm4a',
    contentType: 'audio/mp4',
    codecName: 'aac',
    // The default of FFmpeg 5. The default of the npm package's build, `fast`, loses 2.5 dB of a loud tone.
    encoder: ['-c:a', 'aac', '-aac_coder', 'twoloop'],
    effort: 8,
    // With the index first, playback starts before the file is loaded.
    container: ['-movflags', '+faststart', '-f', 'ipod'],
    usableBitrate: (bitrate) => bitrate,
    reducedRate: (bitrate, channels) => (bitrate / channels < 16 ? 16_000 : bitrate / channels < 32 ? 24_000 : null),
  },
  mp3: {
    extension: 'mp3',
    contentType: 'audio/mpeg',
    codecName: 'mp3',
    encoder: ['-c:a', 'libmp3lame'],
    effort: 7,
    container: ['-id3v2_version', '3', '-write_xing', '1', '-f', 'mp3'],
    usableBitrate: (bitrate) => mp3Bitrates.reduce((a, b) => (b - bitrate <= bitrate - a ? b : a)),
    // MPEG-1 layer III starts at 32 kbps; MPEG-2 supports lower bit rates with lower sample rates.
    reducedRate: (bitrate) => (bitrate < 32 ? 24_000 : null),
  },
  ogg: {
    extension: 'ogg',
    contentType: 'audio/ogg',
    codecName: 'vorbis',
    encoder: ['-c:a', 'libvorbis'],
    effort: 5,
    // The last page states the length of the sound and needs a page before it, so pages must be short.
    container: ['-page_duration', '200000', '-f', 'ogg'],
    usableBitrate: (bitrate, channels) => Math.min(bitrate, 240 * channels),
    reducedRate: (bitrate, channels) => {
      if (channels === 1) return bitrate < 16 ? 8000 : bitrate < 32 ? 16_000 : null
      return bitrate < 24 ? 8000 : bitrate < 32 ? 16_000 : bitrate < 48 ? 24_000 : null
    },
  },
  opus: {
    extension: 'opus',
    contentType: 'audio/ogg',
    codecName: 'opus',
    encoder: ['-c:a', 'libopus'],
    effort: 4,
    container: ['-f', 'opus'],
    usableBitrate: (bitrate, channels) => Math.min(bitrate, 256 * channels),
    reducedRate: () => null,
  },
}

/** Sample rates that every player supports. The nearest of the same family is used. */
function playableRate(sourceRate: number, codec: LossyCodec): number {
  if (codec === 'opus') return 48_000
  return sourceRate % 11_025 === 0 ? 44_100 : 48_000
}

/** The plan of a transcode or a preview: its sound and container. */
export function encodeArgs(props: AudioProps, probe: Probe) {
  const { filters, args, channels, bitrate, sampleRate } = soundArgs(props, probe)
  const { extension, contentType, codecName, container, effort } = formats[props.codec]
  return {
    filters,
    args: [...args, ...container],
    effort,
    codec: props.codec,
    extension,
    contentType,
    codecName,
    channels,
    keeps: { tags: !props.is_strip_tags, cover: !props.is_strip_cover },
    resolved: { bitrate, sample_rate: sampleRate, channels },
    note: bitrate === props.bitrate ? null : clampedNote(props, bitrate),
    targetLufs: props.normalize ?? null,
  }
}

const clampedNote = ({ codec, bitrate: requested }: AudioProps, bitrate: number) => ({
  code: 'bitrate_clamped',
  text: `Encoded with ${bitrate} kbps instead of ${requested}, the nearest bit rate of ${codec} for this recording.`,
})

/**
 * The ffmpeg arguments of the sound, for any container. A mono recording stays mono. More than two channels are mixed
 * down to two, or to one without `is_stereo`.
 */
export function soundArgs(props: AudioProps, probe: Probe) {
  const format = formats[props.codec]
  const channels = props.is_stereo ? Math.min(2, probe.channels) : 1
  const bitrate = format.usableBitrate(props.bitrate, channels)
  const sampleRate = format.reducedRate(bitrate, channels) ?? playableRate(probe.sampleRate, props.codec)
  const filters = mixTo(channels, probe)
  const args = [...format.encoder, '-b:a', `${bitrate}k`, '-ac', String(channels), '-ar', String(sampleRate)]
  return { filters, args, channels, bitrate, sampleRate }
}
