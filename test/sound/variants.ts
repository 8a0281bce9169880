import type { VariantType } from '../../src/platform/db/generated/client/enums.ts'
import type { NormalizeMode } from '../../src/platform/media/gain.ts'

/** A variant, as an administrator creates it. */
export interface Recipe {
  type: VariantType
  props: object
}

const transcode = (props: object): Recipe => ({ type: 'transcode', props })

/** Loudness that `level_…` are normalized to. */
export const TARGET_LUFS = -20
const level = (props: object) => transcode({ bitrate: 192, normalize: TARGET_LUFS, ...props })
const keepAll = (codec: string) => transcode({ codec, is_strip_tags: false, is_strip_cover: false })

/** A loudness of streaming services or broadcasts, at a usual bit rate. */
const target = (codec: string, normalize: number, mode: NormalizeMode) =>
  transcode({
    codec,
    normalize,
    normalize_mode: mode,
    ...(codec !== 'flac' && { bitrate: codec === 'opus' ? 96 : 128 }),
  })

/** Variants of the corpus. A table names those that its recordings are processed with. */
export const recipes = {
  aac: transcode({ codec: 'aac', bitrate: 192 }),
  mp3: transcode({ codec: 'mp3', bitrate: 320 }),
  ogg: transcode({ codec: 'ogg', bitrate: 192 }),
  opus: transcode({ codec: 'opus', bitrate: 128 }),
  flac: transcode({ codec: 'flac' }),
  alac: transcode({ codec: 'alac', bit_depth: 24 }),
  wav: transcode({ codec: 'wav', bit_depth: 16 }),
  mono: transcode({ codec: 'mp3', bitrate: 320, is_stereo: false }),
  level_aac: level({ codec: 'aac' }),
  level_mp3: level({ codec: 'mp3' }),
  level_mp3_low: level({ codec: 'mp3', bitrate: 128 }),
  level_ogg: level({ codec: 'ogg' }),
  level_opus: level({ codec: 'opus' }),
  level_flac: level({ codec: 'flac', bitrate: undefined }),
  level_mono: level({ codec: 'mp3', bitrate: 320, is_stereo: false }),
  limited: level({ codec: 'aac', normalize_mode: 'dynamic' }),
  target_aac_23: target('aac', -23, 'linear'),
  target_aac_16: target('aac', -16, 'linear'),
  target_aac_14: target('aac', -14, 'dynamic'),
  target_mp3_23: target('mp3', -23, 'linear'),
  target_mp3_16: target('mp3', -16, 'linear'),
  target_mp3_14: target('mp3', -14, 'dynamic'),
  target_ogg_23: target('ogg', -23, 'linear'),
  target_ogg_16: target('ogg', -16, 'linear'),
  target_ogg_14: target('ogg', -14, 'dynamic'),
  target_opus_23: target('opus', -23, 'linear'),
  target_opus_16: target('opus', -16, 'linear'),
  target_opus_14: target('opus', -14, 'dynamic'),
  target_flac_23: target('flac', -23, 'linear'),
  target_flac_16: target('flac', -16, 'linear'),
  target_flac_14: target('flac', -14, 'dynamic'),
  kept_aac: keepAll('aac'),
  kept_mp3: keepAll('mp3'),
  kept_ogg: keepAll('ogg'),
  kept_opus: keepAll('opus'),
  kept_flac: keepAll('flac'),
  levels: { type: 'levels', props: {} },
  fine_levels: { type: 'levels', props: { samples_per_pixel: 64, bits: 16, num_samples: 100 } },
  original: { type: 'original', props: {} },
  cover: { type: 'cover', props: {} },
} as const satisfies Record<string, Recipe>

/** A full-length file that is compared with its recording. */
export interface Output {
  index: keyof typeof recipes
  /** As named by ffprobe. */
  codec: string
  /** Sample rate in Hz for that of the recording. */
  rateOf: (rate: number) => number
  /** Largest change of the level of a tone, either way. */
  maxGainDb: number
}

/** The rate of the same family that every player supports. */
const familiar = (rate: number) => (rate % 11_025 === 0 ? 44_100 : 48_000)
const atMost192 = (rate: number) => Math.min(rate, 192_000)

export const outputs: Output[] = [
  { index: 'aac', codec: 'aac', rateOf: familiar, maxGainDb: 0.05 },
  { index: 'mp3', codec: 'mp3', rateOf: familiar, maxGainDb: 0.02 },
  { index: 'ogg', codec: 'vorbis', rateOf: familiar, maxGainDb: 0.15 },
  { index: 'opus', codec: 'opus', rateOf: () => 48_000, maxGainDb: 0.05 },
  { index: 'flac', codec: 'flac', rateOf: atMost192, maxGainDb: 0.01 },
  { index: 'alac', codec: 'alac', rateOf: atMost192, maxGainDb: 0.01 },
  { index: 'wav', codec: 'pcm_s16le', rateOf: atMost192, maxGainDb: 0.01 },
]
