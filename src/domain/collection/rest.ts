import type { Context } from '../../platform/context.ts'
import type { Collection } from '../../platform/db/generated/client/client.ts'
import { routes } from '../../platform/rest.ts'
import { uploadHandle } from '../access/upload-handle.ts'
import { legibleColors } from '../organization/colors.ts'
import {
  createCollection,
  deleteCollection,
  getCollection,
  getCollectionForCover,
  listCollections,
  updateCollection,
} from './service.ts'

const shown = (collection: Collection) => ({
  id: collection.id,
  organizationId: collection.organizationId,
  creatorId: collection.creatorId,
  title: collection.title,
  organizationIndex: collection.organizationIndex,
  metadata: collection.metadata,
  theme: collection.theme,
  isCoverOverridable: collection.isCoverOverridable,
  isThemeOverridable: collection.isThemeOverridable,
  playerColor: collection.playerColor,
  ...legibleColors(collection.playerColor),
  playerSubtitle: collection.playerSubtitle,
  createdAt: collection.createdAt,
  updatedAt: collection.updatedAt,
})
const wrapped = (collection: Collection) => ({ collectionId: collection.id, collection: shown(collection) })
const coverHandle = (ctx: Context, collection: Collection) => ({
  collectionCoverUpload: uploadHandle(ctx, 'collection-cover', collection.id),
})

/** Contract, section 3. */
export const collectionRoutes = routes(
  {
    method: 'GET',
    path: '/collection',
    auth: 'key',
    handle: async ({ ctx, query }) => {
      const { collections, count } = await listCollections(ctx, query)
      return { count, collections: collections.map(shown) }
    },
  },
  {
    method: 'GET',
    path: '/collection/:collectionId',
    auth: 'key',
    handle: async ({ ctx, params }) => wrapped(await getCollection(ctx, params.collectionId ?? '')),
  },
  {
    method: 'POST',
    path: '/collection',
    auth: 'key',
    handle: async ({ ctx, body }) => {
      const collection = await createCollection(ctx, body)
      return { ...wrapped(collection), ...coverHandle(ctx, collection) }
    },
  },
  {
    method: 'PUT',
    path: '/collection/:collectionId',
    auth: 'key',
    handle: async ({ ctx, params, body }) => wrapped(await updateCollection(ctx, params.collectionId ?? '', body)),
  },
  {
    method: 'DELETE',
    path: '/collection/:collectionId',
    auth: 'key',
    handle: async ({ ctx, params }) => {
      const collection = await deleteCollection(ctx, params.collectionId ?? '')
      return { collectionId: collection.id, deletedCollection: shown(collection) }
    },
  },
  {
    method: 'POST',
    path: '/collection/:collectionId/cover',
    auth: 'key',
    handle: async ({ ctx, params }) => {
      const collection = await getCollectionForCover(ctx, params.collectionId ?? '')
      return { ...wrapped(collection), ...coverHandle(ctx, collection) }
    },
  },
)
