import { z } from 'zod'
import type { VariantTypeDefinition } from './type.ts'

const props = z.object({})

export const original: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'original',
  title: 'Original',
  description: 'The uploaded bytes, unchanged.',
  isApiAllowed: false,
  isPlayable: false,
  parameters: {},
  props,
  plan: () => ({ kind: 'original' }),
}
