import { z } from 'zod'
import type { VariantTypeDefinition } from './type.ts'

const props = z.object({})

/** The uploaded or embedded cover in four sizes, and its colours. */
export const cover: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'cover',
  title: 'Cover',
  isApiAllowed: false,
  props,
  plan: () => ({ kind: 'cover' }),
}
