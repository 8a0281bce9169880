import type { InputShapeFromFields } from '@pothos/core'
import {
  builder,
  connectionOf,
  listOrder,
  orderInput,
  pagesOf,
  parseCreation,
  parseFilter,
  reloaded,
  typeOf,
} from '../../platform/graphql/builder.ts'
import { relatedPage } from '../../platform/graphql/page.ts'
import { planOf } from '../../platform/graphql/plan.ts'
import { expose, filterFields, inputFields } from '../../platform/graphql/record.ts'
import { parse, parseId } from '../../platform/schema/parse.ts'
import { organizationScope, permitted, readScope, writeScope } from '../access/viewer.ts'
import {
  createCreatorInput,
  creatorDescription,
  creatorFields,
  creatorFilter,
  creatorFilters,
  updateCreatorInput,
} from './record.ts'
import {
  countCreators,
  createCreator,
  deleteCreator,
  findCreators,
  getCreator,
  matchingCreators,
  updateCreator,
} from './service.ts'

builder.prismaObject('Creator', {
  description: creatorDescription,
  fields: (t) => expose(t, creatorFields),
})

const CreatorFilter = builder.inputType('CreatorFilter', {
  description: 'Conditions on creators. All given conditions must hold.',
  fields: (t) => filterFields(t, creatorFilters),
})
const CreatorOrder = orderInput('Creator', {
  createdAt: 'Time of creation.',
  updatedAt: 'Time of the last change.',
  organizationIndex: "The client's own identifier.",
})
const listArgs = builder.args((t) => ({
  filter: t.field({ type: CreatorFilter, description: 'Conditions on the creators.' }),
  orderBy: t.field({ type: CreatorOrder, description: 'Defaults to the newest first.' }),
}))
const CreateCreatorInput = builder.inputType('CreateCreatorInput', {
  description: 'A new creator.',
  fields: (t) => inputFields(t, creatorFields, 'create'),
})
const UpdateCreatorInput = builder.inputType('UpdateCreatorInput', {
  description: 'Fields to change. Fields that are left out keep their value.',
  fields: (t) => inputFields(t, creatorFields, 'update'),
})

const payload = (name: string) =>
  builder.objectRef<{ creator: { id: string } }>(name).implement({
    description: 'The creator that was written.',
    fields: (t) => ({
      creator: t.field({
        description: 'The creator after the change.',
        ...reloaded('Creator', ({ creator }) => creator.id),
      }),
    }),
  })
const CreateCreatorPayload = payload('CreateCreatorPayload')
const UpdateCreatorPayload = payload('UpdateCreatorPayload')
const DeleteCreatorPayload = builder.objectRef<{ deletedCreator: { id: string } }>('DeleteCreatorPayload').implement({
  description: 'The creator that was deleted.',
  fields: (t) => ({
    deletedCreator: t.field({
      description: 'The creator before its deletion.',
      ...reloaded('Creator', ({ deletedCreator }) => deletedCreator.id),
    }),
  }),
})

const idArgument = { required: true, description: 'ID of the creator.' } as const
const idOf = (id: unknown) => parseId('creatorId', id)

builder.queryFields((t) => ({
  creators: t.connection(
    {
      type: typeOf('Creator'),
      description: 'Lists the creators of the organization.',
      args: listArgs,
      resolve: permitted(readScope, pagesOf(creatorFilter, findCreators, countCreators)),
    },
    ...connectionOf('Creator'),
  ),
  creator: t.field({
    type: typeOf('Creator'),
    nullable: true,
    description: 'Returns a creator.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(readScope, (_, { id }, ctx, info) => getCreator(ctx, idOf(id), { plan: planOf(info, ctx) })),
  }),
}))
builder.prismaObjectField('Organization', 'creators', (t) =>
  t.connection(
    {
      type: typeOf('Creator'),
      description: 'Creators of the organization.',
      args: listArgs,
      ...relatedPage('creators', ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
        where: matchingCreators(readScope(ctx), parseFilter(creatorFilter, filter)),
        order: listOrder(orderBy),
      })),
    },
    ...connectionOf('Creator'),
  ),
)

builder.mutationFields((t) => ({
  createCreator: t.field({
    type: CreateCreatorPayload,
    description: 'Creates a creator and its storage folder.',
    args: { input: t.arg({ type: CreateCreatorInput, required: true, description: 'The new creator.' }) },
    resolve: permitted(organizationScope, async (_, { input }, ctx) => ({
      creator: await createCreator(ctx, parseCreation(createCreatorInput, input)),
    })),
  }),
  updateCreator: t.field({
    type: UpdateCreatorPayload,
    description: 'Changes the given fields of a creator.',
    args: {
      id: t.arg.id(idArgument),
      input: t.arg({ type: UpdateCreatorInput, required: true, description: 'The fields to change.' }),
    },
    resolve: permitted(writeScope, async (_, { id, input }, ctx) => ({
      creator: await updateCreator(ctx, idOf(id), parse(updateCreatorInput, input)),
    })),
  }),
  deleteCreator: t.field({
    type: DeleteCreatorPayload,
    description: 'Deletes a creator that has no collections and no tracks.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(organizationScope, async (_, { id }, ctx) => ({
      deletedCreator: await deleteCreator(ctx, idOf(id)),
    })),
  }),
}))
