import { z } from 'zod'
import { colorRule } from '../../../platform/schema/rules.ts'
import { parameter } from './parameter.ts'
import { type VariantTypeDefinition, type WaveformImageFormat, waveformImageFormats } from './type.ts'
import { waveformParameters } from './waveform.ts'

const formatTexts: Record<WaveformImageFormat, string> = {
  png: 'Pixels.',
  svg: 'Lines, sharp at any size.',
}

const parameters = {
  format: parameter(
    z.enum(waveformImageFormats).optional(),
    'Format of the file. `png` is the default. `svg` stays sharp at any size, and a page that inlines it sets its color ' +
      'by CSS.',
    {
      enum: {
        name: 'WaveformImageFormat',
        description: 'Format of a waveform image.',
        values: formatTexts,
      },
    },
  ),
  width: parameter(z.number().int().min(16).max(4096).default(1800), 'Width in pixels.'),
  height: parameter(z.number().int().min(16).max(2048).default(280), 'Height in pixels.'),
  ...waveformParameters,
  background_color: parameter(
    colorRule.nullable().default(null),
    'Background color, as `#rrggbb`. Null, the default, is transparent.',
  ),
}
const props = z.object(parameters).superRefine(({ width, bar_width }, check) => {
  if (bar_width <= width) return
  check.addIssue({ code: 'custom', path: ['bar_width'], message: `must not exceed width (${width})` })
})

export const waveformImage: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'waveform_image',
  title: 'Waveform image',
  description: 'An image of the waveform, without margins.',
  isApiAllowed: false,
  isPlayable: false,
  parameters,
  props,
  plan: ({
    format = 'png',
    width,
    height,
    bar_width: barWidth,
    bar_gap: barGap,
    is_rounded: isRounded,
    ...colors
  }) => ({
    kind: 'waveform_image',
    format,
    shape: { width, height, marginX: 0, marginY: 0, barWidth, barGap, isRounded },
    color: colors.color,
    backgroundColor: colors.background_color,
  }),
}
