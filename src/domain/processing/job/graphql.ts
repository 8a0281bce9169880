import type { InputShapeFromFields } from '@pothos/core'
import type { JobKind, JobState } from '../../../platform/db/generated/client/enums.ts'
import { builder, enumValues, findType } from '../../../platform/graphql/builder.ts'
import { definePages, findConnection, listOrder, orderInput, parseFilter } from '../../../platform/graphql/list.ts'
import { defineNode, Node } from '../../../platform/graphql/node.ts'
import { related, relatedPage } from '../../../platform/graphql/page.ts'
import { reloaded } from '../../../platform/graphql/payload.ts'
import { createPlan, needsColumns } from '../../../platform/graphql/plan.ts'
import { expose, filterFields } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { permitted, readScope, visible, writeScope } from '../../access/viewer.ts'
import { collectionWhere } from '../../collection/service.ts'
import { trackWhere } from '../../track/service.ts'
import { jobDescription, jobFields, jobFilter, jobFilters, jobKinds, jobStates } from './record.ts'
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

const JobFilter = builder.inputType('JobFilter', {
  description: 'Conditions on jobs. All given conditions must hold.',
  fields: (t) => ({
    state: t.field({ type: [JobStateEnum], description: 'Any of these states.' }),
    kind: t.field({ type: [JobKindEnum], description: 'Any of these kinds.' }),
    ...filterFields(t, jobFilters),
  }),
})
const JobOrder = orderInput('Job', { createdAt: 'Time of creation.', attempts: 'Number of attempts.' })
const listArgs = builder.args((t) => ({
  filter: t.field({ type: JobFilter, description: 'Conditions on the jobs.' }),
  orderBy: t.field({ type: JobOrder, description: 'Defaults to the newest first.' }),
}))

defineNode('Job', { model: 'Job', permit: readScope, find: getJob })
const parseJobId = (id: unknown) => parseId('jobId', id)

builder.queryFields((t) => ({
  jobs: t.connection(
    {
      type: findType('Job'),
      description: 'Lists the jobs of the organization. A scoped key sees the jobs within its scope.',
      args: listArgs,
      resolve: permitted(readScope, definePages(jobFilter, findJobs, countJobs)),
    },
    ...findConnection('Job'),
  ),
  job: t.field({
    type: findType('Job'),
    nullable: true,
    description: 'Returns a job.',
    args: { id: t.arg.id({ required: true, description: 'ID of the job.' }) },
    resolve: permitted(readScope, (_, { id }, ctx, info) =>
      getJob(ctx, parseJobId(id), { plan: createPlan(info, ctx) }),
    ),
  }),
}))

const relatedJobs = relatedPage('jobs', ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
  where: visible(ctx, (scope) => matchingJobs(scope, parseFilter(jobFilter, filter))),
  order: listOrder(orderBy),
}))
builder.prismaObjectField('Track', 'jobs', (t) =>
  t.connection(
    { type: findType('Job'), description: 'Jobs of the track.', args: listArgs, ...relatedJobs },
    ...findConnection('Job'),
  ),
)
builder.prismaObjectField('Batch', 'jobs', (t) =>
  t.connection(
    { type: findType('Job'), description: 'Jobs of the batch, one for each track.', args: listArgs, ...relatedJobs },
    ...findConnection('Job'),
  ),
)

const RetryJobPayload = builder.objectRef<{ jobId: string }>('RetryJobPayload').implement({
  description: 'The job that repeats the work.',
  fields: (t) => ({
    job: t.field({ description: 'The new job.', ...reloaded('Job', ({ jobId }) => jobId) }),
  }),
})
builder.mutationField('retryJob', (t) =>
  t.field({
    type: RetryJobPayload,
    description:
      'Repeats the work of a failed job: one file, a rebuild, or a cover. Use `rebuildTrack` for a whole upload.',
    args: { id: t.arg.id({ required: true, description: 'ID of the failed job.' }) },
    resolve: permitted(writeScope, async (_, { id }, ctx) => ({ jobId: await retryJob(ctx, parseJobId(id)) })),
  }),
)
