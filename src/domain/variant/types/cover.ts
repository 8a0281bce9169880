import { z } from 'zod'
import type { VariantTypeDefinition } from './type.ts'

const props = z.object({})

export const cover: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'cover',
  title: 'Cover',
  description: 'The uploaded or embedded cover in four sizes, and its colors.',
  isApiAllowed: false,
  isPlayable: false,
  parameters: {},
  props,
  plan: () => ({ kind: 'cover' }),
}
