import { builder, present } from '../../platform/builder.ts'
import type { AdministratorViewer, KeyViewer } from '../../platform/context.ts'
import { AdministratorRole, KeyKind } from '../../platform/db/generated/client/enums.ts'
import { signIn } from './authenticate.ts'
import { createApiKey, createKey, type NewKey } from './keys.ts'
import type { UploadHandle } from './upload-handle.ts'

const KeyKindEnum = builder.enumType(KeyKind, { name: 'KeyKind', description: 'What a key may do.' })
const RoleEnum = builder.enumType(AdministratorRole, {
  name: 'AdministratorRole',
  description: 'What an administrator may do; `viewer` only reads.',
})

const KeyViewerObject = builder.objectRef<KeyViewer>('KeyViewer').implement({
  description: 'The holder of a key.',
  fields: (t) => ({
    keyId: t.exposeID('keyId'),
    kind: t.expose('kind', { type: KeyKindEnum }),
    organizationId: t.exposeID('organizationId'),
    collectionId: t.exposeID('collectionId', { nullable: true, description: 'The only collection that it sees.' }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The only creator that it sees.' }),
  }),
})
const AdministratorObject = builder.objectRef<AdministratorViewer>('Administrator').implement({
  description: 'A person who signed in.',
  fields: (t) => ({
    administratorId: t.exposeID('administratorId'),
    role: t.expose('role', { type: RoleEnum }),
    organizationId: t.exposeID('organizationId'),
  }),
})
const ViewerUnion = builder.unionType('Viewer', {
  description: 'Who asks.',
  types: [KeyViewerObject, AdministratorObject],
  resolveType: (viewer) => (viewer.type === 'key' ? KeyViewerObject : AdministratorObject),
})

export const UploadHandleObject = builder.objectRef<UploadHandle>('UploadTarget').implement({
  description: 'Where, how and until when to upload.',
  fields: (t) => ({
    method: t.exposeString('method', { description: '`PUT` for a recording, `POST` for a cover.' }),
    uploadUrl: t.exposeString('uploadUrl'),
    ttl: t.exposeInt('ttl', { description: 'Seconds.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'The upload must begin before.' }),
  }),
})

const CreateKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A key that speaks for the organization.',
  fields: (t) => ({
    title: t.string({ required: true }),
    collectionId: t.id({ description: 'Limits the key to one collection.' }),
    creatorId: t.id({ description: 'Limits the key to one creator.' }),
    expiresAt: t.field({ type: 'DateTime' }),
  }),
})
const CreateShareKeyInput = builder.inputType('CreateShareKeyInput', {
  description: 'A key for stream links of one variant.',
  fields: (t) => ({
    title: t.string({ required: true }),
    variant: t.string({ required: true, description: 'Index or id of the variant.' }),
    collectionId: t.id({ description: 'Limits the key to one collection.' }),
    trackId: t.id({ description: 'Limits the key to one track; needs collectionId too.' }),
    expiresAt: t.field({ type: 'DateTime' }),
  }),
})
const newKey = (name: string) =>
  builder.objectRef<NewKey>(name).implement({
    description: 'Holds the new key. It is shown only now.',
    fields: (t) => ({
      key: t.exposeString('key'),
      keyId: t.id({ resolve: ({ record }) => record.id }),
    }),
  })
const CreateApiKeyPayload = newKey('CreateApiKeyPayload')
const CreateShareKeyPayload = newKey('CreateShareKeyPayload')

const SignInPayload = builder.objectRef<{ token: string; expiresAt: Date }>('SignInPayload').implement({
  description: 'A token to be sent as `Authorization: Bearer`.',
  fields: (t) => ({
    token: t.exposeString('token'),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerUnion,
    nullable: true,
    description: 'Who asks; null without a key or token.',
    resolve: (_, __, ctx) => ctx.viewer,
  }),
)

builder.mutationFields((t) => ({
  signIn: t.field({
    type: SignInPayload,
    description: "Exchanges an administrator's email address and password for a token.",
    args: { email: t.arg.string({ required: true }), password: t.arg.string({ required: true }) },
    resolve: (_, args, ctx) => signIn(ctx, args),
  }),
  createApiKey: t.field({
    type: CreateApiKeyPayload,
    description: 'Makes an api key. Administrators only.',
    args: { input: t.arg({ type: CreateKeyInput, required: true }) },
    resolve: (_, { input }, ctx) => createApiKey(ctx, present(input)),
  }),
  createShareKey: t.field({
    type: CreateShareKeyPayload,
    description: 'Makes a key for stream links.',
    args: { input: t.arg({ type: CreateShareKeyInput, required: true }) },
    resolve: (_, { input: { variant, ...input } }, ctx) =>
      createKey(ctx, { ...present(input), variants: [variant], apiKeyTypeId: 'share' }),
  }),
}))
