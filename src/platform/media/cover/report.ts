import { z } from 'zod'
import { artworkEdges, coverSizeNames, coverSizes } from './sizes.ts'

const share = z.number().min(0).max(1)
const length = z.int().min(1).max(coverSizes.large)

/** Final report of the cover program. Validated, because the program has handled untrusted bytes. */
export const report = z.union([
  z.object({
    sizes: z
      .array(z.object({ size: z.enum(coverSizeNames), width: length, height: length }))
      .length(coverSizeNames.length),
    artworkEdge: z.int().min(artworkEdges.min).max(artworkEdges.max).nullable(),
    theme: z
      .array(z.object({ hex: z.string().regex(/^#[0-9a-f]{6}$/), area: share, lightness: share, saturation: share }))
      .max(64),
  }),
  z.object({ single: z.literal(true) }),
  z.object({ fault: z.enum(['unavailable', 'unwritable', 'too_large', 'unreadable']), detail: z.string() }),
])
export type Report = z.infer<typeof report>
