import type { ApiKey } from '../../../platform/db/generated/client/client.ts'
import type { KeyKind } from '../../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  omitNulls,
  orderInput,
  pagesOf,
  parseCreation,
  reloaded,
  typeOf,
} from '../../../platform/graphql/builder.ts'
import { related } from '../../../platform/graphql/page.ts'
import { needsColumns, planOf } from '../../../platform/graphql/plan.ts'
import { expose, filterFields, inputFields } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { administratorScope, organizationScope, permitted } from '../viewer.ts'
import { createApiKey, createKey, type NewKey } from './keys.ts'
import { countKeys, findKeys, getKey, readableKeys, revokeKey } from './manage.ts'
import {
  createApiKeyInput,
  createKeyInput,
  generalKeyFields,
  keyFields,
  keyFilter,
  keyFilters,
  listenerKeyFields,
} from './record.ts'

builder.enumType('KeyKind', {
  description: 'What a key may do.',
  values: enumValues<KeyKind>({
    api: 'Everything in the organization, or in the collection or creator that the key is limited to.',
    uploader: 'Creates upload sessions only.',
    player: 'Creates play sessions only.',
    share: 'Opens stream links of one variant only.',
  }),
})

const undeleted = () => ({ where: { deletedAt: null } })
builder.prismaObject('ApiKey', {
  name: 'Key',
  description: 'A key of the organization. The key itself is shown only once, on creation.',
  fields: (t) => ({
    ...expose(t, keyFields),
    collection: t.field({
      type: typeOf('Collection'),
      nullable: true,
      description: 'The collection that the key is limited to. Null without this limit, or when deleted.',
      ...related('collection', undeleted),
    }),
    track: t.field({
      type: typeOf('Track'),
      nullable: true,
      description: 'The track that the key is limited to. Null without this limit, or when deleted.',
      ...related('track', undeleted),
    }),
    creator: t.field({
      type: typeOf('Creator'),
      nullable: true,
      description: 'The creator that the key is limited to. Null without this limit, or when deleted.',
      ...related('creator', undeleted),
    }),
    variant: t.field({
      type: typeOf('Variant'),
      nullable: true,
      description: 'The variant that a share key opens. Null for other kinds, or when deleted.',
      ...related('variant', undeleted),
    }),
    isActive: t.boolean({
      description: 'Whether the key is accepted: neither revoked nor expired.',
      ...needsColumns('revokedAt', 'expiresAt'),
      resolve: ({ revokedAt, expiresAt }, _, { clock }) => !revokedAt && (!expiresAt || expiresAt > clock()),
    }),
  }),
})

const KeyFilterInput = builder.inputType('KeyFilter', {
  description: 'Conditions on keys. All given conditions must hold.',
  fields: (t) => filterFields(t, keyFilters),
})
const KeyOrder = orderInput('Key', { createdAt: 'Time of creation.', title: 'Title.' })

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A new key of kind API.',
  fields: (t) => inputFields(t, generalKeyFields, 'create'),
})
const CreateUploaderKeyInput = builder.inputType('CreateUploaderKeyInput', {
  description: 'A new key that creates upload sessions.',
  fields: (t) => inputFields(t, generalKeyFields, 'create'),
})
const CreatePlayerKeyInput = builder.inputType('CreatePlayerKeyInput', {
  description: 'A new key that creates play sessions.',
  fields: (t) => ({
    ...inputFields(t, listenerKeyFields, 'create'),
    variants: t.stringList({
      description: 'Indexes or IDs of the variants that its play sessions contain. 0 to 50. Defaults to none.',
    }),
    isDownloadable: t.boolean({ description: `${keyFields.isDownloadable.description} Defaults to false.` }),
  }),
})
const CreateShareKeyInput = builder.inputType('CreateShareKeyInput', {
  description: 'A new key for stream links of one variant.',
  fields: (t) => ({
    ...inputFields(t, listenerKeyFields, 'create'),
    variant: t.string({ required: true, description: 'Index or ID of the variant.' }),
  }),
})

const newKey = (name: string) =>
  builder.objectRef<NewKey>(name).implement({
    description: 'The new key.',
    fields: (t) => ({
      key: t.exposeString('key', {
        description: 'The key itself, to be sent as `Authorization: Bearer`. Shown only once.',
      }),
      keyId: t.id({ description: keyFields.id.description, resolve: ({ record }) => record.id }),
      record: t.field({ description: 'The record of the key.', ...reloaded('ApiKey', ({ record }) => record.id) }),
    }),
  })
const CreateApiKeyPayload = newKey('CreateApiKeyPayload')
const CreateUploaderKeyPayload = newKey('CreateUploaderKeyPayload')
const CreatePlayerKeyPayload = newKey('CreatePlayerKeyPayload')
const CreateShareKeyPayload = newKey('CreateShareKeyPayload')
const RevokeKeyPayload = builder.objectRef<{ key: ApiKey }>('RevokeKeyPayload').implement({
  description: 'The key that was revoked.',
  fields: (t) => ({
    key: t.field({ description: 'The key after the change.', ...reloaded('ApiKey', ({ key }) => key.id) }),
  }),
})

const idArgument = { required: true, description: keyFields.id.description } as const
const idOf = (id: unknown) => parseId('keyId', id)

builder.queryFields((t) => ({
  keys: t.connection(
    {
      type: typeOf('ApiKey'),
      description: 'Lists the keys of the organization. Keys of kind API are listed for administrators only.',
      args: {
        filter: t.arg({ type: KeyFilterInput, description: 'Conditions on the keys.' }),
        orderBy: t.arg({ type: KeyOrder, description: 'Defaults to the newest first.' }),
      },
      resolve: permitted(readableKeys, pagesOf(keyFilter, findKeys, countKeys)),
    },
    ...connectionOf('ApiKey', 'Key'),
  ),
  key: t.field({
    type: typeOf('ApiKey'),
    nullable: true,
    description: 'Returns a key.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(readableKeys, (_, { id }, ctx, info) => getKey(ctx, idOf(id), { plan: planOf(info, ctx) })),
  }),
}))

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreateApiKeyPayload,
    description: 'Creates a key of kind API. Owners and admins only.',
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The new key.' }) },
    resolve: permitted(administratorScope, (_, { input }, ctx) =>
      createApiKey(ctx, parseCreation(createApiKeyInput, input)),
    ),
  }),
  createUploaderKey: t.field({
    type: CreateUploaderKeyPayload,
    description: 'Creates a key for upload sessions.',
    args: { input: t.arg({ type: CreateUploaderKeyInput, required: true, description: 'The new key.' }) },
    resolve: permitted(organizationScope, (_, { input }, ctx) =>
      createKey(ctx, parse(createKeyInput, { ...omitNulls(input), apiKeyTypeId: 'uploader' })),
    ),
  }),
  createPlayerKey: t.field({
    type: CreatePlayerKeyPayload,
    description: 'Creates a key for play sessions.',
    args: { input: t.arg({ type: CreatePlayerKeyInput, required: true, description: 'The new key.' }) },
    resolve: permitted(organizationScope, (_, { input }, ctx) =>
      createKey(ctx, parse(createKeyInput, { ...omitNulls(input), apiKeyTypeId: 'player' })),
    ),
  }),
  createShareKey: t.field({
    type: CreateShareKeyPayload,
    description: 'Creates a key for stream links.',
    args: { input: t.arg({ type: CreateShareKeyInput, required: true, description: 'The new key.' }) },
    resolve: permitted(organizationScope, (_, { input: { variant, ...input } }, ctx) =>
      createKey(ctx, parse(createKeyInput, { ...omitNulls(input), variants: [variant], apiKeyTypeId: 'share' })),
    ),
  }),
  revokeKey: t.field({
    type: RevokeKeyPayload,
    description:
      'Revokes a key at once and permanently. Owners and admins may revoke any key, an api key those of other kinds.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(organizationScope, async (_, { id }, ctx) => ({ key: await revokeKey(ctx, idOf(id)) })),
  }),
}))
