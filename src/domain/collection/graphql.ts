import { builder, checkPage, connection, present } from '../../platform/builder.ts'
import type { Collection } from '../../platform/db/generated/client/client.ts'
import { UploadHandleObject } from '../access/graphql.ts'
import { uploadHandle } from '../access/upload-handle.ts'
import { legibleColors } from '../organization/colors.ts'
import { ThemeColorInput, themeField, themeOf } from '../organization/graphql.ts'
import {
  countCollections,
  createCollection,
  deleteCollection,
  findCollections,
  getCollection,
  updateCollection,
} from './service.ts'

export const CollectionObject = builder.prismaObject('Collection', {
  description: 'An album, a show, a course: what tracks are uploaded into.',
  fields: (t) => ({
    id: t.exposeID('id'),
    organizationId: t.exposeID('organizationId'),
    creatorId: t.exposeID('creatorId', { nullable: true }),
    creator: t.relation('creator', { nullable: true, description: 'The creator it belongs to.' }),
    title: t.exposeString('title'),
    organizationIndex: t.exposeString('organizationIndex', {
      nullable: true,
      description: "The client's own identifier.",
    }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    theme: t.field({ ...themeField, resolve: themeOf }),
    isCoverOverridable: t.exposeBoolean('isCoverOverridable'),
    isThemeOverridable: t.exposeBoolean('isThemeOverridable'),
    playerColor: t.exposeString('playerColor', { nullable: true, description: "Null inherits the organization's." }),
    playerColorLight: t.string({
      nullable: true,
      resolve: ({ playerColor }) => legibleColors(playerColor).playerColorLight,
    }),
    playerColorDark: t.string({
      nullable: true,
      resolve: ({ playerColor }) => legibleColors(playerColor).playerColorDark,
    }),
    playerSubtitle: t.exposeString('playerSubtitle', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
})

const CollectionFilter = builder.inputType('CollectionFilter', {
  description: 'What narrows a list of collections.',
  fields: (t) => ({ organizationIndex: t.string({ description: 'Exactly this.' }) }),
})
const CreateCollectionInput = builder.inputType('CreateCollectionInput', {
  description: 'A new collection.',
  fields: (t) => ({
    title: t.string({ required: true }),
    creatorId: t.id({ description: 'The creator whose folder it is stored in.' }),
    organizationIndex: t.string(),
    metadata: t.field({ type: 'JSON' }),
    theme: t.field({ type: [ThemeColorInput] }),
    isCoverOverridable: t.boolean(),
    isThemeOverridable: t.boolean(),
    playerColor: t.string(),
    playerSubtitle: t.string(),
  }),
})
const UpdateCollectionInput = builder.inputType('UpdateCollectionInput', {
  description: 'Only the fields that are present are changed; null clears one that may be null.',
  fields: (t) => ({
    title: t.string(),
    organizationIndex: t.string(),
    metadata: t.field({ type: 'JSON' }),
    theme: t.field({ type: [ThemeColorInput] }),
    isCoverOverridable: t.boolean(),
    isThemeOverridable: t.boolean(),
    playerColor: t.string(),
    playerSubtitle: t.string(),
  }),
})

const CreateCollectionPayload = builder.objectRef<{ collection: Collection }>('CreateCollectionPayload').implement({
  description: 'Holds the collection, and where to upload its cover.',
  fields: (t) => ({
    collection: t.field({ type: CollectionObject, resolve: ({ collection }) => collection }),
    collectionCoverUpload: t.field({
      type: UploadHandleObject,
      resolve: ({ collection }, _, ctx) => uploadHandle(ctx, 'collection-cover', collection.id),
    }),
  }),
})
const UpdateCollectionPayload = builder.objectRef<{ collection: Collection }>('UpdateCollectionPayload').implement({
  description: 'Holds the collection.',
  fields: (t) => ({ collection: t.field({ type: CollectionObject, resolve: ({ collection }) => collection }) }),
})
const DeleteCollectionPayload = builder
  .objectRef<{ deletedCollection: Collection }>('DeleteCollectionPayload')
  .implement({
    description: 'Holds the collection as it was.',
    fields: (t) => ({
      deletedCollection: t.field({ type: CollectionObject, resolve: (result) => result.deletedCollection }),
    }),
  })

builder.queryFields((t) => ({
  collections: t.prismaConnection({
    type: 'Collection',
    ...connection,
    description: 'Collections, newest first.',
    args: { filter: t.arg({ type: CollectionFilter }) },
    totalCount: (_, { filter }, ctx) => countCollections(ctx, present(filter)),
    resolve: (query, _, { filter, ...page }, ctx) => {
      checkPage(page)
      return findCollections(ctx, present(filter), query)
    },
  }),
  collection: t.prismaField({
    type: 'Collection',
    description: 'One collection.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _, { id }, ctx) => getCollection(ctx, id, query),
  }),
}))

builder.mutationFields((t) => ({
  createCollection: t.field({
    type: CreateCollectionPayload,
    description: 'Creates a collection.',
    args: { input: t.arg({ type: CreateCollectionInput, required: true }) },
    resolve: async (_, { input }, ctx) => ({ collection: await createCollection(ctx, present(input)) }),
  }),
  updateCollection: t.field({
    type: UpdateCollectionPayload,
    description: 'Changes a collection.',
    args: { id: t.arg.id({ required: true }), input: t.arg({ type: UpdateCollectionInput, required: true }) },
    resolve: async (_, { id, input }, ctx) => ({ collection: await updateCollection(ctx, id, input) }),
  }),
  deleteCollection: t.field({
    type: DeleteCollectionPayload,
    description: 'Deletes a collection and its tracks.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_, { id }, ctx) => ({ deletedCollection: await deleteCollection(ctx, id) }),
  }),
}))
