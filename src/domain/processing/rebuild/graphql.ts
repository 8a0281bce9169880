import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument, parseCreation } from '../../../platform/graphql/input.ts'
import { definePayload, reloaded } from '../../../platform/graphql/payload.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { permitted, writeScope } from '../../access/viewer.ts'
import { rebuildTrackInput } from './record.ts'
import { rebuildTrack } from './service.ts'

const { variantIds, isOnlyStale } = rebuildTrackInput.shape

const RebuildTrackInput = builder.inputType('RebuildTrackInput', {
  description: 'Files to rebuild. All given conditions must hold.',
  fields: (t) => ({
    variantIds: t.idList({ description: variantIds.description }),
    isOnlyStale: t.boolean({ description: isOnlyStale.description }),
  }),
})

const RebuildTrackPayload = definePayload<{ id: string; jobId: string }>('RebuildTrack', 'track', 'Track', {
  description: 'The track and the job that rebuilds its files.',
  more: (t) => ({
    jobId: t.exposeID('jobId', { description: 'ID of the job that rebuilds its files.' }),
    job: t.field({
      description: 'The job that rebuilds its files. Done already when there is nothing to rebuild.',
      ...reloaded('Job', ({ jobId }) => jobId),
    }),
  }),
})

builder.mutationField('rebuildTrack', (t) =>
  t.field({
    type: RebuildTrackPayload,
    description:
      'Rebuilds files of a track from its recording, which is decoded and measured once. Defaults to the files of all ' +
      'variants, including missing ones. The track is `PROCESSING` until the end. Its files stay deliverable, and a ' +
      'finished file is replaced only by a finished one. The job fails if one of the files fails.',
    args: {
      id: idArgument('track'),
      input: t.arg({ type: RebuildTrackInput, description: 'Defaults to all files.' }),
    },
    resolve: permitted(writeScope, (_, { id, input }, ctx) =>
      rebuildTrack(ctx, parseId('trackId', id), parseCreation(rebuildTrackInput, input)),
    ),
  }),
)
