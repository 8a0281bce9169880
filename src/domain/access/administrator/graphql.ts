import type { Administrator } from '../../../platform/db/generated/client/client.ts'
import type { AdministratorRole } from '../../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  listOrder,
  omitNulls,
  parseCreation,
  typeOf,
} from '../../../platform/graphql/builder.ts'
import { type PageArgs, rootPage } from '../../../platform/graphql/page.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { expose, inputFields } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { ownerScope, permitted, personScope } from '../viewer.ts'
import {
  administratorChanges,
  administratorFields,
  createAdministratorInput,
  isDisabled,
  updateAdministratorInput,
} from './record.ts'
import {
  countAdministrators,
  createAdministrator,
  deleteAdministrator,
  findAdministrators,
  type NewPassword,
  resetAdministratorPassword,
  updateAdministrator,
} from './service.ts'

builder.enumType('AdministratorRole', {
  description: 'What an administrator may do.',
  values: enumValues<AdministratorRole>({
    owner: 'Everything. Every organization has at least one owner who may sign in.',
    admin: 'Everything except managing administrators.',
    viewer: 'Read only.',
  }),
})

export const AdministratorObject = builder.prismaObject('Administrator', {
  description: 'A person who may sign in.',
  fields: (t) => ({
    ...expose(t, administratorFields),
    administratorId: t.exposeID('id', { description: 'The same as id.', deprecationReason: 'Use id.' }),
    isDisabled: t.boolean({
      description: isDisabled.description,
      ...needsColumns('disabledAt'),
      resolve: ({ disabledAt }) => disabledAt !== null,
    }),
  }),
})

const CreateAdministratorInput = builder.inputType('CreateAdministratorInput', {
  description: 'A new administrator.',
  fields: (t) => inputFields(t, administratorFields, 'create'),
})
const UpdateAdministratorInput = builder.inputType('UpdateAdministratorInput', {
  description: 'Fields to change. Fields that are left out keep their value.',
  fields: (t) => inputFields(t, administratorChanges, 'update'),
})

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
const CreateAdministratorPayload = newPassword('CreateAdministratorPayload')
const ResetAdministratorPasswordPayload = newPassword('ResetAdministratorPasswordPayload')

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
const UpdateAdministratorPayload = administratorPayload('UpdateAdministratorPayload')
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

builder.queryField('administrators', (t) =>
  t.connection(
    {
      type: typeOf('Administrator'),
      description: 'Lists the administrators of the organization, newest first. For administrators of any role.',
      resolve: permitted(personScope, (_, args: PageArgs, ctx, info) =>
        rootPage({
          info,
          ctx,
          args,
          order: listOrder(null),
          list: (query) => findAdministrators(ctx, query),
          count: () => countAdministrators(ctx),
        }),
      ),
    },
    ...connectionOf('Administrator'),
  ),
)

const idArgument = { required: true, description: administratorFields.id.description } as const
const idOf = (id: unknown) => parseId('administratorId', id)

builder.mutationFields((t) => ({
  createAdministrator: t.field({
    type: CreateAdministratorPayload,
    description: 'Creates an administrator with a generated password. Owners only.',
    args: { input: t.arg({ type: CreateAdministratorInput, required: true, description: 'The new administrator.' }) },
    resolve: permitted(ownerScope, (_, { input }, ctx) =>
      createAdministrator(ctx, parseCreation(createAdministratorInput, input)),
    ),
  }),
  updateAdministrator: t.field({
    type: UpdateAdministratorPayload,
    description:
      'Changes the role or the access of an administrator. Ends their sessions if they lose rights. Owners only.',
    args: {
      id: t.arg.id(idArgument),
      input: t.arg({ type: UpdateAdministratorInput, required: true, description: 'The fields to change.' }),
    },
    resolve: permitted(ownerScope, async (_, { id, input }, ctx) => ({
      administrator: await updateAdministrator(ctx, idOf(id), parse(updateAdministratorInput, omitNulls(input))),
    })),
  }),
  deleteAdministrator: t.field({
    type: DeleteAdministratorPayload,
    description: 'Deletes an administrator and ends their sessions. Owners only.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(ownerScope, async (_, { id }, ctx) => ({
      deletedAdministrator: await deleteAdministrator(ctx, idOf(id)),
    })),
  }),
  resetAdministratorPassword: t.field({
    type: ResetAdministratorPasswordPayload,
    description: 'Sets a new generated password and ends the sessions of the administrator. Owners only.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(ownerScope, (_, { id }, ctx) => resetAdministratorPassword(ctx, idOf(id))),
  }),
}))
