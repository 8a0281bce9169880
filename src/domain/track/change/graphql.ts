import { builder, reloaded } from '../../../platform/graphql/builder.ts'
import { TrackStatusEnum } from '../graphql.ts'
import { watchTracks } from './service.ts'
import { isFinal, percentOf, type TrackState } from './state.ts'

const TrackChange = builder.objectRef<TrackState>('TrackChange').implement({
  description: 'Where a track is, and how far. States that follow each other fast may be told as one, the newest.',
  fields: (t) => ({
    trackId: t.exposeID('trackId', { description: 'UUID of the track.' }),
    track: t.field({
      description: 'The track as it is when this is told, which may be further than this. Read only where asked for.',
      ...reloaded('Track', ({ trackId }) => trackId),
    }),
    status: t.expose('status', { type: TrackStatusEnum, description: 'How far it is.' }),
    progressPercent: t.int({ description: '0-100; 100 exactly where `isFinal`.', resolve: percentOf }),
    isFinal: t.boolean({
      description: 'Whether nothing follows by itself. A variant that is added later begins a new run.',
      resolve: isFinal,
    }),
    isDeleted: t.exposeBoolean('isDeleted', { description: 'Whether the track was deleted.' }),
    changedAt: t.expose('changedAt', {
      type: 'DateTime',
      description: 'When the status last changed. The greatest one received is `since` of the next subscription.',
    }),
  }),
})

builder.subscriptionField('trackChanged', (t) =>
  t.field({
    type: TrackChange,
    description: `Tells where tracks are, and every change of status or progress, until the client leaves: of one track,
of a collection's, or of all that the viewer may see. At first come the states of now: of one track always, of several
those that are not final. Told may be the same state twice, an older one after a newer one never.

A client whose connection broke off subscribes again with the greatest \`changedAt\` that it has received as \`since\`:
then final states come, too, that it missed. The stream ends by itself only where the viewer's key or token does, with
the error \`unauthenticated\`.`,
    args: {
      trackId: t.arg.id({ description: 'UUID of one track.' }),
      collectionId: t.arg.id({ description: 'UUID of a collection.' }),
      since: t.arg({
        type: 'DateTime',
        description: 'From when on final states and deletions are told, too: `changedAt` of the last one received.',
      }),
    },
    subscribe: (_, args, ctx) => watchTracks(ctx, args),
    resolve: (state) => {
      if (state instanceof Error) throw state
      return state
    },
  }),
)
