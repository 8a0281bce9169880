import type { InputShapeFromFields } from '@pothos/core'
import type { JobKind, JobState } from '../../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  listOrder,
  omitNulls,
  orderInput,
  pagesOf,
  reloaded,
  typeOf,
} from '../../../platform/graphql/builder.ts'
import { related, relatedPage } from '../../../platform/graphql/page.ts'
import { needsColumns, planOf } from '../../../platform/graphql/plan.ts'
import { visible } from '../../access/viewer.ts'
import { collectionWhere } from '../../collection/service.ts'
import { trackWhere } from '../../track/service.ts'
import { jobFilter } from './schema.ts'
import { countJobs, findJobs, getJob, matchingJobs, retryJob } from './service.ts'

const JobKindEnum = builder.enumType('JobKind', {
  description: 'What a job does.',
  values: enumValues<JobKind>({
    process_track: 'Looks at an uploaded recording and makes all of its files.',
    process_variant: 'Makes one file of a track.',
    process_track_cover: 'Makes the sizes of a cover that was uploaded for a track.',
    process_collection_cover: 'Makes the sizes of a cover that was uploaded for a collection.',
    process_organization_cover: 'Makes the sizes of a cover that was uploaded for the organization.',
    rebuild_track: 'Makes files of a track anew.',
  }),
})
const JobStateEnum = builder.enumType('JobState', {
  description: 'How far a job is.',
  values: enumValues<JobState>({
    queued: 'Waits for a worker, or for its track.',
    running: 'Is being carried out, or will be taken up again after a worker died.',
    done: 'Was carried out. Files of an upload may have failed by themselves.',
    failed: 'Could not be carried out; error says why.',
    cancelled: 'Ended before it began: its batch was cancelled, or what it is about was deleted.',
  }),
})

builder.prismaObject('Job', {
  description: 'A piece of queued work. It is shown for 30 days after it has ended.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    kind: t.expose('kind', { type: JobKindEnum, description: 'What it does.' }),
    state: t.expose('state', { type: JobStateEnum, description: 'How far it is.' }),
    trackId: t.exposeID('trackId', { nullable: true, description: 'The track that it is about, if one.' }),
    track: t.field({
      type: typeOf('Track'),
      nullable: true,
      description: 'The track that it is about; null too once it is deleted.',
      ...related('track', (ctx) => ({ where: visible(ctx, trackWhere) })),
    }),
    collectionId: t.exposeID('collectionId', {
      nullable: true,
      description: 'The collection whose cover it is about, if one.',
    }),
    collection: t.field({
      type: typeOf('Collection'),
      nullable: true,
      description: 'The collection whose cover it is about; null too once it is deleted.',
      ...related('collection', (ctx) => ({ where: visible(ctx, collectionWhere) })),
    }),
    variantId: t.exposeID('variantId', { nullable: true, description: 'The variant whose file it makes, if one.' }),
    variant: t.field({
      type: typeOf('Variant'),
      nullable: true,
      description: 'The variant whose file it makes; null too once it is deleted.',
      ...related('variant', () => ({ where: { deletedAt: null } })),
    }),
    variantIds: t.exposeIDList('variantIds', {
      description: 'The variants whose files it makes anew; empty but for `REBUILD_TRACK`.',
    }),
    batchId: t.exposeID('batchId', { nullable: true, description: 'The batch that it belongs to, if one.' }),
    attempts: t.exposeInt('attempts', { description: 'Number of attempts that were started.' }),
    retryAt: t.expose('retryAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the next attempt. Null unless the job waits after a fault of the service.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed, as a stable word.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was queued.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it was begun.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    durationSeconds: t.float({
      nullable: true,
      description: 'From its beginning to its end; null while one of them is missing.',
      ...needsColumns('startedAt', 'finishedAt'),
      resolve: ({ startedAt, finishedAt }) =>
        startedAt && finishedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1000 : null,
    }),
  }),
})

const JobFilter = builder.inputType('JobFilter', {
  description: 'What narrows a list of jobs; all of it must hold.',
  fields: (t) => ({
    state: t.field({ type: [JobStateEnum], description: 'In any of these states.' }),
    kind: t.field({ type: [JobKindEnum], description: 'Of any of these kinds.' }),
    trackId: t.id({ description: 'About this track.' }),
    collectionId: t.id({ description: 'About this collection, or a track of it.' }),
    variantId: t.id({ description: 'About this variant.' }),
    batchId: t.id({ description: 'Of this batch.' }),
  }),
})
const JobOrder = orderInput('Job', { createdAt: 'When it was queued.', attempts: 'How often it was begun.' })
const listArgs = builder.args((t) => ({
  filter: t.field({ type: JobFilter, description: 'What narrows the list.' }),
  orderBy: t.field({ type: JobOrder, description: 'The newest first unless told.' }),
}))

builder.queryFields((t) => ({
  jobs: t.connection(
    {
      type: typeOf('Job'),
      description: 'Jobs of the organization. A key with a scope sees those of what it sees.',
      args: listArgs,
      resolve: pagesOf(jobFilter, findJobs, countJobs),
    },
    ...connectionOf('Job'),
  ),
  job: t.field({
    type: typeOf('Job'),
    nullable: true,
    description: 'One job.',
    args: { id: t.arg.id({ required: true, description: 'UUID of the job.' }) },
    resolve: (_, { id }, ctx, info) => getJob(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))

const relatedJobs = relatedPage('jobs', ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
  where: visible(ctx, (scope) => matchingJobs(scope, omitNulls(filter))),
  order: listOrder(orderBy),
}))
builder.prismaObjectField('Track', 'jobs', (t) =>
  t.connection(
    { type: typeOf('Job'), description: 'Work that was queued for it.', args: listArgs, ...relatedJobs },
    ...connectionOf('Job'),
  ),
)
builder.prismaObjectField('Batch', 'jobs', (t) =>
  t.connection(
    { type: typeOf('Job'), description: 'One for each track.', args: listArgs, ...relatedJobs },
    ...connectionOf('Job'),
  ),
)

const RetryJobPayload = builder.objectRef<{ jobId: string }>('RetryJobPayload').implement({
  description: 'Holds the job that does the work again.',
  fields: (t) => ({
    job: t.field({ description: 'The new job.', ...reloaded('Job', ({ jobId }) => jobId) }),
  }),
})
builder.mutationField('retryJob', (t) =>
  t.field({
    type: RetryJobPayload,
    description:
      'Does the work of a failed job again: one file, those that were to be made anew, or a cover. For a whole upload ' +
      'there is `rebuildTrack`.',
    args: { id: t.arg.id({ required: true, description: 'UUID of the failed job.' }) },
    resolve: async (_, { id }, ctx) => ({ jobId: await retryJob(ctx, id) }),
  }),
)
