import { z } from 'zod'
import { KeyKind } from '../../../platform/db/generated/client/enums.ts'
import { orDefault, requiredText, text, uuid } from '../../../platform/schema/input.ts'

const future = z.iso
  .datetime({ offset: true, error: 'must be a time as ISO 8601' })
  .transform((value) => new Date(value))
  .meta({ description: 'When it ends; never unless told.', examples: ['2099-12-31T23:59:59Z'] })

/** Rules that every kind shares. */
const common = {
  title: requiredText(200).meta({ description: 'For the dashboard.', examples: ['For the web site'] }),
  collectionId: uuid.describe('Only for this collection.').nullish(),
  creatorId: uuid.describe('Only for this creator.').nullish(),
  expiresAt: future.nullish(),
}

/** `createApiKey`: a key that speaks for the organization, made by administrators only. */
export const createApiKeyInput = z.object(common)

export const keyTypeInput = z.object({ apiKeyTypeId: text(64) })

/** What POST /v1/api_key and `createShareKey` make (contract, section 2). */
export const createKeyInput = z
  .object({
    ...common,
    trackId: uuid.describe('Only for this track of the collection.').nullish(),
    variants: orDefault(z.array(requiredText(64).meta({ examples: ['hq'] })).max(50), []).describe(
      'Indexes or ids: exactly one for a share key, none for an uploader key.',
    ),
    isDownloadable: orDefault(z.boolean(), false).describe(
      'Whether play sessions of a player key may be downloadable, where they ask for it.',
    ),
    apiKeyTypeId: z.enum(['uploader', 'player', 'share']).meta({ description: 'What it may do.', examples: ['share'] }),
  })
  .superRefine((value, check) => {
    if (value.apiKeyTypeId === 'share' && value.variants.length !== 1) {
      check.addIssue({ code: 'custom', path: ['variants'], message: 'must hold exactly one variant for a share key' })
    }
    if (value.apiKeyTypeId === 'uploader' && value.variants.length > 0) {
      check.addIssue({ code: 'custom', path: ['variants'], message: 'must be empty for an uploader key' })
    }
    if (value.apiKeyTypeId !== 'player' && value.isDownloadable) {
      check.addIssue({ code: 'custom', path: ['isDownloadable'], message: 'can be true only for a player key' })
    }
    if (value.trackId && !value.collectionId) {
      check.addIssue({ code: 'custom', path: ['trackId'], message: 'needs the collection too' })
    }
  })
  .meta({ id: 'CreateApiKey' })

/** What narrows a list of keys. */
export const keyFilter = z.object({
  kind: z.enum(KeyKind).optional(),
  isRevoked: z.boolean().optional(),
  search: requiredText(200).optional(),
})

export const keyId = z.object({ keyId: uuid })
