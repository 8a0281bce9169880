import type { InputShapeFromFields } from '@pothos/core'
import type { Context } from '../../platform/context.ts'
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
import { related, relatedPage } from '../../platform/graphql/page.ts'
import { needs, planOf, readWith } from '../../platform/graphql/plan.ts'
import { withPrice } from '../../platform/graphql/price.ts'
import { expose, filterFields, inputFields } from '../../platform/graphql/record.ts'
import { parse, parseId } from '../../platform/schema/parse.ts'
import { permitted, readScope, visible, writeScope } from '../access/viewer.ts'
import { creatorWhere } from '../creator/service.ts'
import { coverImages, toRestCover } from '../organization/cover/graphql.ts'
import {
  effectiveThemeField,
  playerColorDarkField,
  playerColorLightField,
  themeField,
  themeInput,
  themePrice,
} from '../organization/graphql.ts'
import { type CoverTier, inheritedCover, inheritedPlayerColor, type ThemeTier } from '../organization/inherit.ts'
import { UploadHandleObject } from '../upload-address/graphql.ts'
import { uploadHandle } from '../upload-address/handle.ts'
import {
  collectionColumns,
  collectionFields,
  collectionFilter,
  collectionFilters,
  collectionShape,
  createCollectionInput,
  creatorIdDescription,
  updateCollectionInput,
} from './record.ts'
import {
  countCollections,
  createCollection,
  creationScope,
  deleteCollection,
  findCollections,
  getCollection,
  getCollectionForCover,
  matchingCollections,
  updateCollection,
} from './service.ts'

builder.prismaObject('Collection', {
  description: collectionShape.description,
  fields: (t) => ({
    ...expose(t, collectionColumns),
    creator: t.field({
      type: typeOf('Creator'),
      nullable: true,
      description: 'The creator that it belongs to. Null when it belongs to none or the viewer may not see it.',
      ...related('creator', (ctx) => ({ where: visible(ctx, creatorWhere) })),
    }),
    coverImage: t.field({
      type: coverImages,
      nullable: true,
      description:
        "The cover that applies: its own or the organization's, as `isCoverOverridable` of the organization says. " +
        'Null without one.',
      ...needs({
        columns: ['organizationId', 'cover', 'isCoverOverridable'],
        also: { $coverAbove: { relation: 'organization', columns: ['cover', 'isCoverOverridable'] } },
      }),
      resolve: (row) => {
        const organization = readWith<CoverTier>(row, '$coverAbove')
        return toRestCover(row.organizationId, inheritedCover({ organization, collection: row }))
      },
    }),
    theme: t.field(themeField),
    effectiveTheme: t.field({
      ...effectiveThemeField((collection: ThemeTier) => ({
        organization: readWith<ThemeTier>(collection, '$themeAbove'),
        collection,
      })),
      ...withPrice(
        needs({
          columns: ['theme', 'isThemeOverridable'],
          also: { $themeAbove: { relation: 'organization', columns: ['theme', 'isThemeOverridable'] } },
        }),
        themePrice,
      ),
    }),
    effectivePlayerColor: t.string({
      description: "The player color that applies: its own, else the organization's.",
      ...needs({
        columns: ['playerColor'],
        also: { $colorAbove: { relation: 'organization', columns: ['playerColor'] } },
      }),
      resolve: (row) => inheritedPlayerColor(readWith<{ playerColor: string }>(row, '$colorAbove'), row),
    }),
    playerColorLight: t.string(playerColorLightField),
    playerColorDark: t.string(playerColorDarkField),
  }),
})

const CollectionFilter = builder.inputType('CollectionFilter', {
  description: 'Conditions on collections. All given conditions must hold.',
  fields: (t) => filterFields(t, collectionFilters),
})
const CollectionOrder = orderInput('Collection', {
  createdAt: 'Time of creation.',
  updatedAt: 'Time of the last change.',
  title: 'Title.',
})
const listArgs = builder.args((t) => ({
  filter: t.field({ type: CollectionFilter, description: 'Conditions on the collections.' }),
  orderBy: t.field({ type: CollectionOrder, description: 'Defaults to the newest first.' }),
}))
const CreateCollectionInput = builder.inputType('CreateCollectionInput', {
  description: 'A new collection.',
  fields: (t) => ({
    ...inputFields(t, collectionFields, 'create'),
    creatorId: t.id({ description: creatorIdDescription }),
    theme: t.field(themeInput),
  }),
})
const UpdateCollectionInput = builder.inputType('UpdateCollectionInput', {
  description: 'Fields to change. Fields that are left out keep their value. Null clears a nullable field.',
  fields: (t) => ({ ...inputFields(t, collectionFields, 'update'), theme: t.field(themeInput) }),
})

interface Written {
  collection: { id: string }
}
const collectionField = {
  description: 'The collection after the change.',
  ...reloaded('Collection', ({ collection }: Written) => collection.id),
}
const coverPayload = (name: string) =>
  builder.objectRef<Written>(name).implement({
    description: 'The collection and the upload of its cover.',
    fields: (t) => ({
      collection: t.field(collectionField),
      collectionCoverUpload: t.field({
        type: UploadHandleObject,
        description: 'Address that accepts one cover image.',
        resolve: ({ collection }, _, ctx: Context) =>
          uploadHandle(ctx, 'collection-cover', { id: collection.id, organizationId: readScope(ctx).organizationId }),
      }),
    }),
  })
const CreateCollectionPayload = coverPayload('CreateCollectionPayload')
const CoverUploadPayload = coverPayload('CreateCollectionCoverUploadPayload')
const UpdateCollectionPayload = builder.objectRef<Written>('UpdateCollectionPayload').implement({
  description: 'The collection that was written.',
  fields: (t) => ({ collection: t.field(collectionField) }),
})
const DeleteCollectionPayload = builder
  .objectRef<{ deletedCollection: { id: string } }>('DeleteCollectionPayload')
  .implement({
    description: 'The collection that was deleted.',
    fields: (t) => ({
      deletedCollection: t.field({
        description: 'The collection before its deletion.',
        ...reloaded('Collection', ({ deletedCollection }) => deletedCollection.id),
      }),
    }),
  })

const idArgument = { required: true, description: 'ID of the collection.' } as const
const idOf = (id: unknown) => parseId('collectionId', id)

builder.queryFields((t) => ({
  collections: t.connection(
    {
      type: typeOf('Collection'),
      description: 'Lists the collections of the organization.',
      args: listArgs,
      resolve: permitted(readScope, pagesOf(collectionFilter, findCollections, countCollections)),
    },
    ...connectionOf('Collection'),
  ),
  collection: t.field({
    type: typeOf('Collection'),
    nullable: true,
    description: 'Returns a collection.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(readScope, (_, { id }, ctx, info) => getCollection(ctx, idOf(id), { plan: planOf(info, ctx) })),
  }),
}))

const relatedCollections = {
  type: typeOf('Collection'),
  args: listArgs,
  ...relatedPage('collections', ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
    where: matchingCollections(readScope(ctx), parseFilter(collectionFilter, filter)),
    order: listOrder(orderBy),
  })),
}
builder.prismaObjectField('Organization', 'collections', (t) =>
  t.connection(
    { ...relatedCollections, description: 'Collections of the organization.' },
    ...connectionOf('Collection'),
  ),
)
builder.prismaObjectField('Creator', 'collections', (t) =>
  t.connection({ ...relatedCollections, description: 'Collections of the creator.' }, ...connectionOf('Collection')),
)

builder.mutationFields((t) => ({
  createCollection: t.field({
    type: CreateCollectionPayload,
    description: 'Creates a collection.',
    args: { input: t.arg({ type: CreateCollectionInput, required: true, description: 'The new collection.' }) },
    resolve: permitted(creationScope, async (_, { input }, ctx) => ({
      collection: await createCollection(ctx, parseCreation(createCollectionInput, input)),
    })),
  }),
  updateCollection: t.field({
    type: UpdateCollectionPayload,
    description: 'Changes the given fields of a collection. Null clears a nullable field.',
    args: {
      id: t.arg.id(idArgument),
      input: t.arg({ type: UpdateCollectionInput, required: true, description: 'The fields to change.' }),
    },
    resolve: permitted(writeScope, async (_, { id, input }, ctx) => ({
      collection: await updateCollection(ctx, idOf(id), parse(updateCollectionInput, input)),
    })),
  }),
  createCollectionCoverUpload: t.field({
    type: CoverUploadPayload,
    description: 'Creates an address that accepts one cover image for a collection.',
    args: { collectionId: t.arg.id(idArgument) },
    resolve: permitted(writeScope, async (_, { collectionId }, ctx) => ({
      collection: await getCollectionForCover(ctx, idOf(collectionId)),
    })),
  }),
  deleteCollection: t.field({
    type: DeleteCollectionPayload,
    description:
      'Deletes a collection and its tracks. Delivery of the files stops at once. Of more than 5,000 tracks, the rest ' +
      'leaves lists within minutes. Administrators can restore them for 7 days by default.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(writeScope, async (_, { id }, ctx) => ({
      deletedCollection: await deleteCollection(ctx, idOf(id)),
    })),
  }),
}))
