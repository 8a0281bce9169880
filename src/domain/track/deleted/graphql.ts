import type { Track } from '../../../platform/db/generated/client/client.ts'
import { builder, reloaded, typeOf } from '../../../platform/graphql/builder.ts'
import { related } from '../../../platform/graphql/page.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { administratorScope, permitted, personScope } from '../../access/viewer.ts'
import { deletionFields, latestDeletions } from '../../collection/deleted/graphql.ts'
import { trackColumns, trackFields } from '../record.ts'
import { countDeletedTracks, findDeletedTracks, restoreTrack } from './service.ts'

const { id, collectionId, creatorId, fileName, playerTitle, organizationIndex, createdAt } = trackColumns

const type = builder.objectRef<Track>('DeletedTrack').implement({
  description: 'A deleted track that can be restored.',
  fields: (t) => ({
    ...expose(t, { id, collectionId, creatorId, fileName, playerTitle, organizationIndex, createdAt }),
    collection: t.field({
      type: typeOf('Collection'),
      description: 'The collection that it returns to.',
      ...related('collection'),
    }),
    duration: t.exposeFloat('durationSeconds', { nullable: true, description: trackFields.duration.description }),
    deletedAt: t.field(deletionFields.deletedAt),
    restorableUntil: t.field(deletionFields.restorableUntil),
  }),
})
const edge = builder.edgeObject({ name: 'DeletedTrackEdge', description: 'A record and its cursor.', type })
const connection = builder.connectionObject(
  { name: 'DeletedTrackConnection', description: 'A page of a list (Relay cursor connections).', type },
  edge,
)

const RestoreTrackPayload = builder.objectRef<{ track: { id: string } }>('RestoreTrackPayload').implement({
  description: 'The track that was restored.',
  fields: (t) => ({
    track: t.field({ description: 'The track after the change.', ...reloaded('Track', ({ track }) => track.id) }),
  }),
})

builder.queryField('deletedTracks', (t) =>
  t.connection(
    {
      type,
      description:
        'Lists the deleted tracks that can be restored, the latest deletion first. Tracks of deleted collections are ' +
        'not in it: restore the collection.',
      resolve: permitted(personScope, latestDeletions(findDeletedTracks, countDeletedTracks)),
    },
    connection,
    edge,
  ),
)

builder.mutationField('restoreTrack', (t) =>
  t.field({
    type: RestoreTrackPayload,
    description:
      'Restores a deleted track with its files. An upload that has not begun may continue until its address expires, ' +
      'and interrupted processing is queued again. A creator that was deleted since does not own it any more.',
    args: { id: t.arg.id({ required: true, description: 'ID of the track.' }) },
    resolve: permitted(administratorScope, async (_, { id }, ctx) => ({
      track: await restoreTrack(ctx, parseId('trackId', id)),
    })),
  }),
)
