import type { GraphQLResolveInfo } from 'graphql'
import type { Context } from '../../../platform/context.ts'
import type { Collection } from '../../../platform/db/generated/client/client.ts'
import { builder, reloaded } from '../../../platform/graphql/builder.ts'
import { type PageArgs, type PageQuery, rootPage } from '../../../platform/graphql/page.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { administratorScope, permitted, personScope } from '../../access/viewer.ts'
import { collectionColumns } from '../record.ts'
import { restorableUntil } from './grace.ts'
import { countDeletedCollections, findDeletedCollections, restoreCollection } from './service.ts'

/** The `resolve` of a list of deleted records, the latest deletion first. */
export const latestDeletions =
  <T extends object>(
    find: (ctx: Context, query: PageQuery) => Promise<readonly T[]>,
    count: (ctx: Context) => Promise<number>,
  ) =>
  (_: unknown, args: PageArgs, ctx: Context, info: GraphQLResolveInfo) =>
    rootPage({
      info,
      ctx,
      args,
      order: [{ deletedAt: 'desc' }, { id: 'desc' }],
      list: (query) => find(ctx, query),
      count: () => count(ctx),
    })

const deletionOf = ({ deletedAt }: { deletedAt: Date | null }) => {
  if (!deletedAt) throw new Error('the record is not deleted')
  return deletedAt
}

/** Fields of a deleted record that others do not have. */
export const deletionFields = {
  deletedAt: {
    type: 'DateTime' as const,
    description: 'Time of the deletion.',
    ...needsColumns('deletedAt'),
    resolve: deletionOf,
  },
  restorableUntil: {
    type: 'DateTime' as const,
    description:
      'End of the grace period, in which it can be restored. Its files are removed from storage then. Defaults to 7 ' +
      'days after the deletion, as configured by the operator.',
    ...needsColumns('deletedAt'),
    resolve: (row: { deletedAt: Date | null }, _: unknown, ctx: Context) => restorableUntil(ctx, deletionOf(row)),
  },
}

const { id, creatorId, title, organizationIndex, createdAt } = collectionColumns

const type = builder.objectRef<Collection>('DeletedCollection').implement({
  description: 'A deleted collection that can be restored.',
  fields: (t) => ({
    ...expose(t, { id, creatorId, title, organizationIndex, createdAt }),
    deletedAt: t.field(deletionFields.deletedAt),
    restorableUntil: t.field(deletionFields.restorableUntil),
  }),
})
const edge = builder.edgeObject({ name: 'DeletedCollectionEdge', description: 'A record and its cursor.', type })
const connection = builder.connectionObject(
  { name: 'DeletedCollectionConnection', description: 'A page of a list (Relay cursor connections).', type },
  edge,
)

const RestoreCollectionPayload = builder
  .objectRef<{ collection: { id: string } }>('RestoreCollectionPayload')
  .implement({
    description: 'The collection that was restored.',
    fields: (t) => ({
      collection: t.field({
        description: 'The collection after the change.',
        ...reloaded('Collection', ({ collection }) => collection.id),
      }),
    }),
  })

builder.queryField('deletedCollections', (t) =>
  t.connection(
    {
      type,
      description: 'Lists the deleted collections that can be restored, the latest deletion first.',
      resolve: permitted(personScope, latestDeletions(findDeletedCollections, countDeletedCollections)),
    },
    connection,
    edge,
  ),
)

builder.mutationField('restoreCollection', (t) =>
  t.field({
    type: RestoreCollectionPayload,
    description:
      'Restores a deleted collection with the tracks that were deleted with it. Tracks that were deleted before it stay ' +
      'deleted. Of more than 5,000 tracks, the rest returns within minutes. A creator that was deleted since does not ' +
      'own them any more.',
    args: { id: t.arg.id({ required: true, description: 'ID of the collection.' }) },
    resolve: permitted(administratorScope, async (_, { id }, ctx) => ({
      collection: await restoreCollection(ctx, parseId('collectionId', id)),
    })),
  }),
)
