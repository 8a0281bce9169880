import type { KeyKind } from '../../../platform/db/generated/client/enums.ts'
import { builder, defineEnum } from '../../../platform/graphql/builder.ts'
import {
  defineCreateInput,
  defineUpdateInput,
  idArgument,
  inputArgument,
  NULL_CLEARS,
  omitNulls,
  parseCreation,
} from '../../../platform/graphql/input.ts'
import { defineList, defineRecordQuery } from '../../../platform/graphql/list.ts'
import { Node } from '../../../platform/graphql/node.ts'
import { relatedRecord } from '../../../platform/graphql/page.ts'
import { definePayload, reloaded } from '../../../platform/graphql/payload.ts'
import { needs, needsColumns, readWith } from '../../../platform/graphql/plan.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { administratorScope, organizationScope, permitted } from '../viewer.ts'
import { createApiKey, createKey, type NewKey, updateShareKey } from './keys.ts'
import { countKeys, findKeys, getKey, readableKeys, readPageUrl, readShareKey, revokeKey } from './manage.ts'
import {
  createApiKeyInput,
  createKeyInput,
  createShareKeyInput,
  generalKeyFields,
  keyFields,
  keyFilter,
  keyFilters,
  listenerKeyFields,
  updateShareKeyInput,
} from './record.ts'
import { MAX_COUNTRIES, MAX_SITES, shareLimitFields } from './share-limits.ts'

defineEnum<KeyKind>('KeyKind', 'What a key may do.', {
  api: 'Everything in the organization, or in the collection or creator that the key is limited to.',
  uploader: 'Creates upload sessions only.',
  player: 'Creates play sessions only.',
  share: 'Opens stream links of one variant only.',
})

/** A code has two letters, so that ten cost as much as another text. */
const COUNTRIES_PRICE = MAX_COUNTRIES / 10

const { sites, countries, ...exposedFields } = keyFields
const undeleted = () => ({ where: { deletedAt: null } })
builder.prismaObject('ApiKey', {
  name: 'Key',
  interfaces: [Node],
  description: 'A key of the organization. The key itself is shown only once, on creation, unless it is a share key.',
  fields: (t) => ({
    ...expose(t, exposedFields),
    sites: t.exposeStringList('sites', {
      description: sites.description,
      extensions: { price: { items: MAX_SITES } },
    }),
    countries: t.exposeStringList('countries', {
      description: countries.description,
      extensions: { price: { items: COUNTRIES_PRICE } },
    }),
    hasPassword: t.boolean({
      description: 'Whether a listener has to enter a password. Always false for other kinds than a share key.',
      ...needsColumns('passwordHash'),
      resolve: ({ passwordHash }) => passwordHash !== null,
    }),
    countedPlays: t.int({
      description: 'Plays that count against `maxPlays`. 0 without limits: `usage` has all plays.',
      ...needs({ also: { $count: { relation: 'shareCount', columns: ['plays'] } } }),
      resolve: (key) => readWith<{ plays: number } | null>(key, '$count')?.plays ?? 0,
    }),
    collection: t.field(
      relatedRecord(
        'Collection',
        'collection',
        'The collection that the key is limited to. Null without this limit, or when deleted.',
        undeleted,
      ),
    ),
    track: t.field(
      relatedRecord(
        'Track',
        'track',
        'The track that the key is limited to. Null without this limit, or when deleted.',
        undeleted,
      ),
    ),
    creator: t.field(
      relatedRecord(
        'Creator',
        'creator',
        'The creator that the key is limited to. Null without this limit, or when deleted.',
        undeleted,
      ),
    ),
    variant: t.field(
      relatedRecord(
        'Variant',
        'variant',
        'The variant that a share key opens. Null for other kinds, or when deleted.',
        undeleted,
      ),
    ),
    shareKey: t.string({
      nullable: true,
      description:
        'The key itself, of a share key: it is public by design. Null for other kinds, for administrators with the role ' +
        'viewer, and for a share key that cannot be shown again, because it was created before the service stored share ' +
        'keys, or restored with another root secret.',
      ...needsColumns('kind', 'sealedKey'),
      resolve: (key, _, ctx) => readShareKey(ctx, key),
    }),
    pageUrl: t.string({
      nullable: true,
      description:
        'Address of the page for listeners that a share key opens. Null for a key that is limited neither to a track nor to ' +
        'a collection, and where `shareKey` is null.',
      ...needsColumns('kind', 'sealedKey', 'trackId', 'collectionId'),
      resolve: (key, _, ctx) => readPageUrl(ctx, key),
    }),
    isActive: t.boolean({
      description: 'Whether the key is accepted: neither revoked nor expired.',
      ...needsColumns('revokedAt', 'expiresAt'),
      resolve: ({ revokedAt, expiresAt }, _, { clock }) => !revokedAt && (!expiresAt || expiresAt > clock()),
    }),
  }),
})

const CreateApiKeyInput = defineCreateInput('ApiKey', 'A new key of kind API.', generalKeyFields)
const CreateUploaderKeyInput = defineCreateInput(
  'UploaderKey',
  'A new key that creates upload sessions.',
  generalKeyFields,
)
const CreatePlayerKeyInput = defineCreateInput(
  'PlayerKey',
  'A new key that creates play sessions.',
  listenerKeyFields,
  (t) => ({
    variants: t.stringList({
      description: 'Indexes or IDs of the variants that its play sessions contain. 0 to 50. Defaults to none.',
    }),
    isDownloadable: t.boolean({ description: `${keyFields.isDownloadable.description} Defaults to false.` }),
  }),
)
const PASSWORD = 'Password that a listener enters on the page of the link. 1 to 200 characters. It is stored as a hash.'
const CreateShareKeyInput = defineCreateInput(
  'ShareKey',
  'A new key for stream links of one variant.',
  { ...listenerKeyFields, ...shareLimitFields },
  (t) => ({
    variant: t.string({ required: true, description: 'Index or ID of the variant.' }),
    password: t.string({ description: `${PASSWORD} Defaults to none.` }),
    isPrivateFeed: t.boolean({
      description: `${keyFields.isPrivateFeed.description} Requires a collection and no track. Defaults to false.`,
    }),
  }),
)
const UpdateShareKeyInput = defineUpdateInput(
  'ShareKey',
  shareLimitFields,
  (t) => ({
    title: t.string({ description: keyFields.title.description }),
    expiresAt: t.field({ type: 'DateTime', description: keyFields.expiresAt.description }),
    password: t.string({ description: PASSWORD }),
  }),
  NULL_CLEARS,
)

const SHOWN_ONCE = 'The key itself, to be sent as `Authorization: Bearer`. Shown only once.'
const newKey = (name: string, description = SHOWN_ONCE) =>
  builder.objectRef<NewKey>(name).implement({
    description: 'The new key.',
    fields: (t) => ({
      key: t.exposeString('key', { description }),
      keyId: t.id({ description: keyFields.id.description, resolve: ({ record }) => record.id }),
      record: t.field({ description: 'The record of the key.', ...reloaded('ApiKey', ({ record }) => record.id) }),
    }),
  })

defineRecordQuery('key', 'ApiKey', {
  type: 'Key',
  description: 'Returns a key.',
  idDescription: keyFields.id.description,
  permit: readableKeys,
  find: getKey,
})
defineList({
  model: 'ApiKey',
  records: 'keys',
  type: 'Key',
  filters: keyFilters,
  filter: keyFilter,
  orderBy: { createdAt: 'Time of creation.', title: 'Title.' },
}).query({
  description: 'Lists the keys of the organization. Keys of kind API are listed for administrators only.',
  permit: readableKeys,
  find: findKeys,
  count: countKeys,
})

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: newKey('CreateApiKeyPayload'),
    description: 'Creates a key of kind API. Owners and admins only.',
    args: { input: inputArgument(CreateApiKeyInput, 'The new key.') },
    resolve: permitted(administratorScope, (_, { input }, ctx) =>
      createApiKey(ctx, parseCreation(createApiKeyInput, input)),
    ),
  }),
  createUploaderKey: t.field({
    type: newKey('CreateUploaderKeyPayload'),
    description: 'Creates a key for upload sessions.',
    args: { input: inputArgument(CreateUploaderKeyInput, 'The new key.') },
    resolve: permitted(organizationScope, (_, { input }, ctx) =>
      createKey(ctx, parse(createKeyInput, { ...omitNulls(input), apiKeyTypeId: 'uploader' })),
    ),
  }),
  createPlayerKey: t.field({
    type: newKey('CreatePlayerKeyPayload'),
    description: 'Creates a key for play sessions.',
    args: { input: inputArgument(CreatePlayerKeyInput, 'The new key.') },
    resolve: permitted(organizationScope, (_, { input }, ctx) =>
      createKey(ctx, parse(createKeyInput, { ...omitNulls(input), apiKeyTypeId: 'player' })),
    ),
  }),
  createShareKey: t.field({
    type: newKey('CreateShareKeyPayload', 'The key itself, as part of stream links. `Key.shareKey` shows it again.'),
    description: 'Creates a key for stream links.',
    args: { input: inputArgument(CreateShareKeyInput, 'The new key.') },
    resolve: permitted(organizationScope, (_, { input: { variant, ...input } }, ctx) =>
      createKey(ctx, parse(createShareKeyInput, { ...omitNulls(input), variants: [variant], apiKeyTypeId: 'share' })),
    ),
  }),
  updateShareKey: t.field({
    type: definePayload('UpdateShareKey', 'key', 'ApiKey', { record: 'key', description: 'The key.' }),
    description: 'Changes the title and the limits of a share key at once. Null clears a nullable field.',
    args: { id: idArgument('key', keyFields.id.description), input: inputArgument(UpdateShareKeyInput) },
    resolve: permitted(organizationScope, (_, { id, input }, ctx) =>
      updateShareKey(ctx, parseId('keyId', id), parse(updateShareKeyInput, input)),
    ),
  }),
  revokeKey: t.field({
    type: definePayload('RevokeKey', 'key', 'ApiKey', { record: 'key', description: 'The key that was revoked.' }),
    description:
      'Revokes a key at once and permanently. Owners and admins may revoke any key, an api key those of other kinds.',
    args: { id: idArgument('key', keyFields.id.description) },
    resolve: permitted(organizationScope, (_, { id }, ctx) => revokeKey(ctx, parseId('keyId', id))),
  }),
}))
