import { z } from 'zod'
import { flag, id, text, time } from '../../../platform/schema/fields.ts'
import { textRule } from '../../../platform/schema/rules.ts'

const MAX_NAME_CHARS = 200

/** A sign-in that has not ended. */
export const sessionRecord = {
  id: id({ description: 'ID of the session.' }),
  address: text({ description: 'IP address that it began at.', nullable: true, nullMeans: 'Null if unknown.' }),
  userAgent: text({
    description: '`User-Agent` of the browser or program that began it.',
    nullable: true,
    nullMeans: 'Null if unknown.',
  }),
  createdAt: time({ description: 'Time of the sign-in.' }),
  lastUsedAt: time({
    description: 'Time at which its tokens were last renewed. At the latest 15 minutes ago while in use.',
  }),
  expiresAt: time({ description: 'Time at which it ends.' }),
}

export const isCurrent = flag({ description: 'Whether the request was authenticated by this session.' })

export const updateAccountInput = z.object({
  /** Empty or null: none. */
  name: textRule(MAX_NAME_CHARS)
    .transform((name) => name.trim() || null)
    .nullable()
    .optional(),
})
export type UpdateAccount = z.output<typeof updateAccountInput>
