import { z } from 'zod'
import { KeyKind } from '../../../platform/db/generated/client/enums.ts'
import { choice, createdAt, flag, id, list, reference, text, time } from '../../../platform/schema/fields.ts'
import { createShape, filter, filterShape, searchFilter } from '../../../platform/schema/record.ts'
import { orDefault, requiredTextRule, timeRule, uuidRule } from '../../../platform/schema/rules.ts'

const variantIndex = requiredTextRule(64).meta({ examples: ['hq'] })

/** A host as Content-Security-Policy has it (CSP 3, host-source), in lower case. */
const siteRule = z
  .string()
  .max(253)
  .transform((site) => site.trim().toLowerCase())
  .refine(
    (site) => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/.test(site),
    'must be a host such as example.com or *.example.com',
  )
/** Maximum number of sites of a key. */
export const MAX_SITES = 20
const sitesRule = z.array(siteRule).max(MAX_SITES)

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
  isDownloadable: flag({
    description:
      'Whether the play sessions of a player key may be downloadable, if requested. Always false for other kinds.',
  }),
  isPrivateFeed: flag({
    description:
      'Whether a share key is the podcast feed of one subscriber, whom its title names. The feed asks directories not to list ' +
      'it, and its page search engines. Always false for other kinds.',
  }),
  sites: list('String', sitesRule, {
    description:
      'Hosts of the sites that may show the player of a share key in a frame, and play its stream links, such as ' +
      '`example.com` or `*.example.com`. Requests without `Referer` and `Origin` are accepted. Empty when any site may.',
  }),
  opensAt: time({
    description: 'Time from which a share key opens, such as that of a release.',
    nullable: true,
    nullMeans: 'Null when it opens at once, and for other kinds.',
  }),
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

/** Body of POST /v1/api_key, and input of GraphQL `createUploaderKey` and `createPlayerKey`. */
export const createKeyInput = z
  .object({
    ...createShape(listenerKeyFields),
    variants: orDefault(z.array(variantIndex).max(50), []).describe(
      'Indexes or IDs of variants: exactly one for a share key, none for an uploader key. 0 to 50.',
    ),
    isDownloadable: orDefault(z.boolean(), false).describe(
      `${keyFields.isDownloadable.description} Defaults to false.`,
    ),
    apiKeyTypeId: z.enum(creatableKinds).meta({ description: keyFields.kind.description, examples: ['share'] }),
  })
  .superRefine((value, check) => {
    const refuse = (field: keyof typeof value, message: string) =>
      check.addIssue({ code: 'custom', path: [field], message })
    if (value.apiKeyTypeId === 'share' && value.variants.length !== 1) {
      refuse('variants', 'must contain exactly one variant for a share key')
    }
    if (value.apiKeyTypeId === 'uploader' && value.variants.length > 0) {
      refuse('variants', 'must be empty for an uploader key')
    }
    if (value.apiKeyTypeId !== 'player' && value.isDownloadable) {
      refuse('isDownloadable', 'can be true only for a player key')
    }
    if (value.trackId && !value.collectionId) refuse('trackId', 'requires a collection as well')
  })
  .meta({ id: 'CreateApiKey' })

/** Input of GraphQL `createShareKey`. */
export const createShareKeyInput = createKeyInput
  .safeExtend({
    isPrivateFeed: orDefault(z.boolean(), false),
    sites: orDefault(sitesRule, []),
    opensAt: timeRule.nullish(),
  })
  .superRefine(({ isPrivateFeed, collectionId, trackId, opensAt, expiresAt }, check) => {
    const refuse = (field: 'isPrivateFeed' | 'opensAt', message: string) =>
      check.addIssue({ code: 'custom', path: [field], message })
    if (isPrivateFeed && (!collectionId || trackId)) refuse('isPrivateFeed', 'requires a collection and no track')
    if (opensAt && expiresAt && opensAt >= expiresAt) refuse('opensAt', 'must be before expiresAt')
  })
export type CreateKey = z.output<typeof createKeyInput> & Partial<z.output<typeof createShareKeyInput>>

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
