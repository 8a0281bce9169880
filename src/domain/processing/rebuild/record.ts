import { z } from 'zod'
import { uuidRule } from '../../../platform/schema/rules.ts'

/** More than an organization has variants. */
const MAX_VARIANTS = 500

export const rebuildTrackInput = z
  .object({
    variantIds: z
      .array(uuidRule)
      .min(1)
      .max(MAX_VARIANTS)
      .nullish()
      .describe('IDs of the variants whose files to rebuild. 1 to 500. Defaults to all.'),
    isOnlyStale: z
      .boolean()
      .default(false)
      .describe(
        'Whether to leave out missing and failed files, and files that match their variant. Defaults to false.',
      ),
  })
  .meta({ id: 'RebuildTrack' })
export type RebuildTrack = z.output<typeof rebuildTrackInput>
