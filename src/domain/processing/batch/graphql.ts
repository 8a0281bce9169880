import {
  builder,
  connectionOf,
  enumValues,
  omitNulls,
  orderInput,
  pagesOf,
  reloaded,
  typeOf,
} from '../../../platform/graphql/builder.ts'
import { related } from '../../../platform/graphql/page.ts'
import { needsColumns, planOf } from '../../../platform/graphql/plan.ts'
import { type BatchState, type Counts, countsOf, progressOf, stateOf } from './counts.ts'
import { batchFilter } from './schema.ts'
import { applyVariant, cancelBatch, countBatches, findBatches, getBatch } from './service.ts'

const BatchStateEnum = builder.enumType('BatchState', {
  description: 'How far a batch is.',
  values: enumValues<BatchState>({
    queued: 'None of its jobs has begun.',
    running: 'Some of its jobs have begun.',
    done: 'All of its jobs have ended.',
    cancelled: 'Was ended early; what was being made then is still made.',
  }),
})

/** What the number of its jobs in each state is made of. */
const counted = needsColumns('id', 'finishedAt', 'cancelledAt', 'doneCount', 'failedCount', 'cancelledCount')

builder.prismaObject('Batch', {
  description: 'One variant being applied to existing tracks: one job a track, behind all uploads.',
  fields: (t) => {
    const count = (state: keyof Counts, description: string) =>
      t.int({ description, ...counted, resolve: async (batch, _, ctx) => (await countsOf(ctx, batch))[state] })
    return {
      id: t.exposeID('id', { description: 'UUID.' }),
      variantId: t.exposeID('variantId', { description: 'The variant that is applied.' }),
      variant: t.field({
        type: typeOf('Variant'),
        nullable: true,
        description: 'The variant that is applied; null once it is deleted.',
        ...related('variant', () => ({ where: { deletedAt: null } })),
      }),
      collectionId: t.exposeID('collectionId', {
        nullable: true,
        description: 'To the tracks of this collection alone.',
      }),
      creatorId: t.exposeID('creatorId', { nullable: true, description: 'To the tracks of this creator alone.' }),
      isOnlyMissing: t.exposeBoolean('isOnlyMissing', { description: 'Leaves alone what is stale or failed.' }),
      isFilled: t.boolean({
        description: 'Whether all of its jobs are known; before, total still grows.',
        ...needsColumns('filledAt'),
        resolve: ({ filledAt }) => filledAt !== null,
      }),
      total: t.exposeInt('total', { description: 'How many jobs it has.' }),
      queued: count('queued', 'Jobs that wait.'),
      running: count('running', 'Jobs that have begun.'),
      done: count('done', 'Jobs that were carried out.'),
      failed: count('failed', 'Jobs that failed.'),
      cancelled: count('cancelled', 'Jobs that ended before they began.'),
      progressPercent: t.int({
        description: 'Share of the jobs that have ended; 100 exactly when all have.',
        ...counted,
        resolve: async (batch, _, ctx) => progressOf(batch, await countsOf(ctx, batch)),
      }),
      state: t.field({
        type: BatchStateEnum,
        description: 'How far it is.',
        ...counted,
        resolve: async (batch, _, ctx) => stateOf(batch, await countsOf(ctx, batch)),
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was begun.' }),
      cancelledAt: t.expose('cancelledAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it was ended early.',
      }),
      finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When its last job ended.' }),
    }
  },
})

const BatchFilter = builder.inputType('BatchFilter', {
  description: 'What narrows a list of batches; all of it must hold.',
  fields: (t) => ({
    variantId: t.id({ description: 'Of this variant.' }),
    isFinished: t.boolean({ description: 'Those that have ended, or those that have not.' }),
  }),
})
const BatchOrder = orderInput('Batch', { createdAt: 'When it was begun.', total: 'How many jobs it has.' })

const id = { required: true, description: 'UUID of the batch.' } as const
builder.queryFields((t) => ({
  batches: t.connection(
    {
      type: typeOf('Batch'),
      description: 'Batches of the organization. Not for keys with a scope.',
      args: {
        filter: t.arg({ type: BatchFilter, description: 'What narrows the list.' }),
        orderBy: t.arg({ type: BatchOrder, description: 'The newest first unless told.' }),
      },
      resolve: pagesOf(batchFilter, findBatches, countBatches),
    },
    ...connectionOf('Batch'),
  ),
  batch: t.field({
    type: typeOf('Batch'),
    nullable: true,
    description: 'One batch. Not for keys with a scope.',
    args: { id: t.arg.id(id) },
    resolve: (_, { id }, ctx, info) => getBatch(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))

const ApplyVariantFilter = builder.inputType('ApplyVariantFilter', {
  description: 'Which tracks a variant is applied to; all of it must hold.',
  fields: (t) => ({
    collectionId: t.id({ description: 'In this collection.' }),
    creatorId: t.id({ description: 'Of this creator.' }),
    isOnlyMissing: t.boolean({ description: 'Only where there is no file yet; stale and failed ones are left alone.' }),
  }),
})

const batchField = { description: 'The batch as it is now.', ...reloaded('Batch', ({ batch }: Written) => batch.id) }
interface Written {
  batch: { id: string }
}
const ApplyVariantPayload = builder.objectRef<Written>('ApplyVariantPayload').implement({
  description: 'Holds the batch that was begun.',
  fields: (t) => ({ batch: t.field(batchField) }),
})
const CancelBatchPayload = builder.objectRef<Written>('CancelBatchPayload').implement({
  description: 'Holds the batch that was cancelled.',
  fields: (t) => ({ batch: t.field(batchField) }),
})

builder.mutationFields((t) => ({
  applyVariant: t.field({
    type: ApplyVariantPayload,
    description:
      'Makes the file of an organization-wide variant for every processed track that lacks it, or has it failed or ' +
      'stale. Tracks stay ready, and their files deliverable, until it is their turn; a file is replaced only by a ' +
      'good one. Applying again adds nothing twice. Administrators only.',
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the variant.' }),
      filter: t.arg({ type: ApplyVariantFilter, description: 'All tracks of the organization unless told.' }),
    },
    resolve: async (_, { id, filter }, ctx) => ({ batch: await applyVariant(ctx, id, omitNulls(filter)) }),
  }),
  cancelBatch: t.field({
    type: CancelBatchPayload,
    description: 'Ends a batch early: what waits is not made, what is being made is. Administrators only.',
    args: { id: t.arg.id(id) },
    resolve: async (_, { id }, ctx) => ({ batch: await cancelBatch(ctx, id) }),
  }),
}))
