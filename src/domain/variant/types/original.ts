import { z } from 'zod'
import type { VariantTypeDefinition } from './type.ts'

const props = z.object({})

/** The uploaded bytes, untouched. */
export const original: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'original',
  title: 'Original',
  isApiAllowed: false,
  props,
  plan: () => ({ kind: 'original' }),
}
