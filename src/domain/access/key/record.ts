import { z } from 'zod'
import { KeyKind } from '../../../platform/db/generated/client/enums.ts'
import { choice, createdAt, flag, id, list, reference, text, time } from '../../../platform/schema/fields.ts'
import { createShape, filter, filterShape, searchFilter, updateShape } from '../../../platform/schema/record.ts'
import { orDefault, requiredTextRule, uuidRule } from '../../../platform/schema/rules.ts'
import { passwordRule, shareLimitFields } from './share-limits.ts'

const variantIndex = requiredTextRule(64).meta({ examples: ['hq'] })

const limit = { nullable: true, nullMeans: 'Null without this limit.', inputs: ['create'] } as const

/** Contract, section 2. */
export const keyFields = {
  id: id({ description: 'ID of the key. It is not a credential.' }),
  organizationId: id({ description: 'ID of the organization that the key belongs to.' }),
  kind: choice('KeyKind', KeyKind, { description: 'What the key may do.' }),
  title: text({
    description: 'Shown to administrators.',
    max: 200,
    example: 'For the web site',
    required: true,
    inputs: ['create'],
  }),
  collectionId: reference({ description: 'Limits the key to one collection.', ...limit }),
  trackId: reference({ description: 'Limits the key to one track of its collection.', ...limit }),
  creatorId: reference({ description: 'Limits the key to one creator.', ...limit }),
  variantId: id({
    description: 'ID of the variant that a share key opens.',
    nullable: true,
    nullMeans: 'Null for other kinds.',
  }),
  variants: list('String', z.array(variantIndex).max(50), {
    description: 'Indexes of the variants that the play sessions of a player key contain.',
  }),
  isPrivateFeed: flag({
    description:
      'Whether a share key is the podcast feed of one subscriber, whom its title names. The feed asks directories not to list ' +
      'it, and its page search engines. Always false for other kinds.',
  }),
  ...shareLimitFields,
  expiresAt: time({
    description: 'Time from which the key is refused.',
    example: '2099-12-31T23:59:59Z',
    nullable: true,
    nullMeans: 'Null when the key does not expire.',
    inputs: ['create'],
  }),
  lastUsedAt: time({
    description: 'Time of the last use, accurate to a minute; of a share key to an hour.',
    nullable: true,
    nullMeans: 'Null before the first use.',
  }),
  revokedAt: time({ description: 'Time of revocation.', nullable: true, nullMeans: 'Null while not revoked.' }),
  createdAt,
}

const { title, collectionId, trackId, creatorId, expiresAt } = keyFields
/** Fields that a client sets for keys of kind `api` and `uploader`. */
export const generalKeyFields = { title, collectionId, creatorId, expiresAt }
/** Fields that a client sets for keys of kind `player` and `share`. */
export const listenerKeyFields = { title, collectionId, trackId, creatorId, expiresAt }

/** Input of GraphQL `createApiKey`. */
export const createApiKeyInput = z.object(createShape(generalKeyFields))
export type CreateApiKey = z.output<typeof createApiKeyInput>

/** Kinds that a key of kind `api` may create. */
export const creatableKinds = ['uploader', 'player', 'share'] as const

const keyInput = z.object({
  ...createShape(listenerKeyFields),
  variants: orDefault(z.array(variantIndex).max(50), []).describe(
    'Indexes or IDs of variants: exactly one for a share key, none for an uploader key. 0 to 50.',
  ),
  apiKeyTypeId: z.enum(creatableKinds).meta({ description: keyFields.kind.description, examples: ['share'] }),
})

function checkKey(
  { apiKeyTypeId, variants, trackId, collectionId }: z.output<typeof keyInput>,
  check: z.RefinementCtx,
) {
  const refuse = (field: 'variants' | 'trackId', message: string) =>
    check.addIssue({ code: 'custom', path: [field], message })
  if (apiKeyTypeId === 'share' && variants.length !== 1) {
    refuse('variants', 'must contain exactly one variant for a share key')
  }
  if (apiKeyTypeId === 'uploader' && variants.length > 0) refuse('variants', 'must be empty for an uploader key')
  if (trackId && !collectionId) refuse('trackId', 'requires a collection as well')
}

/** Body of POST /v1/api_key, and input of GraphQL `createUploaderKey` and `createPlayerKey`. */
export const createKeyInput = keyInput
  .extend({
    isDownloadable: orDefault(z.boolean(), false).describe(
      'Whether the play sessions of a player key may be downloadable, if requested. False for other kinds. Defaults to false.',
    ),
  })
  .superRefine(checkKey)
  .superRefine(({ apiKeyTypeId, isDownloadable }, check) => {
    if (apiKeyTypeId === 'player' || !isDownloadable) return
    check.addIssue({ code: 'custom', path: ['isDownloadable'], message: 'can be true only for a player key' })
  })
  .meta({ id: 'CreateApiKey' })

/** Input of GraphQL `createShareKey`. */
export const createShareKeyInput = keyInput
  .extend({
    isPrivateFeed: orDefault(z.boolean(), false),
    password: passwordRule.nullish(),
    ...createShape(shareLimitFields),
  })
  .superRefine(checkKey)
  .superRefine(({ isPrivateFeed, collectionId, trackId, opensAt, expiresAt, password }, check) => {
    const refuse = (field: 'isPrivateFeed' | 'opensAt' | 'password', message: string) =>
      check.addIssue({ code: 'custom', path: [field], message })
    if (isPrivateFeed && (!collectionId || trackId)) refuse('isPrivateFeed', 'requires a collection and no track')
    if (isPrivateFeed && password) refuse('password', 'is not possible for a feed, which podcast apps read')
    if (opensAt && expiresAt && opensAt >= expiresAt) refuse('opensAt', 'must be before expiresAt')
  })
export type CreateKey = z.output<typeof keyInput> & Partial<z.output<typeof createShareKeyInput>>

/** Input of GraphQL `updateShareKey`. */
export const updateShareKeyInput = z.object({
  title: title.rule.optional(),
  expiresAt: expiresAt.rule.nullish(),
  password: passwordRule.nullish(),
  ...updateShape(shareLimitFields),
})
export type UpdateShareKey = z.output<typeof updateShareKeyInput>

export const keyFilters = {
  kind: filter('KeyKind', z.enum(KeyKind), 'Keys of this kind.'),
  kinds: filter(['KeyKind'], z.array(z.enum(KeyKind)).max(4), 'Keys of any of these kinds.'),
  collectionId: filter('ID', uuidRule, 'Keys that are limited to this collection, or to one of its tracks.'),
  trackId: filter('ID', uuidRule, 'Keys that are limited to this track.'),
  isPrivateFeed: filter('Boolean', z.boolean(), 'True: only feeds of one subscriber. False: none of them.'),
  isRevoked: filter('Boolean', z.boolean(), 'True: only revoked keys. False: only keys that are not revoked.'),
  search: searchFilter('title'),
}
export const keyFilter = z.object(filterShape(keyFilters))
export type KeyFilter = z.output<typeof keyFilter>

export const keyId = z.object({ keyId: uuidRule })
