import type { Context } from '../../platform/context.ts'
import type { PodcastType } from '../../platform/db/generated/client/enums.ts'
import { builder, defineEnum } from '../../platform/graphql/builder.ts'
import {
  defineCreateInput,
  defineUpdateInput,
  idArgument,
  inputArgument,
  NULL_CLEARS,
  parseCreation,
} from '../../platform/graphql/input.ts'
import { defineList, defineRecordQuery } from '../../platform/graphql/list.ts'
import { Node } from '../../platform/graphql/node.ts'
import { relatedRecord } from '../../platform/graphql/page.ts'
import { definePayload } from '../../platform/graphql/payload.ts'
import { needs, readWith } from '../../platform/graphql/plan.ts'
import { withPrice } from '../../platform/graphql/price.ts'
import { expose } from '../../platform/graphql/record.ts'
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
import { coverUploadField } from '../upload-address/graphql.ts'
import { podcastCategories } from './podcast/categories.ts'
import { podcastFields } from './podcast/record.ts'
import {
  type CollectionFilter,
  collectionColumns,
  collectionFields,
  collectionFilter,
  collectionFilters,
  collectionShape,
  createCollectionWithPodcast,
  creatorIdDescription,
  updateCollectionWithPodcast,
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

defineEnum<PodcastType>('PodcastType', 'Order in which podcast apps play the episodes of a feed.', {
  episodic: 'Newest first. For shows whose episodes can be played in any order.',
  serial: 'In the order of the collection. For albums, courses and stories.',
})

builder.prismaObject('Collection', {
  interfaces: [Node],
  description: collectionShape.description,
  fields: (t) => ({
    ...expose(t, { ...collectionColumns, ...podcastFields }),
    creator: t.field(
      relatedRecord(
        'Creator',
        'creator',
        'The creator that it belongs to. Null when it belongs to none or the viewer may not see it.',
        (ctx) => ({ where: visible(ctx, creatorWhere) }),
      ),
    ),
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

defineRecordQuery('collection', 'Collection', {
  description: 'Returns a collection.',
  permit: readScope,
  find: getCollection,
})

const collectionList = defineList({
  model: 'Collection',
  records: 'collections',
  filters: collectionFilters,
  filter: collectionFilter,
  orderBy: { createdAt: 'Time of creation.', updatedAt: 'Time of the last change.', title: 'Title.' },
})
collectionList.query({
  description: 'Lists the collections of the organization.',
  permit: readScope,
  find: findCollections,
  count: countCollections,
})
const where = (ctx: Context, filter: CollectionFilter) => matchingCollections(readScope(ctx), filter)
collectionList.relation('Organization', { description: 'Collections of the organization.', where })
collectionList.relation('Creator', { description: 'Collections of the creator.', where })

const CreateCollectionInput = defineCreateInput(
  'Collection',
  'A new collection.',
  { ...collectionFields, ...podcastFields },
  (t) => ({
    creatorId: t.id({ description: creatorIdDescription }),
    theme: t.field(themeInput),
  }),
)
const UpdateCollectionInput = defineUpdateInput(
  'Collection',
  { ...collectionFields, ...podcastFields },
  (t) => ({ theme: t.field(themeInput) }),
  NULL_CLEARS,
)

const coverPayload = (mutation: string) =>
  definePayload(mutation, 'collection', 'Collection', {
    description: 'The collection and the upload of its cover.',
    more: (t) => ({ collectionCoverUpload: t.field(coverUploadField('collection-cover')) }),
  })

builder.queryField('podcastCategories', (t) =>
  t.stringList({
    extensions: { price: { points: 0, items: podcastCategories.length } },
    description: 'The categories of Apple Podcasts that `podcastCategory` takes, such as Music or Arts > Books.',
    resolve: permitted(readScope, () => [...podcastCategories]),
  }),
)

builder.mutationFields((t) => ({
  createCollection: t.field({
    type: coverPayload('CreateCollection'),
    description: 'Creates a collection.',
    args: { input: inputArgument(CreateCollectionInput, 'The new collection.') },
    resolve: permitted(creationScope, (_, { input }, ctx) =>
      createCollection(ctx, parseCreation(createCollectionWithPodcast, input)),
    ),
  }),
  updateCollection: t.field({
    type: definePayload('UpdateCollection', 'collection', 'Collection'),
    description: 'Changes the given fields of a collection. Null clears a nullable field.',
    args: { id: idArgument('collection'), input: inputArgument(UpdateCollectionInput) },
    resolve: permitted(writeScope, (_, { id, input }, ctx) =>
      updateCollection(ctx, parseId('collectionId', id), parse(updateCollectionWithPodcast, input)),
    ),
  }),
  createCollectionCoverUpload: t.field({
    type: coverPayload('CreateCollectionCoverUpload'),
    description: 'Creates an address that accepts one cover image for a collection.',
    args: { collectionId: idArgument('collection') },
    resolve: permitted(writeScope, (_, { collectionId }, ctx) =>
      getCollectionForCover(ctx, parseId('collectionId', collectionId)),
    ),
  }),
  deleteCollection: t.field({
    type: definePayload('DeleteCollection', 'deletedCollection', 'Collection'),
    description:
      'Deletes a collection and its tracks. Delivery of the files stops at once. Of more than 5,000 tracks, the rest ' +
      'leaves lists within minutes. Administrators can restore them for 7 days by default.',
    args: { id: idArgument('collection') },
    resolve: permitted(writeScope, (_, { id }, ctx) => deleteCollection(ctx, parseId('collectionId', id))),
  }),
}))
