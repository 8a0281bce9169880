import { z } from 'zod'
import { KeyKind } from '../../../platform/db/generated/client/enums.ts'
import { requiredText, text, uuid } from '../../../platform/input.ts'

const future = z.iso
  .datetime({ offset: true, error: 'must be a time as ISO 8601' })
  .transform((value) => new Date(value))

/** Rules that every kind shares. */
const common = {
  title: requiredText(200),
  collectionId: uuid.nullish(),
  creatorId: uuid.nullish(),
  expiresAt: future.nullish(),
}

/** `createApiKey`: a key that speaks for the organization, made by administrators only. */
export const createApiKeyInput = z.object(common)

export const keyTypeInput = z.object({ apiKeyTypeId: text(64) })

/** What POST /v1/api_key and `createShareKey` make (contract, section 2). */
export const createKeyInput = z
  .object({
    ...common,
    trackId: uuid.nullish(),
    /** Indexes or ids. */
    variants: z.array(requiredText(64)).max(50).default([]),
    apiKeyTypeId: z.enum(['uploader', 'player', 'share']),
  })
  .superRefine((value, check) => {
    if (value.apiKeyTypeId === 'share' && value.variants.length !== 1) {
      check.addIssue({ code: 'custom', path: ['variants'], message: 'must hold exactly one variant for a share key' })
    }
    if (value.apiKeyTypeId === 'uploader' && value.variants.length > 0) {
      check.addIssue({ code: 'custom', path: ['variants'], message: 'must be empty for an uploader key' })
    }
    if (value.trackId && !value.collectionId) {
      check.addIssue({ code: 'custom', path: ['trackId'], message: 'needs the collection too' })
    }
  })

/** What narrows a list of keys. */
export const keyFilter = z.object({
  kind: z.enum(KeyKind).optional(),
  isRevoked: z.boolean().optional(),
  search: requiredText(200).optional(),
})

export const keyId = z.object({ keyId: uuid })
