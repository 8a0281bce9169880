import type { ApiKey } from '../../../platform/db/generated/client/client.ts'
import type { KeyKind } from '../../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  omitNulls,
  orderInput,
  pagesOf,
  reloaded,
  typeOf,
} from '../../../platform/graphql/builder.ts'
import { related } from '../../../platform/graphql/page.ts'
import { needsColumns, planOf } from '../../../platform/graphql/plan.ts'
import { createApiKey, createKey, type NewKey } from './keys.ts'
import { countKeys, findKeys, getKey, revokeKey } from './manage.ts'
import { keyFilter } from './schema.ts'

export const KeyKindEnum = builder.enumType('KeyKind', {
  description: 'What a key may do.',
  values: enumValues<KeyKind>({
    api: 'Everything in its organization, or within the collection or creator that it is limited to.',
    uploader: 'Opens upload sessions, and nothing else.',
    player: 'Opens play sessions, and nothing else.',
    share: 'Opens stream links of one variant, and nothing else.',
  }),
})

builder.prismaObject('ApiKey', {
  name: 'Key',
  description: 'A key of the organization. The key itself was shown once, when it was made.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Names the key; it is no credential.' }),
    organizationId: t.exposeID('organizationId', { description: 'The organization that it speaks for.' }),
    kind: t.expose('kind', { type: KeyKindEnum, description: 'What it may do.' }),
    title: t.exposeString('title', { description: 'For people to know it by.' }),
    collectionId: t.exposeID('collectionId', { nullable: true, description: 'The only collection that it reaches.' }),
    trackId: t.exposeID('trackId', { nullable: true, description: 'The only track that it reaches.' }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The only creator that it reaches.' }),
    variantId: t.exposeID('variantId', { nullable: true, description: 'The one variant of a share key.' }),
    variants: t.exposeStringList('variants', { description: 'Indexes of the variants of a player key.' }),
    isDownloadable: t.exposeBoolean('isDownloadable', {
      description: 'Whether play sessions of a player key may be downloadable; false for other kinds.',
    }),
    collection: t.field({
      type: typeOf('Collection'),
      nullable: true,
      description: 'The only collection that it reaches; null without one, and once it is deleted.',
      ...related('collection', () => ({ where: { deletedAt: null } })),
    }),
    track: t.field({
      type: typeOf('Track'),
      nullable: true,
      description: 'The only track that it reaches; null without one, and once it is deleted.',
      ...related('track', () => ({ where: { deletedAt: null } })),
    }),
    creator: t.field({
      type: typeOf('Creator'),
      nullable: true,
      description: 'The only creator that it reaches; null without one, and once it is deleted.',
      ...related('creator', () => ({ where: { deletedAt: null } })),
    }),
    variant: t.field({
      type: typeOf('Variant'),
      nullable: true,
      description: 'The one variant of a share key; null for other kinds, and once it is deleted.',
      ...related('variant', () => ({ where: { deletedAt: null } })),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends by itself.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Its latest use, to the minute. Stream links do not count.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
    isActive: t.boolean({
      description: 'Whether it works: neither revoked nor expired.',
      ...needsColumns('revokedAt', 'expiresAt'),
      resolve: ({ revokedAt, expiresAt }, _, { clock }) => !revokedAt && (!expiresAt || expiresAt > clock()),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})

const KeyFilterInput = builder.inputType('KeyFilter', {
  description: 'What narrows a list of keys.',
  fields: (t) => ({
    kind: t.field({ type: KeyKindEnum, description: 'Of this kind alone.' }),
    isRevoked: t.boolean({ description: 'Revoked ones alone, or without them.' }),
    search: t.string({ description: 'Part of the title, in small or capital letters.' }),
  }),
})
const KeyOrder = orderInput('Key', { createdAt: 'When it was made.', title: 'Its title.' })
const TITLE = { required: true, description: 'For people to know the key by.' } as const
const COLLECTION = { description: 'Limits the key to one collection.' }
const TRACK = { description: 'Limits the key to one track; needs collectionId too.' }
const CREATOR = { description: 'Limits the key to one creator.' }
const EXPIRES = { type: 'DateTime', description: 'When it ends by itself; never unless told.' } as const

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A key that speaks for the organization.',
  fields: (t) => ({
    title: t.string(TITLE),
    collectionId: t.id(COLLECTION),
    creatorId: t.id(CREATOR),
    expiresAt: t.field(EXPIRES),
  }),
})
const CreateUploaderKeyInput = builder.inputType('CreateUploaderKeyInput', {
  description: 'A key that opens upload sessions.',
  fields: (t) => ({
    title: t.string(TITLE),
    collectionId: t.id(COLLECTION),
    creatorId: t.id(CREATOR),
    expiresAt: t.field(EXPIRES),
  }),
})
const CreatePlayerKeyInput = builder.inputType('CreatePlayerKeyInput', {
  description: 'A key that opens play sessions.',
  fields: (t) => ({
    title: t.string(TITLE),
    variants: t.stringList({ description: 'Indexes or ids of the variants that its sessions hand out.' }),
    isDownloadable: t.boolean({ description: 'Whether its sessions may be downloadable. Defaults to false.' }),
    collectionId: t.id(COLLECTION),
    trackId: t.id(TRACK),
    creatorId: t.id(CREATOR),
    expiresAt: t.field(EXPIRES),
  }),
})
const CreateShareKeyInput = builder.inputType('CreateShareKeyInput', {
  description: 'A key for stream links of one variant.',
  fields: (t) => ({
    title: t.string(TITLE),
    variant: t.string({ required: true, description: 'Index or id of the variant.' }),
    collectionId: t.id(COLLECTION),
    trackId: t.id(TRACK),
    creatorId: t.id(CREATOR),
    expiresAt: t.field(EXPIRES),
  }),
})

const newKey = (name: string) =>
  builder.objectRef<NewKey>(name).implement({
    description: 'Holds the new key. It is shown only now.',
    fields: (t) => ({
      key: t.exposeString('key', { description: 'The key itself, to be sent as `Authorization: Bearer`.' }),
      keyId: t.id({ description: 'Names the key later on.', resolve: ({ record }) => record.id }),
      record: t.field({ description: 'What is kept of it.', ...reloaded('ApiKey', ({ record }) => record.id) }),
    }),
  })
const CreateApiKeyPayload = newKey('CreateApiKeyPayload')
const CreateUploaderKeyPayload = newKey('CreateUploaderKeyPayload')
const CreatePlayerKeyPayload = newKey('CreatePlayerKeyPayload')
const CreateShareKeyPayload = newKey('CreateShareKeyPayload')
const RevokeKeyPayload = builder.objectRef<{ key: ApiKey }>('RevokeKeyPayload').implement({
  description: 'Holds the key that was revoked.',
  fields: (t) => ({
    key: t.field({ description: 'The key as it is now.', ...reloaded('ApiKey', ({ key }) => key.id) }),
  }),
})

builder.queryFields((t) => ({
  keys: t.connection(
    {
      type: typeOf('ApiKey'),
      description: 'Keys of the organization. An api key sees none of its own kind.',
      args: {
        filter: t.arg({ type: KeyFilterInput, description: 'What narrows the list.' }),
        orderBy: t.arg({ type: KeyOrder, description: 'The newest first unless told.' }),
      },
      resolve: pagesOf(keyFilter, findKeys, countKeys),
    },
    ...connectionOf('ApiKey', 'Key'),
  ),
  key: t.field({
    type: typeOf('ApiKey'),
    nullable: true,
    description: 'One key.',
    args: { id: t.arg.id({ required: true, description: 'Which one.' }) },
    resolve: (_, { id }, ctx, info) => getKey(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreateApiKeyPayload,
    description: 'Makes an api key. Administrators only.',
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The new key.' }) },
    resolve: (_, { input }, ctx) => createApiKey(ctx, omitNulls(input)),
  }),
  createUploaderKey: t.field({
    type: CreateUploaderKeyPayload,
    description: 'Makes a key for upload sessions.',
    args: { input: t.arg({ type: CreateUploaderKeyInput, required: true, description: 'The new key.' }) },
    resolve: (_, { input }, ctx) => createKey(ctx, { ...omitNulls(input), apiKeyTypeId: 'uploader' }),
  }),
  createPlayerKey: t.field({
    type: CreatePlayerKeyPayload,
    description: 'Makes a key for play sessions.',
    args: { input: t.arg({ type: CreatePlayerKeyInput, required: true, description: 'The new key.' }) },
    resolve: (_, { input }, ctx) => createKey(ctx, { ...omitNulls(input), apiKeyTypeId: 'player' }),
  }),
  createShareKey: t.field({
    type: CreateShareKeyPayload,
    description: 'Makes a key for stream links.',
    args: { input: t.arg({ type: CreateShareKeyInput, required: true, description: 'The new key.' }) },
    resolve: (_, { input: { variant, ...input } }, ctx) =>
      createKey(ctx, { ...omitNulls(input), variants: [variant], apiKeyTypeId: 'share' }),
  }),
  revokeKey: t.field({
    type: RevokeKeyPayload,
    description: 'Ends a key at once and for good. Administrators end any, an api key those that it could make.',
    args: { id: t.arg.id({ required: true, description: 'Which one.' }) },
    resolve: async (_, { id }, ctx) => ({ key: await revokeKey(ctx, id) }),
  }),
}))
