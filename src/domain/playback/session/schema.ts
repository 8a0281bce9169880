import { z } from 'zod'
import {
  metadata,
  optionalIndex,
  orDefault,
  page,
  requiredText,
  uuid,
  wholeNumber,
} from '../../../platform/schema/input.ts'
import { trackId } from '../../track/record.ts'
import { variantIndex } from '../../variant/record.ts'

/** What a session is for. */
export const playScope = z.object({ scope: z.enum(['collection', 'track']) })

/** POST /v1/play_session/:scope (contract, section 3). */
export const createPlaySessionInput = playScope.extend({
  collectionId: uuid.describe('With the scope `collection`, unless the key implies it.').nullish(),
  trackId: uuid.describe('With the scope `track`, unless the key implies it.').nullish(),
  variants: orDefault(z.array(requiredText(64).meta({ examples: ['hq'] })).max(50), []).describe(
    'Indexes or ids, in the order to hand out; all that play unless told.',
  ),
  isDownloadable: orDefault(z.boolean(), false).describe('Whether files may be downloaded.'),
  organizationIndex: optionalIndex,
  metadata: orDefault(metadata, {}),
  expiresIn: orDefault(z.number().int().min(60).max(86_400), 3600).describe('Seconds.'),
})

/** The part of it that stands in the body. */
export const createPlaySessionBody = createPlaySessionInput.omit({ scope: true }).meta({ id: 'CreatePlaySession' })

export const playSessionId = z.object({ playSessionId: uuid.describe('The session: its id is the credential.') })

/** Names in the paths of what is played. */
export const playParams = playSessionId.extend({ ...trackId.shape, variantIndex })

/** A player knows nothing of pages: it is given as many tracks at once as any list has. */
export const listPlayTracksInput = page.extend({ limit: wholeNumber(1, 200, 200).describe('How many at most.') })
