import type { Track } from '../../../platform/db/generated/client/client.ts'
import { builder, findType } from '../../../platform/graphql/builder.ts'
import { idArgument } from '../../../platform/graphql/input.ts'
import { defineConnection, pagesInOrder } from '../../../platform/graphql/list.ts'
import { related } from '../../../platform/graphql/page.ts'
import { definePayload } from '../../../platform/graphql/payload.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { administratorScope, permitted, personScope } from '../../access/viewer.ts'
import { deletionFields, latestDeletions } from '../../collection/deleted/graphql.ts'
import { titleField } from '../catalog/graphql.ts'
import { trackColumns, trackFields } from '../record.ts'
import { countDeletedTracks, findDeletedTracks, restoreTrack } from './service.ts'

const { id, collectionId, creatorId, fileName, playerTitle, organizationIndex, createdAt } = trackColumns

const type = builder.objectRef<Track>('DeletedTrack').implement({
  description: 'A deleted track that can be restored.',
  fields: (t) => ({
    ...expose(t, { id, collectionId, creatorId, fileName, playerTitle, organizationIndex, createdAt }),
    title: t.string(titleField),
    collection: t.field({
      type: findType('Collection'),
      description: 'The collection that it returns to.',
      ...related('collection'),
    }),
    duration: t.exposeFloat('durationSeconds', { nullable: true, description: trackFields.duration.description }),
    deletedAt: t.field(deletionFields.deletedAt),
    restorableUntil: t.field(deletionFields.restorableUntil),
  }),
})
builder.queryField('deletedTracks', (t) =>
  t.connection(
    {
      type,
      description:
        'Lists the deleted tracks that can be restored, the latest deletion first. Tracks of deleted collections are ' +
        'not in it: restore the collection.',
      resolve: permitted(personScope, pagesInOrder(latestDeletions, findDeletedTracks, countDeletedTracks)),
    },
    ...defineConnection('DeletedTrack', type),
  ),
)

builder.mutationField('restoreTrack', (t) =>
  t.field({
    type: definePayload('RestoreTrack', 'track', 'Track', { description: 'The track that was restored.' }),
    description:
      'Restores a deleted track with its files. An upload that has not begun may continue until its address expires, ' +
      'and interrupted processing is queued again. A creator that was deleted since does not own it any more.',
    args: { id: idArgument('track') },
    resolve: permitted(administratorScope, (_, { id }, ctx) => restoreTrack(ctx, parseId('trackId', id))),
  }),
)
