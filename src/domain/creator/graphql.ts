import { builder } from '../../platform/graphql/builder.ts'
import {
  defineCreateInput,
  defineUpdateInput,
  idArgument,
  inputArgument,
  parseCreation,
} from '../../platform/graphql/input.ts'
import { defineList, defineRecordQuery } from '../../platform/graphql/list.ts'
import { Node } from '../../platform/graphql/node.ts'
import { definePayload } from '../../platform/graphql/payload.ts'
import { expose } from '../../platform/graphql/record.ts'
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
  interfaces: [Node],
  fields: (t) => expose(t, creatorFields),
})

defineRecordQuery('creator', 'Creator', { description: 'Returns a creator.', permit: readScope, find: getCreator })

const creatorList = defineList({
  model: 'Creator',
  records: 'creators',
  filters: creatorFilters,
  filter: creatorFilter,
  orderBy: {
    createdAt: 'Time of creation.',
    updatedAt: 'Time of the last change.',
    organizationIndex: "The client's own identifier.",
  },
})
creatorList.query({
  description: 'Lists the creators of the organization.',
  permit: readScope,
  find: findCreators,
  count: countCreators,
})
creatorList.relation('Organization', {
  description: 'Creators of the organization.',
  where: (ctx, filter) => matchingCreators(readScope(ctx), filter),
})

const CreateCreatorInput = defineCreateInput('Creator', 'A new creator.', creatorFields)
const UpdateCreatorInput = defineUpdateInput('Creator', creatorFields)

builder.mutationFields((t) => ({
  createCreator: t.field({
    type: definePayload('CreateCreator', 'creator', 'Creator'),
    description: 'Creates a creator and its storage folder.',
    args: { input: inputArgument(CreateCreatorInput, 'The new creator.') },
    resolve: permitted(organizationScope, (_, { input }, ctx) =>
      createCreator(ctx, parseCreation(createCreatorInput, input)),
    ),
  }),
  updateCreator: t.field({
    type: definePayload('UpdateCreator', 'creator', 'Creator'),
    description: 'Changes the given fields of a creator.',
    args: { id: idArgument('creator'), input: inputArgument(UpdateCreatorInput) },
    resolve: permitted(writeScope, (_, { id, input }, ctx) =>
      updateCreator(ctx, parseId('creatorId', id), parse(updateCreatorInput, input)),
    ),
  }),
  deleteCreator: t.field({
    type: definePayload('DeleteCreator', 'deletedCreator', 'Creator'),
    description: 'Deletes a creator that has no collections and no tracks.',
    args: { id: idArgument('creator') },
    resolve: permitted(organizationScope, (_, { id }, ctx) => deleteCreator(ctx, parseId('creatorId', id))),
  }),
}))
