import type { Administrator } from '../../../platform/db/generated/client/client.ts'
import type { AdministratorRole } from '../../../platform/db/generated/client/enums.ts'
import { builder, defineEnum, findType } from '../../../platform/graphql/builder.ts'
import {
  defineCreateInput,
  defineUpdateInput,
  idArgument,
  inputArgument,
  omitNulls,
  parseCreation,
} from '../../../platform/graphql/input.ts'
import { findConnection, listOrder, pagesInOrder } from '../../../platform/graphql/list.ts'
import { defineNode, Node } from '../../../platform/graphql/node.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { ownerScope, permitted, personScope } from '../viewer.ts'
import {
  administratorChanges,
  administratorFields,
  createAdministratorInput,
  hasSecondFactor,
  isDisabled,
  updateAdministratorInput,
} from './record.ts'
import {
  countAdministrators,
  createAdministrator,
  deleteAdministrator,
  findAdministrators,
  getAdministrator,
  type NewPassword,
  removeSecondFactor,
  resetAdministratorPassword,
  updateAdministrator,
} from './service.ts'

defineEnum<AdministratorRole>('AdministratorRole', 'What an administrator may do.', {
  owner: 'Everything. Every organization has at least one owner who may sign in.',
  admin: 'Everything except managing administrators.',
  viewer: 'Read only.',
})

export const AdministratorObject = builder.prismaObject('Administrator', {
  interfaces: [Node],
  description: 'A person who may sign in.',
  fields: (t) => ({
    ...expose(t, administratorFields),
    administratorId: t.exposeID('id', { description: 'The same as id.', deprecationReason: 'Use id.' }),
    isDisabled: t.boolean({
      description: isDisabled.description,
      ...needsColumns('disabledAt'),
      resolve: ({ disabledAt }) => disabledAt !== null,
    }),
    hasSecondFactor: t.boolean({
      description: hasSecondFactor.description,
      ...needsColumns('sealedTotpSecret'),
      resolve: ({ sealedTotpSecret }) => sealedTotpSecret !== null,
    }),
  }),
})

const CreateAdministratorInput = defineCreateInput('Administrator', 'A new administrator.', administratorFields)
const UpdateAdministratorInput = defineUpdateInput('Administrator', administratorChanges)

const newPassword = (name: string) =>
  builder.objectRef<NewPassword>(name).implement({
    description: 'An administrator with a new password.',
    fields: (t) => ({
      administrator: t.field({
        type: AdministratorObject,
        description: 'The administrator.',
        resolve: ({ administrator }) => administrator,
      }),
      password: t.exposeString('password', {
        description: 'The generated password. Shown only once. To be changed at the first sign-in.',
      }),
    }),
  })
/** A payload with an administrator that was changed. */
export const administratorPayload = (name: string) =>
  builder.objectRef<{ administrator: Administrator }>(name).implement({
    description: 'The administrator that was changed.',
    fields: (t) => ({
      administrator: t.field({
        type: AdministratorObject,
        description: 'The administrator after the change.',
        resolve: ({ administrator }) => administrator,
      }),
    }),
  })
const DeleteAdministratorPayload = builder
  .objectRef<{ deletedAdministrator: Administrator }>('DeleteAdministratorPayload')
  .implement({
    description: 'The administrator that was deleted.',
    fields: (t) => ({
      deletedAdministrator: t.field({
        type: AdministratorObject,
        description: 'The administrator before the deletion.',
        resolve: ({ deletedAdministrator }) => deletedAdministrator,
      }),
    }),
  })

defineNode('Administrator', { model: 'Administrator', permit: personScope, find: getAdministrator })

builder.queryField('administrators', (t) =>
  t.connection(
    {
      type: findType('Administrator'),
      description: 'Lists the administrators of the organization, newest first. For administrators of any role.',
      resolve: permitted(personScope, pagesInOrder(listOrder(null), findAdministrators, countAdministrators)),
    },
    ...findConnection('Administrator'),
  ),
)

builder.mutationFields((t) => ({
  createAdministrator: t.field({
    type: newPassword('CreateAdministratorPayload'),
    description:
      'Creates an administrator with a generated password. Owners only. `createInvitation` lets the person choose a password.',
    args: { input: inputArgument(CreateAdministratorInput, 'The new administrator.') },
    resolve: permitted(ownerScope, (_, { input }, ctx) =>
      createAdministrator(ctx, parseCreation(createAdministratorInput, input)),
    ),
  }),
  updateAdministrator: t.field({
    type: administratorPayload('UpdateAdministratorPayload'),
    description:
      'Changes the role or the access of an administrator. Ends their sessions and their invitations if they lose rights. ' +
      'Owners only.',
    args: {
      id: idArgument('administrator', administratorFields.id.description),
      input: inputArgument(UpdateAdministratorInput),
    },
    resolve: permitted(ownerScope, async (_, { id, input }, ctx) => ({
      administrator: await updateAdministrator(
        ctx,
        parseId('administratorId', id),
        parse(updateAdministratorInput, omitNulls(input)),
      ),
    })),
  }),
  deleteAdministrator: t.field({
    type: DeleteAdministratorPayload,
    description: 'Deletes an administrator and ends their sessions and invitations. Owners only.',
    args: { id: idArgument('administrator', administratorFields.id.description) },
    resolve: permitted(ownerScope, async (_, { id }, ctx) => ({
      deletedAdministrator: await deleteAdministrator(ctx, parseId('administratorId', id)),
    })),
  }),
  resetAdministratorPassword: t.field({
    type: newPassword('ResetAdministratorPasswordPayload'),
    description:
      'Sets a new generated password, removes the passkeys and ends the sessions of the administrator. A second factor stays. ' +
      'Owners only.',
    args: { id: idArgument('administrator', administratorFields.id.description) },
    resolve: permitted(ownerScope, (_, { id }, ctx) => resetAdministratorPassword(ctx, parseId('administratorId', id))),
  }),
  removeSecondFactor: t.field({
    type: administratorPayload('RemoveSecondFactorPayload'),
    description:
      'Removes the second factor of another administrator, who lost it, and ends their sessions. Owners only. ' +
      '`disableSecondFactor` removes the own one.',
    args: { id: idArgument('administrator', administratorFields.id.description) },
    resolve: permitted(ownerScope, async (_, { id }, ctx) => ({
      administrator: await removeSecondFactor(ctx, parseId('administratorId', id)),
    })),
  }),
}))
