import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument, inputArgument, parseCreation } from '../../../platform/graphql/input.ts'
import { definePayload } from '../../../platform/graphql/payload.ts'
import { schemaFields } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { permitted, writeScope } from '../../access/viewer.ts'
import { moveTrackInput } from './record.ts'
import { moveTrack } from './service.ts'

const MoveTrackInput = builder.inputType('MoveTrackInput', {
  description: 'The new place of a track. Without another track, the end of the collection.',
  fields: (t) => schemaFields(t, moveTrackInput, { collectionId: 'ID', beforeTrackId: 'ID', afterTrackId: 'ID' }),
})

builder.mutationField('moveTrack', (t) =>
  t.field({
    type: definePayload('MoveTrack', 'track', 'Track', { description: 'The track that was moved.' }),
    description:
      'Moves a track within its collection, or to another one. Its addresses stay the same, and keys that are limited ' +
      'to the track still open it. Keys and play sessions of its former collection do not. Plays stay counted for the ' +
      'collection that it was played in.',
    args: { id: idArgument('track'), input: inputArgument(MoveTrackInput, 'The new place.') },
    resolve: permitted(writeScope, (_, { id, input }, ctx) =>
      moveTrack(ctx, parseId('trackId', id), parseCreation(moveTrackInput, input)),
    ),
  }),
)
