import type { Administrator } from '../../../platform/db/generated/client/client.ts'
import type { AdministratorRole } from '../../../platform/db/generated/client/enums.ts'
import { builder, connectionOf, enumValues, listOrder, omitNulls, typeOf } from '../../../platform/graphql/builder.ts'
import { rootPage } from '../../../platform/graphql/page.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import {
  countAdministrators,
  createAdministrator,
  deleteAdministrator,
  findAdministrators,
  type NewPassword,
  resetAdministratorPassword,
  updateAdministrator,
} from './service.ts'

const RoleEnum = builder.enumType('AdministratorRole', {
  description: 'What an administrator may do.',
  values: enumValues<AdministratorRole>({
    owner: 'Everything. Every organization has at least one who may sign in.',
    admin: 'Everything but changing who is an administrator.',
    viewer: 'Reads, and changes nothing.',
  }),
})

export const AdministratorObject = builder.prismaObject('Administrator', {
  description: 'A person who may sign in.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Names the administrator.' }),
    administratorId: t.exposeID('id', { description: 'The same as id.', deprecationReason: 'Use id.' }),
    organizationId: t.exposeID('organizationId', { description: 'The one organization that they work for.' }),
    email: t.exposeString('email', { description: 'In lower case.' }),
    role: t.expose('role', { type: RoleEnum, description: 'What they may do.' }),
    isDisabled: t.boolean({
      description: 'Whether they are kept from signing in.',
      ...needsColumns('disabledAt'),
      resolve: ({ disabledAt }) => disabledAt !== null,
    }),
    lastSignInAt: t.expose('lastSignInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When they last showed their password, or came from another issuer.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When they were made.' }),
  }),
})

const CreateAdministratorInput = builder.inputType('CreateAdministratorInput', {
  description: 'A person who may sign in from now on.',
  fields: (t) => ({
    email: t.string({ required: true, description: 'Unique among all administrators of the service.' }),
    role: t.field({ type: RoleEnum, required: true, description: 'What they may do.' }),
  }),
})
const UpdateAdministratorInput = builder.inputType('UpdateAdministratorInput', {
  description: 'Only the fields that are present are changed.',
  fields: (t) => ({
    role: t.field({ type: RoleEnum, description: 'What they may do.' }),
    isDisabled: t.boolean({ description: 'Whether they are kept from signing in.' }),
  }),
})

const newPassword = (name: string) =>
  builder.objectRef<NewPassword>(name).implement({
    description: 'Holds the administrator and a new password. It is shown only now.',
    fields: (t) => ({
      administrator: t.field({
        type: AdministratorObject,
        description: 'Whose password it is.',
        resolve: ({ administrator }) => administrator,
      }),
      password: t.exposeString('password', { description: 'To be handed over, and changed at the first sign-in.' }),
    }),
  })
const CreateAdministratorPayload = newPassword('CreateAdministratorPayload')
const ResetAdministratorPasswordPayload = newPassword('ResetAdministratorPasswordPayload')

/** A payload that holds an administrator alone. */
export const administratorPayload = (name: string) =>
  builder.objectRef<{ administrator: Administrator }>(name).implement({
    description: 'Holds the administrator.',
    fields: (t) => ({
      administrator: t.field({
        type: AdministratorObject,
        description: 'As they are now.',
        resolve: ({ administrator }) => administrator,
      }),
    }),
  })
const UpdateAdministratorPayload = administratorPayload('UpdateAdministratorPayload')
const DeleteAdministratorPayload = builder
  .objectRef<{ deletedAdministrator: Administrator }>('DeleteAdministratorPayload')
  .implement({
    description: 'Holds the administrator as they were.',
    fields: (t) => ({
      deletedAdministrator: t.field({
        type: AdministratorObject,
        description: 'As they were.',
        resolve: ({ deletedAdministrator }) => deletedAdministrator,
      }),
    }),
  })

builder.queryField('administrators', (t) =>
  t.connection(
    {
      type: typeOf('Administrator'),
      description: 'The administrators of the organization, newest first. For administrators of any role.',
      resolve: (_, args, ctx, info) =>
        rootPage({
          ...{ info, ctx, args, order: listOrder(null) },
          list: (query) => findAdministrators(ctx, query),
          count: () => countAdministrators(ctx),
        }),
    },
    ...connectionOf('Administrator'),
  ),
)

builder.mutationFields((t) => ({
  createAdministrator: t.field({
    type: CreateAdministratorPayload,
    description: 'Makes a person who may sign in. Owners only.',
    args: { input: t.arg({ type: CreateAdministratorInput, required: true, description: 'The person.' }) },
    resolve: (_, { input }, ctx) => createAdministrator(ctx, input),
  }),
  updateAdministrator: t.field({
    type: UpdateAdministratorPayload,
    description: 'Changes role or access. Who loses either is signed out everywhere. Owners only.',
    args: {
      id: t.arg.id({ required: true, description: 'Whose.' }),
      input: t.arg({ type: UpdateAdministratorInput, required: true, description: 'What to change.' }),
    },
    resolve: async (_, { id, input }, ctx) => ({ administrator: await updateAdministrator(ctx, id, omitNulls(input)) }),
  }),
  deleteAdministrator: t.field({
    type: DeleteAdministratorPayload,
    description: 'Removes an administrator, who is signed out everywhere. Owners only.',
    args: { id: t.arg.id({ required: true, description: 'Whom.' }) },
    resolve: async (_, { id }, ctx) => ({ deletedAdministrator: await deleteAdministrator(ctx, id) }),
  }),
  resetAdministratorPassword: t.field({
    type: ResetAdministratorPasswordPayload,
    description: 'Gives an administrator a new password and signs them out everywhere. Owners only.',
    args: { id: t.arg.id({ required: true, description: 'Whose.' }) },
    resolve: (_, { id }, ctx) => resetAdministratorPassword(ctx, id),
  }),
}))
