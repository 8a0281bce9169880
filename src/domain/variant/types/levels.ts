import { z } from 'zod'
import type { VariantTypeDefinition } from './type.ts'

/** Defaults for the waveform are those of players: zoomed in as far as one looks, small enough to be loaded whole. */
const props = z.object({
  num_samples: z.number().int().min(1).max(10_000).default(320).describe('How many loudness values.'),
  samples_per_pixel: z
    .number()
    .int()
    .min(64)
    .max(65_536)
    .default(256)
    .describe('Of the waveform: samples that each pair stands for.'),
  bits: z.literal([8, 16], { error: 'must be 8 or 16' }).default(8).describe('Of the waveform: resolution of a value.'),
})

/** Loudness over time, and the waveform as BBC audiowaveform writes it, for drawing (contract, section 9). */
export const levels: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'levels',
  title: 'Waveform levels',
  isApiAllowed: false,
  props,
  plan: ({ num_samples: count, samples_per_pixel: samplesPerPixel, bits }) => ({
    ...{ kind: 'levels', count, samplesPerPixel, bits },
  }),
}
