import type { Organization, SigningSecret as StoredTimes } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument, parseCreation } from '../../../platform/graphql/input.ts'
import { reloaded } from '../../../platform/graphql/payload.ts'
import { needs } from '../../../platform/graphql/plan.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { administratorScope, permitted, personScope } from '../../access/viewer.ts'
import { activateSigningSecretInput, removeSigningSecretInput, signingSecretFields } from './record.ts'
import {
  activateSigningSecret,
  addSigningSecret,
  removeSigningSecret,
  type SigningSecret,
  toPublicSecrets,
} from './service.ts'

const SigningSecretObject = builder.objectRef<SigningSecret>('SigningSecret').implement({
  description: 'A secret of the delivery token, without its value. All of them verify addresses, one signs.',
  fields: (t) => expose(t, signingSecretFields),
})

const RECORDS = '$signingSecretRecords'
builder.prismaObjectField('Organization', 'signingSecrets', (t) =>
  t.field({
    type: [SigningSecretObject],
    description: 'Secrets of the delivery token, the one that signs first. For administrators.',
    ...withPrice(
      needs({
        columns: ['signingSecrets', 'createdAt'],
        also: {
          [RECORDS]: { relation: 'signingSecretRecords', columns: ['id', 'createdAt', 'signedUntil'] },
        },
      }),
      { items: 5 },
    ),
    resolve: (organization, _, ctx) => {
      personScope(ctx)
      return toPublicSecrets(ctx, organization, (organization as Organization & { [RECORDS]: StoredTimes[] })[RECORDS])
    },
  }),
)

interface Changed {
  organizationId: string
}
const organizationField = {
  description: 'The organization after the change.',
  ...reloaded('Organization', ({ organizationId }: Changed) => organizationId),
}

interface Written extends Changed {
  signingSecret: SigningSecret
}
const secretField = {
  type: SigningSecretObject,
  description: 'The secret after the change.',
  resolve: ({ signingSecret }: Written) => signingSecret,
}
const AddSigningSecretPayload = builder.objectRef<Written & { secret: string }>('AddSigningSecretPayload').implement({
  description: 'The new secret. Its value is shown only once.',
  fields: (t) => ({
    organization: t.field(organizationField),
    signingSecret: t.field(secretField),
    secret: t.exposeString('secret', { description: 'Value of the secret, for a CDN that verifies addresses.' }),
  }),
})
const ActivateSigningSecretPayload = builder.objectRef<Written>('ActivateSigningSecretPayload').implement({
  description: 'The secret that signs new addresses.',
  fields: (t) => ({ organization: t.field(organizationField), signingSecret: t.field(secretField) }),
})
const RemoveSigningSecretPayload = builder
  .objectRef<Changed & { removedSigningSecret: SigningSecret }>('RemoveSigningSecretPayload')
  .implement({
    description: 'The secret that was removed.',
    fields: (t) => ({
      organization: t.field(organizationField),
      removedSigningSecret: t.field({
        type: SigningSecretObject,
        description: 'The secret before its removal.',
        resolve: ({ removedSigningSecret }) => removedSigningSecret,
      }),
    }),
  })

const parseOrganizationId = (id: unknown) => parseId('organizationId', id)

builder.mutationFields((t) => ({
  addSigningSecret: t.field({
    type: AddSigningSecretPayload,
    description:
      'Adds a secret of the delivery token. At most five. It verifies addresses at once and signs them after ' +
      '`activateSigningSecret`: configure CDNs that verify addresses in between. For owners and admins.',
    args: { organizationId: idArgument('organization') },
    resolve: permitted(administratorScope, (_, { organizationId }, ctx) =>
      addSigningSecret(ctx, parseOrganizationId(organizationId)),
    ),
  }),
  activateSigningSecret: t.field({
    type: ActivateSigningSecretPayload,
    description:
      'Makes a secret sign all new addresses. Addresses that another secret signed stay valid for an hour. For ' +
      'owners and admins.',
    args: { organizationId: idArgument('organization'), id: idArgument('secret') },
    resolve: permitted(administratorScope, (_, { organizationId, id }, ctx) => {
      const { signingSecretId } = parse(activateSigningSecretInput, { signingSecretId: id })
      return activateSigningSecret(ctx, parseOrganizationId(organizationId), signingSecretId)
    }),
  }),
  removeSigningSecret: t.field({
    type: RemoveSigningSecretPayload,
    description:
      'Removes a secret that does not sign. Addresses that it signed are refused from then on. Fails with ' +
      '`signing_secret_in_use` within an hour after it stopped signing, unless forced. For owners and admins.',
    args: {
      organizationId: idArgument('organization'),
      id: idArgument('secret'),
      isForced: t.arg.boolean({
        description: 'Removes it also while addresses that it signed may be in use. Defaults to false.',
      }),
    },
    resolve: permitted(administratorScope, (_, { organizationId, id: signingSecretId, isForced }, ctx) => {
      const input = parseCreation(removeSigningSecretInput, { signingSecretId, isForced })
      return removeSigningSecret(ctx, parseOrganizationId(organizationId), input)
    }),
  }),
}))
