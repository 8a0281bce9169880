import type { z } from 'zod'
import type { VariantType } from '../../../platform/db/generated/client/enums.ts'
import type { PeakBits } from '../../../platform/media/peaks-format.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import type { WaveformShape } from '../../../platform/media/waveform.ts'

/** What a variant asks for, given one recording. Nothing runs here. */
export type FilePlan =
  | {
      kind: 'audio'
      /** Output options of ffmpeg, without input and file. */
      args: readonly string[]
      extension: string
      contentType: string
      /** ffprobe's name of the codec that the result must have. */
      codecName: string
      channels: number
      /** kbps that is really asked for: what was wished, within what the encoder can do. */
      bitrate: number
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
      audio: { args: readonly string[]; channels: number }
    }
  | { kind: 'original' }
  | { kind: 'cover' }

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
