import { z } from 'zod'
import { mixTo } from '../../../platform/media/mix.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import { codecs } from './codecs/index.ts'
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

/** The plan of a transcode or a preview: its sound and container. */
export function encodeArgs(props: AudioProps, probe: Probe) {
  const { filters, args, channels, bitrate, sampleRate } = soundArgs(props, probe)
  const { extension, contentType, codecName, container, effort } = codecs[props.codec]
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
  const channels = props.is_stereo ? Math.min(2, probe.channels) : 1
  const { args, sampleRate, bitrate } = codecs[props.codec].encode(props, probe, channels)
  const filters = mixTo(channels, probe)
  return { filters, args: [...args, '-ac', String(channels), '-ar', String(sampleRate)], channels, bitrate, sampleRate }
}
