import type { Context } from '../../../platform/context.ts'
import type { JobKind, JobState } from '../../../platform/db/generated/client/enums.ts'
import { builder, enumValues, findType } from '../../../platform/graphql/builder.ts'
import { idArgument } from '../../../platform/graphql/input.ts'
import { defineList, defineRecordQuery } from '../../../platform/graphql/list.ts'
import { Node } from '../../../platform/graphql/node.ts'
import { related } from '../../../platform/graphql/page.ts'
import { definePayload } from '../../../platform/graphql/payload.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { permitted, readScope, visible, writeScope } from '../../access/viewer.ts'
import { collectionWhere } from '../../collection/service.ts'
import { trackWhere } from '../../track/service.ts'
import { type JobFilter, jobDescription, jobFields, jobFilter, jobFilters, jobKinds, jobStates } from './record.ts'
import { countJobs, findJobs, getJob, matchingJobs, retryJob } from './service.ts'

const JobKindEnum = builder.enumType('JobKind', {
  description: 'Work of a job.',
  values: enumValues<JobKind>(jobKinds),
})
const JobStateEnum = builder.enumType('JobState', {
  description: 'State of a job.',
  values: enumValues<JobState>(jobStates),
})

builder.prismaObject('Job', {
  interfaces: [Node],
  description: jobDescription,
  fields: (t) => ({
    ...expose(t, jobFields),
    kind: t.expose('kind', { type: JobKindEnum, description: 'Work of the job.' }),
    state: t.expose('state', { type: JobStateEnum, description: 'State of the job.' }),
    track: t.field({
      type: findType('Track'),
      nullable: true,
      description: 'Its track. Null for a job without a track, and for a deleted track.',
      ...related('track', (ctx) => ({ where: visible(ctx, trackWhere) })),
    }),
    collection: t.field({
      type: findType('Collection'),
      nullable: true,
      description: 'The collection whose cover it processes. Null for any other job, and for a deleted collection.',
      ...related('collection', (ctx) => ({ where: visible(ctx, collectionWhere) })),
    }),
    variant: t.field({
      type: findType('Variant'),
      nullable: true,
      description:
        'The variant whose file it makes. Null for a job that does not make a single file, and for a deleted variant.',
      ...related('variant', () => ({ where: { deletedAt: null } })),
    }),
    variantIds: t.exposeIDList('variantIds', {
      description: 'IDs of the variants whose files it rebuilds. Empty for any other kind than `REBUILD_TRACK`.',
    }),
    attempts: t.exposeInt('attempts', { description: 'Number of attempts that were started.' }),
    durationSeconds: t.float({
      nullable: true,
      description: 'Seconds from `startedAt` to `finishedAt`. Null until ended.',
      ...needsColumns('startedAt', 'finishedAt'),
      resolve: ({ startedAt, finishedAt }) =>
        startedAt && finishedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1000 : null,
    }),
  }),
})

defineRecordQuery('job', 'Job', { description: 'Returns a job.', permit: readScope, find: getJob })

const jobList = defineList({
  model: 'Job',
  records: 'jobs',
  filters: jobFilters,
  filter: jobFilter,
  moreFilters: (t) => ({
    state: t.field({ type: [JobStateEnum], description: 'Any of these states.' }),
    kind: t.field({ type: [JobKindEnum], description: 'Any of these kinds.' }),
  }),
  orderBy: { createdAt: 'Time of creation.', attempts: 'Number of attempts.' },
})
jobList.query({
  description: 'Lists the jobs of the organization. A scoped key sees the jobs within its scope.',
  permit: readScope,
  find: findJobs,
  count: countJobs,
})
const where = (ctx: Context, filter: JobFilter) => visible(ctx, (scope) => matchingJobs(scope, filter))
jobList.relation('Track', { description: 'Jobs of the track.', where })
jobList.relation('Batch', { description: 'Jobs of the batch, one for each track.', where })

builder.mutationField('retryJob', (t) =>
  t.field({
    type: definePayload('RetryJob', 'job', 'Job', {
      description: 'The job that repeats the work.',
      fieldDescription: 'The new job.',
    }),
    description:
      'Repeats the work of a failed job: one file, a rebuild, or a cover. Use `rebuildTrack` for a whole upload.',
    args: { id: idArgument('job', 'ID of the failed job.') },
    resolve: permitted(writeScope, async (_, { id }, ctx) => ({ id: await retryJob(ctx, parseId('jobId', id)) })),
  }),
)
