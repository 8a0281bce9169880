import type { InputShapeFromFields } from '@pothos/core'
import {
  builder,
  connectionOf,
  listOrder,
  orderInput,
  pagesOf,
  present,
  typeOf,
  written,
} from '../../platform/builder.ts'
import { relatedPage } from '../../platform/graphql/page.ts'
import { planOf } from '../../platform/graphql/plan.ts'
import { readScope } from '../access/viewer.ts'
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
  description: 'A sub-account of the organization, typically one content contributor.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    organizationId: t.exposeID('organizationId', { description: 'The organization it belongs to.' }),
    folderId: t.exposeID('folderId', { description: 'Storage folder of its own.' }),
    organizationIndex: t.exposeString('organizationIndex', {
      description: "The client's own identifier, unique among the creators of the organization.",
    }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const CreatorFilter = builder.inputType('CreatorFilter', {
  description: 'What narrows a list of creators; all of it must hold.',
  fields: (t) => ({
    organizationIndex: t.string({ description: 'Exactly this.' }),
    search: t.string({ description: 'Stands in the organizationIndex, whatever its case.' }),
    createdFrom: t.field({ type: 'DateTime', description: 'Created at or after.' }),
    createdUntil: t.field({ type: 'DateTime', description: 'Created before.' }),
  }),
})
const CreatorOrder = orderInput('Creator', {
  createdAt: 'When it was created.',
  updatedAt: 'When it was last changed.',
  organizationIndex: "The client's own identifier.",
})
const listArgs = builder.args((t) => ({
  filter: t.field({ type: CreatorFilter, description: 'What narrows the list.' }),
  orderBy: t.field({ type: CreatorOrder, description: 'The newest first unless told.' }),
}))
const CreateCreatorInput = builder.inputType('CreateCreatorInput', {
  description: 'A new creator.',
  fields: (t) => ({
    organizationIndex: t.string({ required: true, description: 'Unique among the creators of the organization.' }),
    metadata: t.field({ type: 'JSON', description: "The client's own JSON object, `{}` unless given." }),
  }),
})
const UpdateCreatorInput = builder.inputType('UpdateCreatorInput', {
  description: 'Only the fields that are present are changed.',
  fields: (t) => ({
    organizationIndex: t.string({ description: 'Unique among the creators of the organization.' }),
    metadata: t.field({ type: 'JSON', description: 'Replaces the whole object.' }),
  }),
})

const payload = (name: string) =>
  builder.objectRef<{ creator: { id: string } }>(name).implement({
    description: 'Holds the creator.',
    fields: (t) => ({
      creator: t.field({
        description: 'The creator as it is now.',
        ...written('Creator', ({ creator }) => creator.id),
      }),
    }),
  })
const CreateCreatorPayload = payload('CreateCreatorPayload')
const UpdateCreatorPayload = payload('UpdateCreatorPayload')
const DeleteCreatorPayload = builder.objectRef<{ deletedCreator: { id: string } }>('DeleteCreatorPayload').implement({
  description: 'Holds the creator that was deleted.',
  fields: (t) => ({
    deletedCreator: t.field({
      description: 'The creator as it was.',
      ...written('Creator', ({ deletedCreator }) => deletedCreator.id),
    }),
  }),
})

const id = { required: true, description: 'UUID of the creator.' } as const

builder.queryFields((t) => ({
  creators: t.connection(
    {
      type: typeOf('Creator'),
      description: 'Creators of the organization.',
      args: listArgs,
      resolve: pagesOf(findCreators, countCreators),
    },
    ...connectionOf('Creator'),
  ),
  creator: t.field({
    type: typeOf('Creator'),
    nullable: true,
    description: 'One creator.',
    args: { id: t.arg.id(id) },
    resolve: (_, { id }, ctx, info) => getCreator(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))
builder.prismaObjectField('Organization', 'creators', (t) =>
  t.connection(
    {
      type: typeOf('Creator'),
      description: 'Its creators.',
      args: listArgs,
      ...relatedPage('creators', ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
        where: matchingCreators(readScope(ctx), present(filter)),
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
    resolve: async (_, { input }, ctx) => ({ creator: await createCreator(ctx, present(input)) }),
  }),
  updateCreator: t.field({
    type: UpdateCreatorPayload,
    description: 'Changes a creator.',
    args: {
      id: t.arg.id(id),
      input: t.arg({ type: UpdateCreatorInput, required: true, description: 'What is changed.' }),
    },
    resolve: async (_, { id, input }, ctx) => ({ creator: await updateCreator(ctx, id, input) }),
  }),
  deleteCreator: t.field({
    type: DeleteCreatorPayload,
    description: 'Deletes a creator that has no collections or tracks left.',
    args: { id: t.arg.id(id) },
    resolve: async (_, { id }, ctx) => ({ deletedCreator: await deleteCreator(ctx, id) }),
  }),
}))
