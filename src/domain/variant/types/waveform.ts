import { z } from 'zod'
import { hexColor } from '../../../platform/schema/input.ts'

/** Parameters of a drawn waveform, shared by the image and the video. */
export const waveformProps = {
  bar_width: z.number().int().min(1).max(64).default(4).describe('Pixels.'),
  bar_gap: z.number().int().min(0).max(64).default(2).describe('Pixels between two bars.'),
  is_rounded: z.boolean().default(true).describe('Whether bars have round ends.'),
  color: hexColor
    .nullable()
    .default(null)
    .describe("Of the bars; null: the track's effective player colour at the time when the file is made."),
}
