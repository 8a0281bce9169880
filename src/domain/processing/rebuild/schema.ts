import { z } from 'zod'
import { uuid } from '../../../platform/schema/input.ts'

/** More than an organization has variants. */
const MAX_VARIANTS = 500

/** Which files of a track are made anew; all of them unless told. */
export const rebuildTrackInput = z
  .object({
    variantIds: z.array(uuid).min(1).max(MAX_VARIANTS).describe('Files of these variants; all unless told.').nullish(),
    isOnlyStale: z.boolean().default(false).describe('Only files that their variant would make otherwise now.'),
  })
  .meta({ id: 'RebuildTrack' })
