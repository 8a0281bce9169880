import type { z } from 'zod'
import type { VariantType } from '../../../platform/db/generated/client/enums.ts'
import type { PeakBits } from '../../../platform/media/formats/peaks-format.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import type { WaveformShape } from '../../../platform/media/waveform.ts'
import type { LossyCodec } from './audio.ts'

/** What is to be known of a file: a stable word, and a sentence for a person. */
export interface Note {
  code: string
  text: string
}

/** What a variant asks for, given one recording. Nothing runs here. */
export type FilePlan =
  | {
      kind: 'audio'
      /** Filters of ffmpeg, in their order. */
      filters: readonly string[]
      /** Output options of ffmpeg for encoder and container. */
      args: readonly string[]
      /** What encoding it costs beside other files. */
      effort: number
      extension: string
      contentType: string
      codec: LossyCodec
      /** What of the recording's own the file keeps. */
      keeps: { tags: boolean; cover: boolean }
      /** ffprobe's name of the codec that the result must have. */
      codecName: string
      channels: number
      /** What is really asked for, within what the encoder can do; beside the parameters in `props`. */
      resolved: { bitrate: number; sample_rate: number; channels: number }
      /** What the person who reads the file's record should know of it; null where all is as wished. */
      note: Note | null
      /** Integrated loudness that the file is to have; null leaves it as it is. */
      targetLufs: number | null
      clip: { startSeconds: number; durationSeconds: number } | null
      data: () => Record<string, unknown> | null
    }
  | {
      kind: 'levels'
      /** How many loudness values. */
      count: number
      samplesPerPixel: number
      bits: PeakBits
    }
  | {
      kind: 'waveform_image'
      shape: WaveformShape
      /** As #rrggbb; null is the track's effective player colour. */
      color: string | null
      /** As #rrggbb; null is transparent. */
      backgroundColor: string | null
    }
  | {
      kind: 'waveform_video'
      shape: WaveformShape
      color: string | null
      backgroundColor: string
      /** Frames a second. */
      fps: number
      audio: { filters: readonly string[]; args: readonly string[]; channels: number }
    }
  | { kind: 'original' }
  | { kind: 'cover' }

/** What an audio file is made by. */
export type AudioPlan = Extract<FilePlan, { kind: 'audio' }>

/** A kind of variant: its parameters, and what it makes of a recording. */
export interface VariantTypeDefinition<Props = unknown> {
  id: VariantType
  title: string
  /** Whether POST /v1/track/:track_id/variant may ask for it (specification, section 8). */
  isApiAllowed: boolean
  /** Rules and defaults of its parameters; the output is what `props` echoes. */
  props: z.ZodType<Props>
  /** @param durationSeconds the best known length of the recording */
  plan: (props: Props, probe: Probe, durationSeconds: number) => FilePlan
}
