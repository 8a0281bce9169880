import { z } from 'zod'
import { type NormalizeMode, normalizeModes } from '../../../platform/media/gain.ts'
import { mixTo } from '../../../platform/media/mix.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import { cutFilters, type Span } from '../../../platform/media/trim.ts'
import { type BitrateMode, bitrateModes, type Codec, DEFAULT_BITRATE, type Requested } from './codecs/codec.ts'
import { type AudioCodec, codecs, losslessCodecs, lossyCodecs } from './codecs/index.ts'
import { type ParameterEnum, parameter } from './parameter.ts'
import type { Note } from './type.ts'

/** The codecs, for every parameter of that name. */
export const audioCodecEnum: ParameterEnum = {
  name: 'AudioCodec',
  description: 'A codec of transcodes and previews.',
  values: Object.fromEntries(Object.entries(codecs).map(([id, { description }]) => [id, description])),
}

const bitrateModeTexts: Record<BitrateMode, string> = {
  cbr: 'Every second has the bit rate.',
  vbr: 'The sound decides, and the encoder aims at the bit rate.',
}
const normalizeModeTexts: Record<NormalizeMode, string> = {
  linear: 'By the gain alone. Peaks may keep a file below its loudness.',
  dynamic: 'By the gain and a limiter for its peaks.',
}

/** Parameters of every codec. */
export const sharedParameters = {
  is_stereo: parameter(z.boolean().default(true), 'Stereo. False mixes down to mono.'),
  is_strip_tags: parameter(z.boolean().default(true), 'Whether to remove the tags of the recording.'),
  is_strip_cover: parameter(z.boolean().default(true), 'Whether to remove the embedded cover.'),
  normalize: parameter(
    z.number().min(-40).max(-5).optional(),
    'Integrated loudness of the file in LUFS, that of the recording by default.',
  ),
}

/** Parameters of previews, and of transcodes with a lossy codec (specification, section 4). */
export const audioParameters = {
  codec: parameter(
    z
      .enum(lossyCodecs, { error: `must be one of ${lossyCodecs.join(', ')}; lossless codecs are not allowed` })
      .default('aac'),
    'Codec of the file.',
    { enum: audioCodecEnum },
  ),
  bitrate: parameter(z.number().min(12).max(320).default(DEFAULT_BITRATE), 'Bit rate in kbps.', {
    nullMeans: 'Null for a variant with a lossless codec.',
  }),
  ...sharedParameters,
}

/** Parameters of transcodes with a lossless codec. */
export const losslessParameters = {
  codec: parameter(z.enum(losslessCodecs), 'Lossless codec of the file.', { enum: audioCodecEnum }),
  bit_depth: parameter(
    z.literal([16, 24]).optional(),
    'Bits per sample of a lossless codec. By default 24 for a recording of more than 16 bits, else 16.',
  ),
  ...sharedParameters,
}

/** Parameters of organization-wide variants only (specification, section 4, lists those of a single track). */
export const organizationParameters = {
  normalize_mode: parameter(
    z.enum(normalizeModes).optional(),
    'How `normalize` is reached. `linear`, the default, changes the gain only, so that peaks may keep a file below its ' +
      'loudness. `dynamic` limits these peaks.',
    {
      enum: {
        name: 'NormalizeMode',
        description: 'How the loudness of a file is reached.',
        values: normalizeModeTexts,
      },
    },
  ),
  is_trim_silence: parameter(
    z.boolean().optional(),
    'Whether to leave out the silence before the first and after the last sample of -60 dBFS or more, except for 0.05 ' +
      'and 0.5 seconds. False by default.',
  ),
  is_measured: parameter(
    z.boolean().optional(),
    'Whether to measure the loudness of the file. Files with `normalize` always are. False by default, because it takes ' +
      'as long as a decode.',
  ),
}

/** Parameters of organization-wide variants with a lossy codec. */
export const organizationLossyParameters = {
  ...organizationParameters,
  bitrate_mode: parameter(
    z.enum(bitrateModes).optional(),
    'Whether every second has the bit rate (`cbr`, only mp3 and opus) or the sound decides (`vbr`). By default `cbr` for ' +
      'mp3, else `vbr`.',
    {
      enum: {
        name: 'BitrateMode',
        description: 'How the bit rate of a file is distributed over its sound.',
        values: bitrateModeTexts,
      },
    },
  ),
}

/** Refuses a mode that the encoder does not have. */
export function checkMode({ codec, bitrate_mode: mode }: Requested & { codec: AudioCodec }, check: z.RefinementCtx) {
  const { modes = {} }: Codec = codecs[codec]
  if (mode === undefined || mode in modes) return
  const message = `must be ${Object.keys(modes).join(' or ')} for ${codec}`
  check.addIssue({ code: 'custom', path: ['bitrate_mode'], message })
}

const shared = z.object({ ...sharedParameters, ...organizationParameters })
export type AudioProps = z.infer<typeof shared> & Requested & { codec: AudioCodec }

/** Bytes of an uncompressed sample, at most: 32-bit floats. */
const UNCOMPRESSED_BYTES = 4

/**
 * The plan of a transcode or a preview: its sound and container.
 * @param soundSpan span of the sound in the recording; null until measured, and for silence
 */
export function encodeArgs(props: AudioProps, probe: Probe, soundSpan: Span | null = null) {
  const { filters, args, channels, bitrate, bitDepth, sampleRate, codecName } = soundArgs(props, probe)
  const codec: Codec = codecs[props.codec]
  const isTrimmed = props.is_trim_silence === true
  const { extension, contentType, container, effort, isSplittable, gainDb } = codec
  return {
    filters,
    adaptiveBitrate: null,
    args: [...args, ...container],
    parts: isSplittable ? { encoder: args, container, sampleRate } : null,
    effort,
    bytesPerSecond: bitrate === null ? sampleRate * channels * UNCOMPRESSED_BYTES : (bitrate * 1000) / 8,
    codec: props.codec,
    extension,
    contentType,
    codecName: codecName ?? codec.codecName,
    channels,
    isTrimmed,
    keeps: { tags: !props.is_strip_tags, cover: !props.is_strip_cover, chapters: false },
    resolved: { bitrate, sample_rate: sampleRate, channels, ...(bitDepth && { bit_depth: bitDepth }) },
    note: isTrimmed && !soundSpan ? silenceKept : clampedNote(props, bitrate),
    target: props.normalize === undefined ? null : { lufs: props.normalize, mode: props.normalize_mode ?? 'linear' },
    encoderGainDb: gainDb?.(bitrate) ?? 0,
    isMeasured: props.is_measured === true,
  }
}

const silenceKept: Note = {
  code: 'silence_kept',
  text: 'Not trimmed: the whole recording is silent, softer than -60 dBFS.',
}

function clampedNote({ codec, bitrate: requested }: AudioProps, bitrate: number | null): Note | null {
  if (bitrate === null || bitrate === requested) return null
  const text = `Encoded with ${bitrate} kbps instead of ${requested}, the nearest bit rate of ${codec} for this recording.`
  return { code: 'bitrate_clamped', text }
}

/** The parts of a plan that make it a clip. @param fades filters of its ends. Defaults to none */
export const cutTo = (
  clip: Span,
  { filters }: { filters: readonly string[] },
  { sampleRate }: Probe,
  fades: readonly string[] = [],
) => ({
  clip,
  filters: [...cutFilters(clip, sampleRate), ...fades, ...filters],
  // Its filters keep a state, so that one program has to encode it.
  parts: null,
})

/**
 * The ffmpeg arguments of the sound, for any container. A mono recording stays mono. More than two channels are mixed
 * down to two, or to one without `is_stereo`.
 */
export function soundArgs(props: AudioProps, probe: Probe) {
  const channels = props.is_stereo ? Math.min(2, probe.channels) : 1
  const { args, ...encoded } = codecs[props.codec].encode(props, probe, channels)
  const { sampleRate } = encoded
  const filters = [...mixTo(channels, probe), ...padding(probe, sampleRate)]
  return { ...encoded, filters, args: [...args, '-ac', String(channels), '-ar', String(sampleRate)], channels }
}

/** A resampler returns less than its input, or nothing, for fewer samples than its filter has, 32. */
const LEAST_SAMPLES = 32

/** Silence after a sound that is too short to be resampled. A filter is longer for a lower target rate. */
function padding({ durationSeconds, sampleRate }: Probe, targetRate: number): string[] {
  const least = Math.max(LEAST_SAMPLES, Math.ceil(sampleRate / 1000))
  const isShort = durationSeconds !== null && durationSeconds * sampleRate < least
  return sampleRate !== targetRate && isShort ? [`apad=whole_len=${least}`] : []
}
