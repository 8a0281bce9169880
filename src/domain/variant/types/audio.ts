import { z } from 'zod'
import type { Probe } from '../../../platform/media/probe.ts'

/** Codecs that take a bit rate; the only ones that the API may ask for (specification, section 8). */
export const lossyCodecs = ['aac', 'mp3', 'ogg', 'opus'] as const
export type LossyCodec = (typeof lossyCodecs)[number]

/** Parameters of the output audio, shared by transcode and preview (specification, section 4). */
export const audioProps = {
  codec: z
    .enum(lossyCodecs, { error: `must be one of ${lossyCodecs.join(', ')}; lossless codecs are not allowed` })
    .default('aac'),
  bitrate: z.number().min(12).max(320).default(128),
  is_stereo: z.boolean().default(true),
  is_strip_tags: z.boolean().default(true),
  is_strip_cover: z.boolean().default(true),
}
const audio = z.object(audioProps)
export type AudioProps = z.infer<typeof audio>

/** How a codec is asked of ffmpeg, and what the result is. */
interface Format {
  extension: string
  contentType: string
  /** ffprobe's name. */
  codecName: string
  encoder: string
  container: readonly string[]
  /** kbps that the encoder accepts at most, for so many channels. */
  maxBitrate: (channels: number) => number
  /** Output rate in Hz for a bit rate: encoders refuse, or sound worse, where bits are too few for the bandwidth. */
  reducedRate: (bitrate: number, channels: number) => number | null
}

const formats: Record<LossyCodec, Format> = {
  aac: {
    extension: 'm4a',
    contentType: 'audio/mp4',
    codecName: 'aac',
    encoder: 'aac',
    // The index in front, so that playback starts before the file is whole.
    container: ['-movflags', '+faststart', '-f', 'ipod'],
    maxBitrate: () => 320,
    reducedRate: (bitrate, channels) => (bitrate / channels < 16 ? 16_000 : bitrate / channels < 32 ? 24_000 : null),
  },
  mp3: {
    extension: 'mp3',
    contentType: 'audio/mpeg',
    codecName: 'mp3',
    encoder: 'libmp3lame',
    container: ['-id3v2_version', '3', '-write_xing', '1', '-f', 'mp3'],
    maxBitrate: () => 320,
    // MPEG-1 layer III begins at 32 kbps; MPEG-2's lower rates go below.
    reducedRate: (bitrate) => (bitrate < 32 ? 24_000 : null),
  },
  ogg: {
    extension: 'ogg',
    contentType: 'audio/ogg',
    codecName: 'vorbis',
    encoder: 'libvorbis',
    // Pages as short as other encoders': the last one says how much of it is sound, and needs one before it for that.
    container: ['-page_duration', '200000', '-f', 'ogg'],
    maxBitrate: (channels) => 240 * channels,
    reducedRate: (bitrate, channels) => {
      if (channels === 1) return bitrate < 16 ? 8000 : bitrate < 32 ? 24_000 : null
      return bitrate < 32 ? 8000 : bitrate < 48 ? 24_000 : null
    },
  },
  opus: {
    extension: 'opus',
    contentType: 'audio/ogg',
    codecName: 'opus',
    encoder: 'libopus',
    container: ['-f', 'opus'],
    maxBitrate: (channels) => 256 * channels,
    reducedRate: () => null,
  },
}

/** Rates that every player takes; a source between them is moved to the next relative, speech included. */
function playableRate(sourceRate: number, codec: LossyCodec): number {
  if (codec === 'opus') return 48_000
  return sourceRate % 11_025 === 0 ? 44_100 : 48_000
}

/** Output options for a transcode or a preview: the sound and its container. */
export function encodeArgs(props: AudioProps, probe: Probe, filters: readonly string[] = []) {
  const sound = soundArgs(props, probe, filters)
  return { ...sound, args: [...sound.args, ...formats[props.codec].container] }
}

/**
 * Output options for the sound, whatever the container. A mono source stays mono; more than two channels are mixed down
 * to two, or to one without `is_stereo`.
 * @param filters of ffmpeg, applied first
 */
export function soundArgs(props: AudioProps, probe: Probe, filters: readonly string[] = []) {
  const format = formats[props.codec]
  const channels = props.is_stereo ? Math.min(2, probe.channels) : 1
  const bitrate = Math.min(props.bitrate, format.maxBitrate(channels))
  const rate = format.reducedRate(bitrate, channels) ?? playableRate(probe.sampleRate, props.codec)
  const keepsCover =
    !props.is_strip_cover && probe.coverStream !== null && (props.codec === 'mp3' || props.codec === 'aac')
  // Mixed as whole numbers, for only then does ffmpeg keep the sum of several channels within full scale.
  const mix =
    channels < probe.channels ? [`aformat=sample_fmts=s32:channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`] : []
  const args = [
    ...filterArgs([...filters, ...mix]),
    ...['-c:a', format.encoder, '-b:a', `${bitrate}k`, '-ac', String(channels), '-ar', String(rate)],
    ...(keepsCover ? ['-map', `0:${probe.coverStream}`, '-c:v', 'copy', '-disposition:v:0', 'attached_pic'] : []),
    // Without -1 ffmpeg copies tags; chapters are the source's business in either case.
    ...['-map_metadata', props.is_strip_tags ? '-1' : '0', '-map_chapters', '-1'],
    // The same input gives the same bytes: a repeated job replaces a file by itself.
    ...['-fflags', '+bitexact', '-flags:a', '+bitexact'],
  ]
  const { extension, contentType, codecName } = format
  return { args, extension, contentType, codecName, channels, bitrate }
}

const filterArgs = (filters: readonly string[]) => (filters.length > 0 ? ['-af', filters.join(',')] : [])
