import type { Passkey } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument, inputArgument } from '../../../platform/graphql/input.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { AccountObject } from '../account/graphql.ts'
import { signedIn } from '../sign-in/graphql.ts'
import { permitted, personScope, withSignInAccess } from '../viewer.ts'
import { addPasskeyInput, MAX_PASSKEYS, passkeyFields, passkeySignInInput, preparePasskeyInput } from './record.ts'
import {
  addPasskey,
  findOwnPasskeys,
  type PasskeyCeremony,
  preparePasskey,
  preparePasskeySignIn,
  removePasskey,
  signInWithPasskey,
} from './service.ts'

const PasskeyObject = builder.objectRef<Passkey>('Passkey').implement({
  description: 'A key of a phone, a computer or a security key, with which a person signs in without a password.',
  fields: (t) => expose(t, passkeyFields),
})

builder.objectField(AccountObject, 'passkeys', (t) =>
  t.field({
    type: [PasskeyObject],
    description: `Passkeys, newest first. At most ${MAX_PASSKEYS}.`,
    ...withPrice({}, { items: 5 }),
    resolve: (_, __, ctx) => findOwnPasskeys(ctx),
  }),
)

const ceremony = (name: string) =>
  builder.objectRef<PasskeyCeremony>(name).implement({
    description: 'A ceremony of Web Authentication, for the browser.',
    fields: (t) => ({
      setup: t.exposeString('setup', {
        description: 'To be sent back with the answer of the browser within 5 minutes.',
      }),
      challenge: t.exposeString('challenge', { description: '`challenge` of the options, base64url.' }),
      host: t.exposeString('host', { description: '`rp.id` or `rpId` of the options.' }),
    }),
  })

const signed = {
  setup: '`setup` of the ceremony.',
  credentialId: '`rawId` of the answer, base64url.',
  clientData: '`response.clientDataJSON`, base64url.',
  authenticatorData: '`response.authenticatorData` (of a new passkey from `getAuthenticatorData()`), base64url.',
}
const AddPasskeyInput = builder.inputType('AddPasskeyInput', {
  description: 'The answer of the browser for a new passkey.',
  fields: (t) => ({
    setup: t.string({ required: true, description: signed.setup }),
    title: t.string({ required: true, description: `${passkeyFields.title.description} At least 1.` }),
    credentialId: t.string({ required: true, description: signed.credentialId }),
    clientData: t.string({ required: true, description: signed.clientData }),
    authenticatorData: t.string({ required: true, description: signed.authenticatorData }),
    publicKey: t.string({ required: true, description: '`response.getPublicKey()`, base64url.' }),
  }),
})
const PasskeySignInInput = builder.inputType('PasskeySignInInput', {
  description: 'The answer of the browser for a sign-in.',
  fields: (t) => ({
    setup: t.string({ required: true, description: signed.setup }),
    credentialId: t.string({ required: true, description: signed.credentialId }),
    clientData: t.string({ required: true, description: signed.clientData }),
    authenticatorData: t.string({ required: true, description: signed.authenticatorData }),
    signature: t.string({ required: true, description: '`response.signature`, base64url.' }),
  }),
})

const AddPasskeyPayload = builder.objectRef<{ passkey: Passkey }>('AddPasskeyPayload').implement({
  description: 'The new passkey.',
  fields: (t) => ({
    passkey: t.field({ type: PasskeyObject, description: 'The passkey.', resolve: ({ passkey }) => passkey }),
  }),
})
const RemovePasskeyPayload = builder.objectRef<{ removedPasskey: Passkey }>('RemovePasskeyPayload').implement({
  description: 'The passkey that was removed.',
  fields: (t) => ({
    removedPasskey: t.field({
      type: PasskeyObject,
      description: 'The passkey before its removal.',
      resolve: ({ removedPasskey }) => removedPasskey,
    }),
  }),
})

builder.mutationFields((t) => ({
  preparePasskey: t.field({
    type: ceremony('PreparePasskeyPayload'),
    description:
      'Begins the creation of a passkey of the signed-in administrator. Wrong passwords and codes count like those of `signIn`.',
    args: {
      password: t.arg.string({ required: true, description: 'Password of the signed-in administrator.' }),
      code: t.arg.string({ description: 'Code of the second factor. Required if there is one.' }),
    },
    resolve: permitted(personScope, (_, args, ctx) =>
      preparePasskey(withSignInAccess(ctx), parse(preparePasskeyInput, args)),
    ),
  }),
  addPasskey: t.field({
    type: AddPasskeyPayload,
    description:
      'Adds a passkey of the signed-in administrator. It opens the account without password and code. The authenticator ' +
      'must verify the person.',
    args: { input: inputArgument(AddPasskeyInput, 'The new passkey.') },
    resolve: permitted(personScope, async (_, { input }, ctx) => ({
      passkey: await addPasskey(withSignInAccess(ctx), parse(addPasskeyInput, input)),
    })),
  }),
  removePasskey: t.field({
    type: RemovePasskeyPayload,
    description: 'Removes a passkey of the signed-in administrator. Sessions that began with it go on.',
    args: { id: idArgument('passkey', passkeyFields.id.description) },
    resolve: permitted(personScope, async (_, { id }, ctx) => ({
      removedPasskey: await removePasskey(ctx, parseId('id', id)),
    })),
  }),
  preparePasskeySignIn: t.field({
    type: ceremony('PreparePasskeySignInPayload'),
    description: 'Begins a sign-in with a passkey. Requires no credential. Changes nothing.',
    resolve: (_, __, ctx) => preparePasskeySignIn(ctx),
  }),
  signInWithPasskey: t.field({
    type: signedIn('SignInWithPasskeyPayload'),
    description: 'Exchanges the signature of a passkey for tokens. Requires no credential, password or code.',
    args: { input: inputArgument(PasskeySignInInput, 'The answer of the browser.') },
    resolve: (_, { input }, ctx) => signInWithPasskey(withSignInAccess(ctx), parse(passkeySignInInput, input)),
  }),
}))
