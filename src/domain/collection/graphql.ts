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
import type { Context } from '../../platform/context.ts'
import { related, relatedPage } from '../../platform/graphql/page.ts'
import { needsColumns, planOf } from '../../platform/graphql/plan.ts'
import { UploadHandleObject } from '../access/graphql.ts'
import { uploadHandle } from '../access/upload-handle.ts'
import { readScope, visible } from '../access/viewer.ts'
import { creatorWhere } from '../creator/service.ts'
import { playerColorDarkField, playerColorLightField, ThemeColorInput, themeField } from '../organization/graphql.ts'
import { coverImages } from './cover/graphql.ts'
import {
  countCollections,
  createCollection,
  deleteCollection,
  findCollections,
  getCollection,
  getCollectionForCover,
  matchingCollections,
  updateCollection,
} from './service.ts'

builder.prismaObject('Collection', {
  description: 'An album, a show, a course: what tracks are uploaded into.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    organizationId: t.exposeID('organizationId', { description: 'The organization it belongs to.' }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The creator it belongs to, if one.' }),
    creator: t.field({
      type: typeOf('Creator'),
      nullable: true,
      description: 'The creator it belongs to; null too where the viewer may not see it.',
      ...related('creator', (ctx) => ({ where: visible(ctx, creatorWhere) })),
    }),
    title: t.exposeString('title', { description: 'Shown to listeners.' }),
    organizationIndex: t.exposeString('organizationIndex', {
      nullable: true,
      description: "The client's own identifier.",
    }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    coverImage: t.field({
      type: coverImages,
      nullable: true,
      description: 'The uploaded cover; null without one.',
      ...needsColumns('cover', 'organizationId'),
      resolve: ({ cover, organizationId }) => (cover === null ? null : { organizationId, sizes: cover }),
    }),
    theme: t.field(themeField),
    isCoverOverridable: t.exposeBoolean('isCoverOverridable', {
      description: 'Whether tracks may bring covers of their own.',
    }),
    isThemeOverridable: t.exposeBoolean('isThemeOverridable', {
      description: 'Whether tracks may bring colours of their own.',
    }),
    playerColor: t.exposeString('playerColor', { nullable: true, description: "Null inherits the organization's." }),
    playerColorLight: t.string(playerColorLightField),
    playerColorDark: t.string(playerColorDarkField),
    playerSubtitle: t.exposeString('playerSubtitle', { nullable: true, description: 'Shown below the title.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const CollectionFilter = builder.inputType('CollectionFilter', {
  description: 'What narrows a list of collections; all of it must hold.',
  fields: (t) => ({
    organizationIndex: t.string({ description: 'Exactly this.' }),
    creatorId: t.id({ description: 'Of this creator.' }),
    search: t.string({ description: 'Stands in the title or the organizationIndex, whatever its case.' }),
    createdFrom: t.field({ type: 'DateTime', description: 'Created at or after.' }),
    createdUntil: t.field({ type: 'DateTime', description: 'Created before.' }),
  }),
})
const CollectionOrder = orderInput('Collection', {
  createdAt: 'When it was created.',
  updatedAt: 'When it was last changed.',
  title: 'Its title.',
})
const listArgs = builder.args((t) => ({
  filter: t.field({ type: CollectionFilter, description: 'What narrows the list.' }),
  orderBy: t.field({ type: CollectionOrder, description: 'The newest first unless told.' }),
}))

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
  ...written('Collection', ({ collection }: Written) => collection.id),
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
        ...written('Collection', ({ deletedCollection }) => deletedCollection.id),
      }),
    }),
  })

const id = { required: true, description: 'UUID of the collection.' } as const
const relatedCollections = relatedPage(
  'collections',
  ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
    where: matchingCollections(readScope(ctx), present(filter)),
    order: listOrder(orderBy),
  }),
)

builder.queryFields((t) => ({
  collections: t.connection(
    {
      type: typeOf('Collection'),
      description: 'Collections of the organization.',
      args: listArgs,
      resolve: pagesOf(findCollections, countCollections),
    },
    ...connectionOf('Collection'),
  ),
  collection: t.field({
    type: typeOf('Collection'),
    description: 'One collection.',
    args: { id: t.arg.id(id) },
    resolve: (_, { id }, ctx, info) => getCollection(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))
builder.prismaObjectField('Organization', 'collections', (t) =>
  t.connection(
    { type: typeOf('Collection'), description: 'Its collections.', args: listArgs, ...relatedCollections },
    ...connectionOf('Collection'),
  ),
)
builder.prismaObjectField('Creator', 'collections', (t) =>
  t.connection(
    { type: typeOf('Collection'), description: 'Its collections.', args: listArgs, ...relatedCollections },
    ...connectionOf('Collection'),
  ),
)

builder.mutationFields((t) => ({
  createCollection: t.field({
    type: CreateCollectionPayload,
    description: 'Creates a collection.',
    args: { input: t.arg({ type: CreateCollectionInput, required: true, description: 'The new collection.' }) },
    resolve: async (_, { input }, ctx) => ({ collection: await createCollection(ctx, present(input)) }),
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
