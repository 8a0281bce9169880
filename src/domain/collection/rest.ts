import { z } from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Collection } from '../../platform/db/generated/client/client.ts'
import { route } from '../../platform/http/rest.ts'
import { id } from '../../platform/schema/fields.ts'
import { pageShape, toRest } from '../../platform/schema/record.ts'
import { legibleColors } from '../organization/colors.ts'
import { coverUploadShape, uploadHandle } from '../upload-address/handle.ts'
import {
  collectionFields,
  collectionId,
  collectionShape,
  createCollectionInput,
  listCollectionsInput,
  updateCollectionInput,
} from './record.ts'
import {
  createCollection,
  creationScope,
  deleteCollection,
  getCollection,
  getCollectionForCover,
  listCollections,
  updateCollection,
} from './service.ts'

const collectionIdShape = id({ description: 'ID of the collection.' }).restShape
const answer = z.object({ collectionId: collectionIdShape, collection: collectionShape })
const withCover = answer.extend({ collectionCoverUpload: coverUploadShape })
const toRestCollection = (collection: Collection) =>
  toRest(collectionFields, { ...collection, ...legibleColors(collection.playerColor) })
const wrapped = (collection: Collection) => ({ collectionId: collection.id, collection: toRestCollection(collection) })
const coverHandle = (ctx: Context, collection: Collection) => ({
  collectionCoverUpload: uploadHandle(ctx, 'collection-cover', collection),
})

/** Contract, section 3. */
export const collectionRoutes = [
  route({
    method: 'GET',
    path: '/collection',
    auth: 'key',
    operation: 'listCollections',
    summary: 'Lists the collections of the organization, newest first.',
    query: listCollectionsInput,
    answer: pageShape('collections', collectionShape),
    handle: async ({ ctx, query }) => {
      const { collections, count } = await listCollections(ctx, query)
      return { count, collections: collections.map(toRestCollection) }
    },
  }),
  route({
    method: 'GET',
    path: '/collection/:collectionId',
    auth: 'key',
    operation: 'getCollection',
    summary: 'Returns a collection.',
    params: collectionId,
    answer,
    handle: async ({ ctx, params }) => wrapped(await getCollection(ctx, params.collectionId)),
  }),
  route({
    method: 'POST',
    path: '/collection',
    auth: 'key',
    permit: creationScope,
    operation: 'createCollection',
    summary: 'Creates a collection.',
    body: createCollectionInput,
    answer: withCover,
    fails: ['not_found'],
    handle: async ({ ctx, body }) => {
      const collection = await createCollection(ctx, body)
      return { ...wrapped(collection), ...coverHandle(ctx, collection) }
    },
  }),
  route({
    method: 'PUT',
    path: '/collection/:collectionId',
    auth: 'key',
    operation: 'updateCollection',
    summary: 'Changes the given fields of a collection. Null clears a nullable field.',
    params: collectionId,
    body: updateCollectionInput,
    answer,
    handle: async ({ ctx, params, body }) => wrapped(await updateCollection(ctx, params.collectionId, body)),
  }),
  route({
    method: 'DELETE',
    path: '/collection/:collectionId',
    auth: 'key',
    operation: 'deleteCollection',
    summary: 'Deletes a collection and its tracks.',
    description:
      'Delivery of the files stops at once. Of more than 5,000 tracks, the rest leaves lists within minutes.',
    params: collectionId,
    answer: z.object({ collectionId: collectionIdShape, deletedCollection: collectionShape }),
    handle: async ({ ctx, params }) => {
      const collection = await deleteCollection(ctx, params.collectionId)
      return { collectionId: collection.id, deletedCollection: toRestCollection(collection) }
    },
  }),
  route({
    method: 'POST',
    path: '/collection/:collectionId/cover',
    auth: 'key',
    operation: 'createCollectionCover',
    summary: "Returns an address to upload the collection's cover to.",
    params: collectionId,
    answer: withCover,
    handle: async ({ ctx, params }) => {
      const collection = await getCollectionForCover(ctx, params.collectionId)
      return { ...wrapped(collection), ...coverHandle(ctx, collection) }
    },
  }),
]
