import { z } from 'zod'
import { metadata, page, requiredText, text, uuid } from '../../../platform/input.ts'

/** Widgets send null for what they were not told. */
const orDefault = <T>(schema: z.ZodType<T>, value: T) => schema.nullish().transform((given) => given ?? value)

/** POST /v1/play_session/:scope (contract, section 3). */
export const createPlaySessionInput = z.object({
  scope: z.enum(['collection', 'track']),
  /** Of the scope that is asked for; implied by a key that is limited to one. */
  collectionId: uuid.nullish(),
  trackId: uuid.nullish(),
  /** Indexes or ids; all that play unless told. */
  variants: orDefault(z.array(requiredText(64)).max(50), []),
  isDownloadable: orDefault(z.boolean(), false),
  organizationIndex: text(255).nullish(),
  metadata: orDefault(metadata, {}),
  /** Seconds. */
  expiresIn: orDefault(z.number().int().min(60).max(86_400), 3600),
})

export const playSessionId = z.object({ playSessionId: uuid })

/** A player knows nothing of pages: it is given as many tracks at once as any list has. */
export const listPlayTracksInput = page.extend({ limit: page.shape.limit.unwrap().default(200) })
