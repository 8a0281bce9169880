import { z } from 'zod'
import { mixTo } from '../../../platform/media/mix.ts'
import type { Probe } from '../../../platform/media/probe.ts'

/** Codecs that take a bit rate; the only ones that the API may ask for (specification, section 8). */
export const lossyCodecs = ['aac', 'mp3', 'ogg', 'opus'] as const
export type LossyCodec = (typeof lossyCodecs)[number]

/** Parameters of the output audio, shared by transcode and preview (specification, section 4). */
export const audioProps = {
  codec: z
    .enum(lossyCodecs, { error: `must be one of ${lossyCodecs.join(', ')}; lossless codecs are not allowed` })
    .default('aac')
    .describe('Of the file that is made.'),
  bitrate: z.number().min(12).max(320).default(128).describe('kbps.'),
  is_stereo: z.boolean().default(true).describe('False mixes down to mono.'),
  is_strip_tags: z.boolean().default(true).describe("Whether the recording's tags are left out."),
  is_strip_cover: z.boolean().default(true).describe("Whether the recording's picture is left out."),
  normalize: z
    .number()
    .min(-40)
    .max(-5)
    .describe('Integrated loudness in LUFS that the file is to have; as loud as it came unless told.')
    .optional(),
}
const audio = z.object(audioProps)
export type AudioProps = z.infer<typeof audio>

/** How a codec is asked of ffmpeg, and what the result is. */
interface Format {
  extension: string
  contentType: string
  /** ffprobe's name. */
  codecName: string
  encoder: readonly string[]
  container: readonly string[]
  /** kbps that the format has, for so many channels, nearest to what is wished. */
  usableBitrate: (bitrate: number, channels: number) => number
  /** What encoding a second costs beside the others. */
  effort: number
  /** Output rate in Hz for a bit rate: encoders refuse, or sound worse, where bits are too few for the bandwidth. */
  reducedRate: (bitrate: number, channels: number) => number | null
}

/** What a frame's header can say (ISO/IEC 11172-3 layer III; below 32 that of 13818-3): there is nothing between them. */
const mp3Bitrates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

const formats: Record<LossyCodec, Format> = {
  aac: {
    extension: 'm4a',
    contentType: 'audio/mp4',
    codecName: 'aac',
    // The default of FFmpeg 5. The default of the npm package's build, `fast`, loses 2.5 dB of a loud tone.
    encoder: ['-c:a', 'aac', '-aac_coder', 'twoloop'],
    effort: 8,
    // The index in front, so that playback starts before the file is whole.
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
    // MPEG-1 layer III begins at 32 kbps; MPEG-2's lower rates go below.
    reducedRate: (bitrate) => (bitrate < 32 ? 24_000 : null),
  },
  ogg: {
    extension: 'ogg',
    contentType: 'audio/ogg',
    codecName: 'vorbis',
    encoder: ['-c:a', 'libvorbis'],
    effort: 5,
    // Pages as short as other encoders': the last one says how much of it is sound, and needs one before it for that.
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

/** Rates that every player takes; a source between them is moved to the next relative, speech included. */
function playableRate(sourceRate: number, codec: LossyCodec): number {
  if (codec === 'opus') return 48_000
  return sourceRate % 11_025 === 0 ? 44_100 : 48_000
}

/** A transcode or a preview: the sound and its container. */
export function encodeArgs(props: AudioProps, probe: Probe) {
  const { filters, args, channels, bitrate, sampleRate } = soundArgs(props, probe)
  const { extension, contentType, codecName, container, effort } = formats[props.codec]
  return {
    ...{ filters, args: [...args, ...container], effort },
    ...{ codec: props.codec, extension, contentType, codecName, channels },
    keeps: { tags: !props.is_strip_tags, cover: !props.is_strip_cover },
    resolved: { bitrate, sample_rate: sampleRate, channels },
    note: bitrate === props.bitrate ? null : clamped(props, bitrate),
    targetLufs: props.normalize ?? null,
  }
}

const clamped = ({ codec, bitrate: asked }: AudioProps, bitrate: number) => ({
  code: 'bitrate_clamped',
  text: `Made with ${bitrate} kbps instead of ${asked}: the nearest that ${codec} has for this recording.`,
})

/**
 * What is asked of ffmpeg for the sound, whatever the container. A mono source stays mono; more than two channels are
 * mixed down to two, or to one without `is_stereo`.
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
