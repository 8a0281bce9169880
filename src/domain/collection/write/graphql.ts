import type { Context } from '../../../platform/context.ts'
import { builder, omitNulls, reloaded } from '../../../platform/graphql/builder.ts'
import { UploadHandleObject } from '../../access/graphql.ts'
import { uploadHandle } from '../../access/upload-handle.ts'
import { ThemeColorInput } from '../../organization/graphql.ts'
import { createCollection, deleteCollection, getCollectionForCover, updateCollection } from '../service.ts'

const settings = {
  organizationIndex: "The client's own identifier.",
  metadata: "The client's own JSON object.",
  theme: 'At most 64 colours, largest area first.',
  isCoverOverridable: 'Whether tracks may bring covers of their own.',
  isThemeOverridable: 'Whether tracks may bring colours of their own.',
  playerColor: "Hex color; null inherits the organization's.",
  playerSubtitle: 'Shown below the title.',
}
const CreateCollectionInput = builder.inputType('CreateCollectionInput', {
  description: 'A new collection.',
  fields: (t) => ({
    title: t.string({ required: true, description: 'Shown to listeners.' }),
    creatorId: t.id({ description: 'The creator whose folder it is stored in.' }),
    organizationIndex: t.string({ description: settings.organizationIndex }),
    metadata: t.field({ type: 'JSON', description: settings.metadata }),
    theme: t.field({ type: [ThemeColorInput], description: settings.theme }),
    isCoverOverridable: t.boolean({ description: settings.isCoverOverridable }),
    isThemeOverridable: t.boolean({ description: settings.isThemeOverridable }),
    playerColor: t.string({ description: settings.playerColor }),
    playerSubtitle: t.string({ description: settings.playerSubtitle }),
  }),
})
const UpdateCollectionInput = builder.inputType('UpdateCollectionInput', {
  description: 'Only the fields that are present are changed; null clears one that may be null.',
  fields: (t) => ({
    title: t.string({ description: 'Shown to listeners.' }),
    organizationIndex: t.string({ description: settings.organizationIndex }),
    metadata: t.field({ type: 'JSON', description: 'Replaces the whole object.' }),
    theme: t.field({ type: [ThemeColorInput], description: settings.theme }),
    isCoverOverridable: t.boolean({ description: settings.isCoverOverridable }),
    isThemeOverridable: t.boolean({ description: settings.isThemeOverridable }),
    playerColor: t.string({ description: settings.playerColor }),
    playerSubtitle: t.string({ description: settings.playerSubtitle }),
  }),
})

interface Written {
  collection: { id: string }
}
const collectionField = {
  description: 'The collection as it is now.',
  ...reloaded('Collection', ({ collection }: Written) => collection.id),
}
const coverUpload = {
  type: UploadHandleObject,
  description: 'Takes one cover image.',
  resolve: ({ collection }: Written, _: unknown, ctx: Context) => uploadHandle(ctx, 'collection-cover', collection.id),
}
const CreateCollectionPayload = builder.objectRef<Written>('CreateCollectionPayload').implement({
  description: 'Holds the collection, and where to upload its cover.',
  fields: (t) => ({
    collection: t.field(collectionField),
    collectionCoverUpload: t.field(coverUpload),
  }),
})
const CoverUploadPayload = builder.objectRef<Written>('CreateCollectionCoverUploadPayload').implement({
  description: 'Holds the collection, and where to upload its cover.',
  fields: (t) => ({ collection: t.field(collectionField), collectionCoverUpload: t.field(coverUpload) }),
})
const UpdateCollectionPayload = builder.objectRef<Written>('UpdateCollectionPayload').implement({
  description: 'Holds the collection.',
  fields: (t) => ({ collection: t.field(collectionField) }),
})
const DeleteCollectionPayload = builder
  .objectRef<{ deletedCollection: { id: string } }>('DeleteCollectionPayload')
  .implement({
    description: 'Holds the collection that was deleted.',
    fields: (t) => ({
      deletedCollection: t.field({
        description: 'The collection as it was.',
        ...reloaded('Collection', ({ deletedCollection }) => deletedCollection.id),
      }),
    }),
  })

const id = { required: true, description: 'UUID of the collection.' } as const

builder.mutationFields((t) => ({
  createCollection: t.field({
    type: CreateCollectionPayload,
    description: 'Creates a collection.',
    args: { input: t.arg({ type: CreateCollectionInput, required: true, description: 'The new collection.' }) },
    resolve: async (_, { input }, ctx) => ({ collection: await createCollection(ctx, omitNulls(input)) }),
  }),
  updateCollection: t.field({
    type: UpdateCollectionPayload,
    description: 'Changes a collection.',
    args: {
      id: t.arg.id(id),
      input: t.arg({ type: UpdateCollectionInput, required: true, description: 'What is changed.' }),
    },
    resolve: async (_, { id, input }, ctx) => ({ collection: await updateCollection(ctx, id, input) }),
  }),
  createCollectionCoverUpload: t.field({
    type: CoverUploadPayload,
    description: 'Makes an address that takes one cover image for a collection.',
    args: { collectionId: t.arg.id(id) },
    resolve: async (_, { collectionId }, ctx) => ({ collection: await getCollectionForCover(ctx, collectionId) }),
  }),
  deleteCollection: t.field({
    type: DeleteCollectionPayload,
    description: 'Deletes a collection and its tracks.',
    args: { id: t.arg.id(id) },
    resolve: async (_, { id }, ctx) => ({ deletedCollection: await deleteCollection(ctx, id) }),
  }),
}))
