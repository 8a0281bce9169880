import { builder } from '../../../platform/graphql/builder.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { parse } from '../../../platform/schema/parse.ts'
import { AccountObject } from '../account/graphql.ts'
import { AdministratorObject, administratorPayload } from '../administrator/graphql.ts'
import { permitted, personScope, withSignInAccess } from '../viewer.ts'
import { enableInput, proofInput } from './record.ts'
import { RECOVERY_CODES } from './recovery-codes.ts'
import {
  countRecoveryCodes,
  createRecoveryCodes,
  disableSecondFactor,
  enableSecondFactor,
  type NewRecoveryCodes,
  prepareSecondFactor,
  type SecondFactorSetup,
} from './service.ts'

builder.objectField(AccountObject, 'recoveryCodesLeft', (t) =>
  t.int({
    description: 'Number of recovery codes that have not been used. 0 without a second factor.',
    resolve: (_, __, ctx) => countRecoveryCodes(ctx),
  }),
)

const PrepareSecondFactorPayload = builder.objectRef<SecondFactorSetup>('PrepareSecondFactorPayload').implement({
  description: 'A secret that is not in use yet.',
  fields: (t) => ({
    setup: t.exposeString('setup', { description: 'To be sent to `enableSecondFactor` within 15 minutes.' }),
    secret: t.exposeString('secret', {
      description: 'The secret in base32, for an app that cannot read the QR code: SHA-1, six digits, 30 seconds.',
    }),
    uri: t.exposeString('uri', { description: 'The same as an `otpauth:` address, to be shown as a QR code.' }),
  }),
})

const newRecoveryCodes = (name: string) =>
  builder.objectRef<NewRecoveryCodes>(name).implement({
    description: 'Recovery codes.',
    fields: (t) => ({
      administrator: t.field({
        type: AdministratorObject,
        description: 'The administrator after the change.',
        resolve: ({ administrator }) => administrator,
      }),
      recoveryCodes: t.stringList({
        description: `${RECOVERY_CODES} codes, each for one sign-in without the app. Shown only once.`,
        ...withPrice({}, { items: RECOVERY_CODES }),
        resolve: ({ recoveryCodes }) => recoveryCodes,
      }),
    }),
  })

builder.mutationFields((t) => {
  const password = t.arg.string({ required: true, description: 'Password of the signed-in administrator.' })
  return {
    prepareSecondFactor: t.field({
      type: PrepareSecondFactorPayload,
      description: 'Creates a secret for an app of the signed-in administrator. Changes nothing.',
      resolve: permitted(personScope, (_, __, ctx) => prepareSecondFactor(ctx)),
    }),
    enableSecondFactor: t.field({
      type: newRecoveryCodes('EnableSecondFactorPayload'),
      description:
        'Requires a code at each sign-in with the password of the signed-in administrator, and ends their other sessions. ' +
        'A sign-in by another issuer requires none: that issuer decides. Wrong passwords and codes count like those of `signIn`.',
      args: {
        setup: t.arg.string({ required: true, description: '`setup` of `prepareSecondFactor`.' }),
        password,
        code: t.arg.string({ required: true, description: 'Current code of the app.' }),
      },
      resolve: permitted(personScope, (_, args, ctx) =>
        enableSecondFactor(withSignInAccess(ctx), parse(enableInput, args)),
      ),
    }),
    disableSecondFactor: t.field({
      type: administratorPayload('DisableSecondFactorPayload'),
      description: 'Removes the second factor of the signed-in administrator, with its recovery codes.',
      args: {
        password,
        code: t.arg.string({ required: true, description: 'Current code of the app, or a recovery code.' }),
      },
      resolve: permitted(personScope, async (_, args, ctx) => ({
        administrator: await disableSecondFactor(withSignInAccess(ctx), parse(proofInput, args)),
      })),
    }),
    createRecoveryCodes: t.field({
      type: newRecoveryCodes('CreateRecoveryCodesPayload'),
      description: 'Replaces the recovery codes of the signed-in administrator. Earlier ones are refused.',
      args: {
        password,
        code: t.arg.string({ required: true, description: 'Current code of the app, or a recovery code.' }),
      },
      resolve: permitted(personScope, (_, args, ctx) =>
        createRecoveryCodes(withSignInAccess(ctx), parse(proofInput, args)),
      ),
    }),
  }
})
