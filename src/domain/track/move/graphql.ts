import { builder, parseCreation, reloaded } from '../../../platform/graphql/builder.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { permitted, writeScope } from '../../access/viewer.ts'
import { moveTrackInput } from './record.ts'
import { moveTrack } from './service.ts'

const { collectionId, beforeTrackId, afterTrackId } = moveTrackInput.shape

const MoveTrackInput = builder.inputType('MoveTrackInput', {
  description: 'The new place of a track. Without another track, the end of the collection.',
  fields: (t) => ({
    collectionId: t.id({ description: collectionId.description }),
    beforeTrackId: t.id({ description: beforeTrackId.description }),
    afterTrackId: t.id({ description: afterTrackId.description }),
  }),
})

const MoveTrackPayload = builder.objectRef<{ id: string }>('MoveTrackPayload').implement({
  description: 'The track that was moved.',
  fields: (t) => ({
    track: t.field({ description: 'The track after the change.', ...reloaded('Track', ({ id }) => id) }),
  }),
})

builder.mutationField('moveTrack', (t) =>
  t.field({
    type: MoveTrackPayload,
    description:
      'Moves a track within its collection, or to another one. Its addresses stay the same, and keys that are limited ' +
      'to the track still open it. Keys and play sessions of its former collection do not. Plays stay counted for the ' +
      'collection that it was played in.',
    args: {
      id: t.arg.id({ required: true, description: 'ID of the track.' }),
      input: t.arg({ type: MoveTrackInput, required: true, description: 'The new place.' }),
    },
    resolve: permitted(writeScope, (_, { id, input }, ctx) =>
      moveTrack(ctx, parseId('trackId', id), parseCreation(moveTrackInput, input)),
    ),
  }),
)
