import { z } from 'zod'
import { hexColor } from '../../../platform/schema/input.ts'
import type { VariantTypeDefinition } from './type.ts'
import { waveformProps } from './waveform.ts'

const props = z
  .object({
    width: z.number().int().min(16).max(4096).default(1800).describe('Pixels.'),
    height: z.number().int().min(16).max(2048).default(280).describe('Pixels.'),
    ...waveformProps,
    background_color: hexColor.nullable().default(null).describe('Null is transparent.'),
  })
  .superRefine(({ width, bar_width }, check) => {
    if (bar_width <= width) return
    check.addIssue({ code: 'custom', path: ['bar_width'], message: `must not be above width (${width})` })
  })

/** A PNG of the loudness over time, from edge to edge. */
export const waveformImage: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'waveform_image',
  title: 'Waveform image',
  isApiAllowed: false,
  props,
  plan: ({ width, height, bar_width: barWidth, bar_gap: barGap, is_rounded: isRounded, ...colors }) => ({
    kind: 'waveform_image',
    shape: { width, height, marginX: 0, marginY: 0, barWidth, barGap, isRounded },
    color: colors.color,
    backgroundColor: colors.background_color,
  }),
}
