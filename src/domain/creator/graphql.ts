import { builder, checkPage, connection, present } from '../../platform/builder.ts'
import type { Creator } from '../../platform/db/generated/client/client.ts'
import { countCreators, createCreator, deleteCreator, findCreators, getCreator, updateCreator } from './service.ts'

const CreatorType = builder.prismaObject('Creator', {
  description: 'A sub-account of the organization, typically one content contributor.',
  fields: (t) => ({
    id: t.exposeID('id'),
    organizationId: t.exposeID('organizationId'),
    folderId: t.exposeID('folderId', { description: 'Storage folder of its own.' }),
    organizationIndex: t.exposeString('organizationIndex', { description: "The client's own identifier." }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
})

const CreatorFilter = builder.inputType('CreatorFilter', {
  description: 'What narrows a list of creators.',
  fields: (t) => ({ organizationIndex: t.string({ description: 'Exactly this.' }) }),
})
const CreateCreatorInput = builder.inputType('CreateCreatorInput', {
  description: 'A new creator.',
  fields: (t) => ({
    organizationIndex: t.string({ required: true, description: 'Unique among the creators of the organization.' }),
    metadata: t.field({ type: 'JSON' }),
  }),
})
const UpdateCreatorInput = builder.inputType('UpdateCreatorInput', {
  description: 'Only the fields that are present are changed.',
  fields: (t) => ({ organizationIndex: t.string(), metadata: t.field({ type: 'JSON' }) }),
})

const payload = (name: string) =>
  builder.objectRef<{ creator: Creator }>(name).implement({
    description: 'Holds the creator.',
    fields: (t) => ({ creator: t.field({ type: CreatorType, resolve: ({ creator }) => creator }) }),
  })
const CreateCreatorPayload = payload('CreateCreatorPayload')
const UpdateCreatorPayload = payload('UpdateCreatorPayload')
const DeleteCreatorPayload = builder.objectRef<{ deletedCreator: Creator }>('DeleteCreatorPayload').implement({
  description: 'Holds the creator as it was.',
  fields: (t) => ({ deletedCreator: t.field({ type: CreatorType, resolve: (result) => result.deletedCreator }) }),
})

builder.queryFields((t) => ({
  creators: t.prismaConnection({
    type: 'Creator',
    ...connection,
    description: 'Creators of the organization, newest first.',
    args: { filter: t.arg({ type: CreatorFilter }) },
    totalCount: (_, { filter }, ctx) => countCreators(ctx, present(filter)),
    resolve: (query, _, { filter, ...page }, ctx) => {
      checkPage(page)
      return findCreators(ctx, present(filter), query)
    },
  }),
  creator: t.prismaField({
    type: 'Creator',
    description: 'One creator.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _, { id }, ctx) => getCreator(ctx, id, query),
  }),
}))

builder.mutationFields((t) => ({
  createCreator: t.field({
    type: CreateCreatorPayload,
    description: 'Creates a creator and its storage folder.',
    args: { input: t.arg({ type: CreateCreatorInput, required: true }) },
    resolve: async (_, { input }, ctx) => ({ creator: await createCreator(ctx, present(input)) }),
  }),
  updateCreator: t.field({
    type: UpdateCreatorPayload,
    description: 'Changes a creator.',
    args: { id: t.arg.id({ required: true }), input: t.arg({ type: UpdateCreatorInput, required: true }) },
    resolve: async (_, { id, input }, ctx) => ({ creator: await updateCreator(ctx, id, input) }),
  }),
  deleteCreator: t.field({
    type: DeleteCreatorPayload,
    description: 'Deletes a creator that has no collections or tracks left.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_, { id }, ctx) => ({ deletedCreator: await deleteCreator(ctx, id) }),
  }),
}))
