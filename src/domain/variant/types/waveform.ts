import { z } from 'zod'
import { hexColor } from '../../../platform/input.ts'

/** Parameters of a drawn waveform, shared by the image and the video. */
export const waveformProps = {
  bar_width: z.number().int().min(1).max(64).default(4),
  bar_gap: z.number().int().min(0).max(64).default(2),
  is_rounded: z.boolean().default(true),
  /** Null: the track's effective player colour at the time when the file is made. */
  color: hexColor.nullable().default(null),
}
