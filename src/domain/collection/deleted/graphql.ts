import type { Context } from '../../../platform/context.ts'
import type { Collection } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument } from '../../../platform/graphql/input.ts'
import { defineConnection, pagesInOrder } from '../../../platform/graphql/list.ts'
import { definePayload } from '../../../platform/graphql/payload.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { administratorScope, permitted, personScope } from '../../access/viewer.ts'
import { collectionColumns } from '../record.ts'
import { restorableUntil } from './grace.ts'
import { countDeletedCollections, findDeletedCollections, restoreCollection } from './service.ts'

/** The order of a list of deleted records. */
export const latestDeletions = [{ deletedAt: 'desc' }, { id: 'desc' }]

const readDeletion = ({ deletedAt }: { deletedAt: Date | null }) => {
  if (!deletedAt) throw new Error('the record is not deleted')
  return deletedAt
}

/** Fields of a deleted record that others do not have. */
export const deletionFields = {
  deletedAt: {
    type: 'DateTime' as const,
    description: 'Time of the deletion.',
    ...needsColumns('deletedAt'),
    resolve: readDeletion,
  },
  restorableUntil: {
    type: 'DateTime' as const,
    description:
      'End of the grace period, in which it can be restored. Its files are removed from storage then. Defaults to 7 ' +
      'days after the deletion, as configured by the operator.',
    ...needsColumns('deletedAt'),
    resolve: (row: { deletedAt: Date | null }, _: unknown, ctx: Context) => restorableUntil(ctx, readDeletion(row)),
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
builder.queryField('deletedCollections', (t) =>
  t.connection(
    {
      type,
      description: 'Lists the deleted collections that can be restored, the latest deletion first.',
      resolve: permitted(personScope, pagesInOrder(latestDeletions, findDeletedCollections, countDeletedCollections)),
    },
    ...defineConnection('DeletedCollection', type),
  ),
)

builder.mutationField('restoreCollection', (t) =>
  t.field({
    type: definePayload('RestoreCollection', 'collection', 'Collection', {
      description: 'The collection that was restored.',
    }),
    description:
      'Restores a deleted collection with the tracks that were deleted with it. Tracks that were deleted before it stay ' +
      'deleted. Of more than 5,000 tracks, the rest returns within minutes. A creator that was deleted since does not ' +
      'own them any more.',
    args: { id: idArgument('collection') },
    resolve: permitted(administratorScope, (_, { id }, ctx) => restoreCollection(ctx, parseId('collectionId', id))),
  }),
)
