import { builder } from '../../../platform/graphql/builder.ts'
import { parseCreation } from '../../../platform/graphql/input.ts'
import { reloaded } from '../../../platform/graphql/payload.ts'
import { TrackStatusEnum } from '../graphql.ts'
import { trackStatusShape } from '../record.ts'
import { watchInput, watchTracks } from './service.ts'
import { computePercent, isFinal, type TrackState } from './state.ts'

const TrackChange = builder.objectRef<TrackState>('TrackChange').implement({
  description: 'State and progress of a track. Changes in quick succession may be sent as one, the newest.',
  fields: (t) => ({
    trackId: t.exposeID('trackId', { description: 'ID of the track.' }),
    track: t.field({
      description: 'The track at the time of sending, which may be newer than this state. Loaded only when selected.',
      ...reloaded('Track', ({ trackId }) => trackId),
    }),
    status: t.expose('status', { type: TrackStatusEnum, description: trackStatusShape.description }),
    progressPercent: t.int({
      description: 'Progress in percent. 0 to 100; 100 exactly when `isFinal`.',
      resolve: computePercent,
    }),
    isFinal: t.boolean({
      description: 'Whether no further change follows. A variant that is added later starts a new run.',
      resolve: isFinal,
    }),
    isDeleted: t.exposeBoolean('isDeleted', { description: 'Whether the track was deleted.' }),
    changedAt: t.expose('changedAt', {
      type: 'DateTime',
      description: 'Time of the last change of status. Pass the latest one received as `since` when reconnecting.',
    }),
  }),
})

builder.subscriptionField('trackChanged', (t) =>
  t.field({
    type: TrackChange,
    description: `Streams the status and progress of one track, of the tracks of a collection, or of all tracks that the
viewer may see. It starts with the current states: of one track always, of several those that are not final. The same
state may be sent twice. An older state is never sent after a newer one.

To resume after a lost connection, subscribe with the latest \`changedAt\` received as \`since\`: the final states since
then are sent too. The stream ends only when the viewer's key or token does, with the error \`unauthenticated\`.`,
    args: {
      trackId: t.arg.id({ description: 'ID of a track.' }),
      collectionId: t.arg.id({ description: 'ID of a collection.' }),
      since: t.arg({
        type: 'DateTime',
        description: 'Sends final states and deletions since this time too: the latest `changedAt` received.',
      }),
    },
    subscribe: (_, args, ctx) => watchTracks(ctx, parseCreation(watchInput, args)),
    resolve: (state) => {
      if (state instanceof Error) throw state
      return state
    },
  }),
)
