import type { SigningSecret as Kept, Organization } from '../../../platform/db/generated/client/client.ts'
import { builder, reloaded } from '../../../platform/graphql/builder.ts'
import { needs } from '../../../platform/graphql/plan.ts'
import { personScope } from '../../access/viewer.ts'
import {
  activateSigningSecret,
  addSigningSecret,
  removeSigningSecret,
  type SigningSecret,
  toRestSecrets,
} from './service.ts'

const SigningSecretObject = builder.objectRef<SigningSecret>('SigningSecret').implement({
  description: 'A secret of the delivery token, without itself. All of them verify, one signs.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The first 16 hex digits of its SHA-256.' }),
    position: t.exposeInt('position', { description: 'Its place among the secrets, from 0, which signs.' }),
    isSigning: t.boolean({
      description: 'Whether new addresses are signed with it.',
      resolve: ({ position }) => position === 0,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    signedUntil: t.expose('signedUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'When it stopped signing: an hour later it may be removed. Null where it never signed, or does now.',
    }),
  }),
})

const RECORDS = '$signingSecretRecords'
builder.prismaObjectField('Organization', 'signingSecrets', (t) =>
  t.field({
    type: [SigningSecretObject],
    description: 'Secrets of the delivery token, the signing one first. For administrators.',
    ...needs({
      columns: ['signingSecrets', 'createdAt'],
      also: {
        [RECORDS]: { relation: 'signingSecretRecords', columns: ['id', 'createdAt', 'signedUntil'] },
      },
    }),
    resolve: (organization, _, ctx) => {
      personScope(ctx)
      return toRestSecrets(organization, (organization as Organization & { [RECORDS]: Kept[] })[RECORDS])
    },
  }),
)

interface Changed {
  organizationId: string
}
const organizationField = {
  description: 'The organization as it is now.',
  ...reloaded('Organization', ({ organizationId }: Changed) => organizationId),
}
const secretField = { type: SigningSecretObject, description: 'The secret as it is now.' } as const

const AddSigningSecretPayload = builder
  .objectRef<Changed & { signingSecret: SigningSecret; secret: string }>('AddSigningSecretPayload')
  .implement({
    description: 'Holds the new secret. It is shown only now.',
    fields: (t) => ({
      organization: t.field(organizationField),
      signingSecret: t.field({ ...secretField, resolve: ({ signingSecret }) => signingSecret }),
      secret: t.exposeString('secret', { description: 'The secret itself, for whoever checks addresses.' }),
    }),
  })
const ActivateSigningSecretPayload = builder
  .objectRef<Changed & { signingSecret: SigningSecret }>('ActivateSigningSecretPayload')
  .implement({
    description: 'Holds the secret that signs from now on.',
    fields: (t) => ({
      organization: t.field(organizationField),
      signingSecret: t.field({ ...secretField, resolve: ({ signingSecret }) => signingSecret }),
    }),
  })
const RemoveSigningSecretPayload = builder
  .objectRef<Changed & { removedSigningSecret: SigningSecret }>('RemoveSigningSecretPayload')
  .implement({
    description: 'Holds the secret that was removed.',
    fields: (t) => ({
      organization: t.field(organizationField),
      removedSigningSecret: t.field({
        type: SigningSecretObject,
        description: 'The secret as it was.',
        resolve: ({ removedSigningSecret }) => removedSigningSecret,
      }),
    }),
  })

const organizationId = { required: true, description: 'UUID of the organization.' } as const
const id = { required: true, description: 'Id of the secret.' } as const

builder.mutationFields((t) => ({
  addSigningSecret: t.field({
    type: AddSigningSecretPayload,
    description:
      'Makes a secret of the delivery token, five at most. It verifies from now on and signs once it is activated: ' +
      'tell whoever checks addresses in between. Owners and admins.',
    args: { organizationId: t.arg.id(organizationId) },
    resolve: (_, args, ctx) => addSigningSecret(ctx, args.organizationId),
  }),
  activateSigningSecret: t.field({
    type: ActivateSigningSecretPayload,
    description: 'Lets a secret sign from now on. What others signed works on, an hour long. Owners and admins.',
    args: { organizationId: t.arg.id(organizationId), id: t.arg.id(id) },
    resolve: (_, args, ctx) => activateSigningSecret(ctx, args.organizationId, args.id),
  }),
  removeSigningSecret: t.field({
    type: RemoveSigningSecretPayload,
    description:
      'Removes a secret that does not sign; addresses that it signed are refused from now on. Refused itself for an ' +
      'hour after it stopped signing, unless forced. Owners and admins.',
    args: {
      organizationId: t.arg.id(organizationId),
      id: t.arg.id(id),
      isForced: t.arg.boolean({ description: 'Also while addresses that it signed may be in use.' }),
    },
    resolve: (_, args, ctx) =>
      removeSigningSecret(ctx, args.organizationId, {
        signingSecretId: args.id,
        isForced: args.isForced ?? undefined,
      }),
  }),
}))
