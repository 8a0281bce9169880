import { z } from 'zod'
import type { VariantTypeDefinition } from './type.ts'

const props = z.object({ num_samples: z.number().int().min(1).max(10_000).default(320) })

/** Loudness over time, for drawing a waveform (contract, section 9). */
export const levels: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'levels',
  title: 'Waveform levels',
  isApiAllowed: false,
  props,
  plan: (given) => ({ kind: 'levels', count: given.num_samples }),
}
