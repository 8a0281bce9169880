import { z } from 'zod'
import { colorRule } from '../../../platform/schema/rules.ts'
import { parameter } from './parameter.ts'

/** Parameters of a drawn waveform, shared by the image and the video. */
export const waveformParameters = {
  bar_width: parameter(z.number().int().min(1).max(64).default(4), 'Width of a bar in pixels.'),
  bar_gap: parameter(z.number().int().min(0).max(64).default(2), 'Pixels between two bars.'),
  is_rounded: parameter(z.boolean().default(true), 'Whether bars have round ends.'),
  color: parameter(
    colorRule.nullable().default(null),
    'Color of the bars, as `#rrggbb`. Null, the default, is the effective player color of the track when the file is ' +
      'made.',
  ),
}
