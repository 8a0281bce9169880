import { builder } from '../../../platform/graphql/builder.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parse } from '../../../platform/schema/parse.ts'
import { AdministratorObject, administratorPayload } from '../administrator/graphql.ts'
import { changePasswordInput } from '../administrator/record.ts'
import { permitted, personScope, withSignInAccess } from '../viewer.ts'
import { refreshInput, sessionFields, signInInput } from './record.ts'
import { changePassword, refreshSignIn, type SignedIn, signIn, signOut, signOutEverywhere } from './service.ts'

/** A payload with the tokens of a session. */
export const signedIn = (name: string) =>
  builder.objectRef<SignedIn>(name).implement({
    description: 'An access token and a refresh token.',
    fields: (t) => ({
      ...expose(t, sessionFields),
      administrator: t.field({
        type: AdministratorObject,
        description: 'The administrator who signed in.',
        resolve: ({ administrator }) => administrator,
      }),
    }),
  })
const SignInPayload = signedIn('SignInPayload')
const RefreshSignInPayload = signedIn('RefreshSignInPayload')

const signedOut = (name: string) =>
  builder.objectRef<{ endedSessions: number }>(name).implement({
    description: 'The result of a sign-out.',
    fields: (t) => ({
      endedSessions: t.exposeInt('endedSessions', {
        description:
          'Number of ended sessions. 0 if another issuer signed the token; such a session ends at that issuer.',
      }),
    }),
  })
const SignOutPayload = signedOut('SignOutPayload')
const SignOutEverywherePayload = signedOut('SignOutEverywherePayload')
const ChangePasswordPayload = administratorPayload('ChangePasswordPayload')

builder.mutationFields((t) => ({
  signIn: t.field({
    type: SignInPayload,
    description:
      "Exchanges an administrator's email address and password for tokens. After five wrong passwords from one " +
      'client it fails with `rate_limited` for a minute, and for twice as long after each further one, up to an hour; ' +
      '`extensions.retryAfterSeconds` contains the remaining time. If the administrator has a second factor, the right ' +
      'password without a code fails with `second_factor_required`: send it again with `code`. A wrong or used code fails ' +
      'with `second_factor_invalid`, and counts as a wrong password does.',
    args: {
      email: t.arg.string({ required: true, description: 'Email address, in any case.' }),
      password: t.arg.string({ required: true, description: 'At most 1,024 characters.' }),
      code: t.arg.string({ description: 'Code of the second factor: six digits of the app, or a recovery code.' }),
    },
    resolve: (_, args, ctx) => signIn(withSignInAccess(ctx), parse(signInInput, args)),
  }),
  refreshSignIn: t.field({
    type: RefreshSignInPayload,
    description:
      'Exchanges a refresh token for new tokens. Each refresh token works once. For 10 seconds after its first use it gets ' +
      'the same refresh token again, so that a lost response can be repeated; a later use ends the session.',
    args: { refreshToken: t.arg.string({ required: true, description: 'The latest refresh token.' }) },
    resolve: (_, args, ctx) => refreshSignIn(withSignInAccess(ctx), parse(refreshInput, args).refreshToken),
  }),
  signOut: t.field({
    type: SignOutPayload,
    description:
      'Ends the session of the current token. Its tokens are refused at once. A token of another issuer has no session: it is ' +
      'refused with all such tokens that were issued to the administrator before.',
    resolve: async (_, __, ctx) => ({ endedSessions: await signOut(withSignInAccess(ctx)) }),
  }),
  signOutEverywhere: t.field({
    type: SignOutEverywherePayload,
    description:
      'Ends every session of the signed-in administrator. Tokens of another issuer that were issued before are refused.',
    resolve: async (_, __, ctx) => ({ endedSessions: await signOutEverywhere(withSignInAccess(ctx)) }),
  }),
  changePassword: t.field({
    type: ChangePasswordPayload,
    description:
      'Changes the password of the signed-in administrator and ends their other sessions. ' +
      'Wrong passwords count like those of `signIn`.',
    args: {
      currentPassword: t.arg.string({ required: true, description: 'The current password.' }),
      newPassword: t.arg.string({ required: true, description: '12 to 1,024 characters.' }),
    },
    resolve: permitted(personScope, async (_, args, ctx) => ({
      administrator: await changePassword(withSignInAccess(ctx), parse(changePasswordInput, args)),
    })),
  }),
}))
