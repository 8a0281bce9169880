import type { z } from 'zod'
import type { VariantType } from '../../../platform/db/generated/client/enums.ts'
import type { SplitArgs } from '../../../platform/media/encode.ts'
import type { PeakBits } from '../../../platform/media/formats/peaks-format.ts'
import type { GainTarget } from '../../../platform/media/gain.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import type { Span } from '../../../platform/media/trim.ts'
import type { WaveformShape } from '../../../platform/media/waveform.ts'
import type { BitDepth } from './codecs/codec.ts'
import type { AudioCodec } from './codecs/index.ts'
import type { Parameters } from './parameter.ts'

/** A remark about a file: a stable code and a sentence. */
export interface Note {
  code: string
  text: string
}

/** Parameters as they were used. */
export interface Resolved {
  bitrate: number | null
  sample_rate: number
  channels: number
  bit_depth?: BitDepth
  /** Seconds in the recording. Only of transcodes that leave out silence. */
  capture_start?: number
  capture_end?: number
}

/** Formats of waveform images. */
export const waveformImageFormats = ['png', 'svg'] as const
export type WaveformImageFormat = (typeof waveformImageFormats)[number]

/** How to make the file of a variant from one recording. */
export type FilePlan =
  | {
      kind: 'audio'
      /** Bit rate in kbps of a file of an adaptive stream. Null for the only file of its variant. */
      adaptiveBitrate: number | null
      /** ffmpeg filters, in order. */
      filters: readonly string[]
      /** ffmpeg output options of the encoder and the container. */
      args: readonly string[]
      /** `args` of the encoder and of the container, for a file that several programs may encode. */
      parts: SplitArgs | null
      /** Relative cost of encoding. */
      effort: number
      /** Planned size of a second of sound, in bytes. */
      bytesPerSecond: number
      extension: string
      contentType: string
      codec: AudioCodec
      /** Metadata of the recording that the file keeps. Chapters are kept with tags. */
      keeps: { tags: boolean; cover: boolean; chapters: boolean }
      /** Codec of the result, as named by ffprobe. */
      codecName: string
      channels: number
      /**
       * Values that the encoder is given. They replace the parameters in the `props` of the file. The bit rate of a
       * lossless codec is measured.
       */
      resolved: Resolved
      /** Difference from the parameters. Null without one. */
      note: Note | null
      /** Loudness to reach. Null keeps that of the recording. */
      target: GainTarget | null
      /** Gain that the encoder itself applies, in dB. */
      encoderGainDb: number
      /** Whether its loudness is measured even if it has no target. */
      isMeasured: boolean
      /** Whether silence at the ends is left out, so that the plan follows from measurements. */
      isTrimmed: boolean
      clip: Span | null
      data: () => Record<string, unknown> | null
    }
  | {
      kind: 'adaptive'
      /** One file for each bit rate, the lowest first. */
      rates: readonly AudioPlan[]
    }
  | {
      kind: 'levels'
      /** Number of loudness values. */
      count: number
      samplesPerPixel: number
      bits: PeakBits
      /** Whether each channel has a waveform of its own. */
      isSplit: boolean
    }
  | {
      kind: 'waveform_image'
      format: WaveformImageFormat
      shape: WaveformShape
      /** As #rrggbb. Null is the effective player color of the track. */
      color: string | null
      /** As #rrggbb. Null is transparent. */
      backgroundColor: string | null
    }
  | {
      kind: 'waveform_video'
      shape: WaveformShape
      color: string | null
      backgroundColor: string
      /** Frames per second. */
      fps: number
      audio: { filters: readonly string[]; args: readonly string[]; channels: number }
    }
  | { kind: 'original' }
  | { kind: 'cover' }

export type AudioPlan = Extract<FilePlan, { kind: 'audio' }>

/** A type of variants: its parameters and the plan of its file. */
export interface VariantTypeDefinition<Props = unknown> {
  id: VariantType
  title: string
  /** One sentence. */
  description: string
  /** Whether POST /v1/track/:track_id/variant accepts it (specification, section 8). */
  isApiAllowed: boolean
  /** Whether players can play its files. */
  isPlayable: boolean
  /** Each parameter with its rule, default and description. */
  parameters: Parameters
  /** Validates the parameters together. Its output is the `props` of a variant. */
  props: z.ZodType<Props>
  /** Rules of a variant of a single track, where they are narrower (specification, section 8). */
  trackRules?: { parameters: Parameters; props: z.ZodType }
  /**
   * @param durationSeconds best known length of the recording
   * @param soundSpan span of its sound; null for silence. Defaults to null, before it is measured
   */
  plan: (props: Props, probe: Probe, durationSeconds: number, soundSpan?: Span | null) => FilePlan
}
