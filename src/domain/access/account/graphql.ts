import type { Administrator, SignInSession } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument, inputArgument } from '../../../platform/graphql/input.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { AdministratorObject, administratorPayload } from '../administrator/graphql.ts'
import { administratorFields } from '../administrator/record.ts'
import { permitted, personScope } from '../viewer.ts'
import { isCurrent, sessionRecord, updateAccountInput } from './record.ts'
import { endOwnSession, findOwnSessions, getAccount, MAX_LISTED_SESSIONS, updateAccount } from './service.ts'

const SignInSessionObject = builder.objectRef<SignInSession>('SignInSession').implement({
  description: 'A session of an administrator.',
  fields: (t) => ({
    ...expose(t, sessionRecord),
    isCurrent: t.boolean({
      description: isCurrent.description,
      resolve: ({ id }, _, ctx) => personScope(ctx).sessionId === id,
    }),
  }),
})

export const AccountObject = builder.objectRef<{ administrator: Administrator }>('Account').implement({
  description: 'The own account of an administrator, of any role.',
  fields: (t) => ({
    administrator: t.field({
      type: AdministratorObject,
      description: 'The administrator.',
      resolve: ({ administrator }) => administrator,
    }),
    sessions: t.field({
      type: [SignInSessionObject],
      description: `Sessions that have not ended, the one used last first. At most ${MAX_LISTED_SESSIONS}. Tokens of another issuer have none.`,
      ...withPrice({}, { items: 5 }),
      resolve: (_, __, ctx) => findOwnSessions(ctx),
    }),
  }),
})

builder.queryField('account', (t) =>
  t.field({
    type: AccountObject,
    description: 'Returns the account of the signed-in administrator.',
    resolve: permitted(personScope, async (_, __, ctx) => ({ administrator: await getAccount(ctx) })),
  }),
)

const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'Changes of the own account. Fields that are absent stay.',
  fields: (t) => ({ name: t.string({ description: `${administratorFields.name.description} Null removes it.` }) }),
})

const EndSignInSessionPayload = builder.objectRef<{ endedSessions: number }>('EndSignInSessionPayload').implement({
  description: 'The result.',
  fields: (t) => ({ endedSessions: t.exposeInt('endedSessions', { description: 'Number of ended sessions: 1.' }) }),
})

builder.mutationFields((t) => ({
  updateAccount: t.field({
    type: administratorPayload('UpdateAccountPayload'),
    description: 'Changes the own account of an administrator of any role.',
    args: { input: inputArgument(UpdateAccountInput) },
    resolve: permitted(personScope, async (_, { input }, ctx) => ({
      administrator: await updateAccount(ctx, parse(updateAccountInput, input)),
    })),
  }),
  endSignInSession: t.field({
    type: EndSignInSessionPayload,
    description: 'Ends one of the own sessions. Its tokens are refused at once.',
    args: { id: idArgument('session', sessionRecord.id.description) },
    resolve: permitted(personScope, async (_, { id }, ctx) => ({
      endedSessions: await endOwnSession(ctx, parseId('id', id)),
    })),
  }),
}))
