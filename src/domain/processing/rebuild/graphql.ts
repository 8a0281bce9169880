import { builder, omitNulls, reloaded } from '../../../platform/graphql/builder.ts'
import { rebuildTrack } from './service.ts'

const RebuildTrackInput = builder.inputType('RebuildTrackInput', {
  description: 'Which files of a track are made anew; all of it must hold.',
  fields: (t) => ({
    variantIds: t.idList({ description: 'Of these variants; all that the track has or lacks unless told.' }),
    isOnlyStale: t.boolean({ description: 'Only those that are stale; missing and failed ones are left alone.' }),
  }),
})

const RebuildTrackPayload = builder.objectRef<{ id: string; jobId: string }>('RebuildTrackPayload').implement({
  description: 'Holds the track, and the job that makes its files.',
  fields: (t) => ({
    track: t.field({ description: 'The track as it is now.', ...reloaded('Track', ({ id }) => id) }),
    jobId: t.exposeID('jobId', { description: 'UUID of the job that makes its files.' }),
    job: t.field({
      description: 'The job that makes its files; done already where there is nothing to make.',
      ...reloaded('Job', ({ jobId }) => jobId),
    }),
  }),
})

builder.mutationField('rebuildTrack', (t) =>
  t.field({
    type: RebuildTrackPayload,
    description:
      'Makes files of a track anew from its recording, which is decoded once: those of all its variants, also where it ' +
      'lacks them, unless told. What is measured is measured anew. The track is `PROCESSING` until then; its files stay ' +
      'deliverable, and are replaced by good ones only. The job fails where one of them could not be made.',
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the track.' }),
      input: t.arg({ type: RebuildTrackInput, description: 'All files unless told.' }),
    },
    resolve: (_, { id, input }, ctx) => rebuildTrack(ctx, id, omitNulls(input)),
  }),
)
