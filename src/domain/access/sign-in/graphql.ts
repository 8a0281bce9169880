import { builder } from '../../../platform/graphql/builder.ts'
import { AdministratorObject, administratorPayload } from '../administrator/graphql.ts'
import { changePassword, refreshSignIn, type SignedIn, signIn, signOut, signOutEverywhere } from './service.ts'

const signedIn = (name: string) =>
  builder.objectRef<SignedIn>(name).implement({
    description: 'An access token, and what to get the next one with.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description:
          'To be sent as `Authorization: Bearer`. A JWT (RFC 9068), signed with a key of /.well-known/jwks.json.',
      }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the token ends: 15 minutes from now.' }),
      refreshToken: t.exposeString('refreshToken', {
        description: 'For `refreshSignIn`, once. To be kept as secret as a password.',
      }),
      refreshExpiresAt: t.expose('refreshExpiresAt', {
        type: 'DateTime',
        description: 'When the password is needed again: 30 days after it was given.',
      }),
      administrator: t.field({
        type: AdministratorObject,
        description: 'Who signed in.',
        resolve: ({ administrator }) => administrator,
      }),
    }),
  })
const SignInPayload = signedIn('SignInPayload')
const RefreshSignInPayload = signedIn('RefreshSignInPayload')

const signedOut = (name: string) =>
  builder.objectRef<{ endedSessions: number }>(name).implement({
    description: 'Tells what ended.',
    fields: (t) => ({
      endedSessions: t.exposeInt('endedSessions', {
        description: 'How many sessions. 0 where another issuer signed the token: such a sign-in ends there.',
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
      "Exchanges an administrator's email address and password for tokens. After five wrong passwords from one place " +
      'it answers `rate_limited` for a quarter of an hour; `extensions.retryAfterSeconds` tells for how long.',
    args: {
      email: t.arg.string({ required: true, description: 'In small or capital letters.' }),
      password: t.arg.string({ required: true, description: 'At most 1,024 characters.' }),
    },
    resolve: (_, args, ctx) => signIn(ctx, args),
  }),
  refreshSignIn: t.field({
    type: RefreshSignInPayload,
    description:
      'Exchanges a refresh token for new tokens. Each works once: showing one again ends the session, so a client ' +
      'refreshes from one place, and signs in anew where the answer was lost.',
    args: { refreshToken: t.arg.string({ required: true, description: 'The latest one.' }) },
    resolve: (_, args, ctx) => refreshSignIn(ctx, args),
  }),
  signOut: t.field({
    type: SignOutPayload,
    description: 'Ends the session of the present token: its tokens are refused from now on.',
    resolve: async (_, __, ctx) => ({ endedSessions: await signOut(ctx) }),
  }),
  signOutEverywhere: t.field({
    type: SignOutEverywherePayload,
    description: 'Ends every session of the person who asks.',
    resolve: async (_, __, ctx) => ({ endedSessions: await signOutEverywhere(ctx) }),
  }),
  changePassword: t.field({
    type: ChangePasswordPayload,
    description: "Changes one's own password and ends one's other sessions. Wrong ones count as with `signIn`.",
    args: {
      currentPassword: t.arg.string({ required: true, description: 'The one until now.' }),
      newPassword: t.arg.string({ required: true, description: '12 to 1,024 characters.' }),
    },
    resolve: async (_, args, ctx) => ({ administrator: await changePassword(ctx, args) }),
  }),
}))
