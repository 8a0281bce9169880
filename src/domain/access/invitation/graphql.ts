import { builder } from '../../../platform/graphql/builder.ts'
import { defineCreateInput, idArgument, inputArgument, parseCreation } from '../../../platform/graphql/input.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { AdministratorObject } from '../administrator/graphql.ts'
import { signedIn } from '../sign-in/graphql.ts'
import { ownerScope, permitted, withSignInAccess } from '../viewer.ts'
import {
  acceptInput,
  createInvitationInput,
  invitationFields,
  invitationInputs,
  MAX_INVITATIONS,
  tokenInput,
} from './record.ts'
import {
  acceptInvitation,
  createInvitation,
  findInvitations,
  type InvitationRow,
  type OpenInvitation,
  openInvitation,
  revokeInvitation,
} from './service.ts'

const InvitationObject = builder.objectRef<InvitationRow>('Invitation').implement({
  description: 'A link with which a person becomes an administrator, without the link itself.',
  fields: (t) => ({
    ...expose(t, invitationFields),
    createdBy: t.field({
      type: AdministratorObject,
      description: 'The owner who created it.',
      resolve: ({ createdBy }) => createdBy,
    }),
  }),
})

const { email, role, expiresAt } = invitationFields
const OpenInvitationObject = builder.objectRef<OpenInvitation>('OpenInvitation').implement({
  description: 'An invitation, for the person who has its link.',
  fields: (t) => ({
    ...expose(t, { email, role, expiresAt }),
    organizationName: t.exposeString('organizationName', { description: 'Name of the organization.' }),
  }),
})

const CreateInvitationInput = defineCreateInput('Invitation', 'A new invitation.', invitationInputs)
const CreateInvitationPayload = builder
  .objectRef<{ invitation: InvitationRow; link: string }>('CreateInvitationPayload')
  .implement({
    description: 'The new invitation.',
    fields: (t) => ({
      invitation: t.field({
        type: InvitationObject,
        description: 'The invitation.',
        resolve: ({ invitation }) => invitation,
      }),
      link: t.exposeString('link', { description: 'The link, to be sent to the person. Shown only once.' }),
    }),
  })
const RevokeInvitationPayload = builder
  .objectRef<{ revokedInvitation: InvitationRow }>('RevokeInvitationPayload')
  .implement({
    description: 'The invitation that was revoked.',
    fields: (t) => ({
      revokedInvitation: t.field({
        type: InvitationObject,
        description: 'The invitation before its end.',
        resolve: ({ revokedInvitation }) => revokedInvitation,
      }),
    }),
  })

const token = 'Token of the link: the text after `#`.'

builder.queryFields((t) => ({
  invitations: t.field({
    type: [InvitationObject],
    description: `Lists the invitations that may be accepted, newest first. At most ${MAX_INVITATIONS}. Owners only.`,
    ...withPrice({}, { items: 10 }),
    resolve: permitted(ownerScope, (_, __, ctx) => findInvitations(ctx)),
  }),
  openInvitation: t.field({
    type: OpenInvitationObject,
    description: 'Returns the invitation of a link. Requires no credential. Fails with `expired` after its end.',
    args: { token: t.arg.string({ required: true, description: token }) },
    resolve: (_, args, ctx) => openInvitation(withSignInAccess(ctx), parse(tokenInput, args).token),
  }),
}))

builder.mutationFields((t) => ({
  createInvitation: t.field({
    type: CreateInvitationPayload,
    description:
      'Creates a link with which a person becomes an administrator and chooses a password. It works once. Replaces an ' +
      'earlier invitation of the same address. It ends when its creator loses rights or is deleted. Owners only.',
    args: { input: inputArgument(CreateInvitationInput, 'The new invitation.') },
    resolve: permitted(ownerScope, (_, { input }, ctx) =>
      createInvitation(ctx, parseCreation(createInvitationInput, input)),
    ),
  }),
  revokeInvitation: t.field({
    type: RevokeInvitationPayload,
    description: 'Ends an invitation at once: its link opens nothing. Owners only.',
    args: { id: idArgument('invitation', invitationFields.id.description) },
    resolve: permitted(ownerScope, async (_, { id }, ctx) => ({
      revokedInvitation: await revokeInvitation(ctx, parseId('invitationId', id)),
    })),
  }),
  acceptInvitation: t.field({
    type: signedIn('AcceptInvitationPayload'),
    description:
      'Creates the administrator of an invitation and signs them in. Requires no credential. Fails with `expired` when the ' +
      'invitation was used, revoked or has expired.',
    args: {
      token: t.arg.string({ required: true, description: token }),
      name: t.arg.string({ description: 'Name of the person. 0 to 200 characters.' }),
      password: t.arg.string({ required: true, description: '12 to 1,024 characters.' }),
    },
    resolve: (_, args, ctx) => acceptInvitation(withSignInAccess(ctx), parse(acceptInput, args)),
  }),
}))
