import { builder } from '../../../platform/graphql/builder.ts'
import { parse } from '../../../platform/schema/parse.ts'
import { signedIn } from '../sign-in/graphql.ts'
import { withSignInAccess } from '../viewer.ts'
import { LINK_MINUTES, signInByLinkInput } from './record.ts'
import { signInByLink } from './service.ts'

builder.mutationField('signInByLink', (t) =>
  t.field({
    type: signedIn('SignInByLinkPayload'),
    description:
      'Exchanges the token of a sign-in link for tokens. Requires no credential. An operator creates the link for an ' +
      `administrator; it works once, for ${LINK_MINUTES} minutes, and fails with \`expired\` afterwards. It replaces the ` +
      'password, not the second factor: without a code it fails with `second_factor_required`, and codes are checked and ' +
      'counted as those of `signIn`. A wrong code does not end the link.',
    args: {
      token: t.arg.string({ required: true, description: 'The part of the link after `#`.' }),
      code: t.arg.string({ description: 'Code of the second factor: six digits of the app, or a recovery code.' }),
    },
    resolve: (_, args, ctx) => signInByLink(withSignInAccess(ctx), parse(signInByLinkInput, args)),
  }),
)
