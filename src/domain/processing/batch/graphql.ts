import { builder, enumValues, findType } from '../../../platform/graphql/builder.ts'
import { idArgument } from '../../../platform/graphql/input.ts'
import { defineList, defineRecordQuery, parseFilter } from '../../../platform/graphql/list.ts'
import { Node } from '../../../platform/graphql/node.ts'
import { related } from '../../../platform/graphql/page.ts'
import { definePayload } from '../../../platform/graphql/payload.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { expose, filterFields } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { administratorScope, permitted } from '../../access/viewer.ts'
import { type BatchState, computeProgress, type JobCounts, readCounts, toBatchState } from './counts.ts'
import { applyFilter, applyFilters, batchDescription, batchFields, batchFilter, batchFilters } from './record.ts'
import { applyVariant, cancelBatch, countBatches, findBatches, getBatch, readableBatches } from './service.ts'

const BatchStateEnum = builder.enumType('BatchState', {
  description: 'State of a batch.',
  values: enumValues<BatchState>({
    queued: 'No job has started.',
    running: 'At least one job has started.',
    done: 'All jobs have ended.',
    cancelled: 'Was cancelled. Jobs that were running then continue.',
  }),
})

/** Columns that the number of jobs in each state depends on. */
const counted = needsColumns('id', 'finishedAt', 'cancelledAt', 'doneCount', 'failedCount', 'cancelledCount')

builder.prismaObject('Batch', {
  interfaces: [Node],
  description: batchDescription,
  fields: (t) => {
    const count = (state: keyof JobCounts, description: string) =>
      t.int({ description, ...counted, resolve: async (batch, _, ctx) => (await readCounts(ctx, batch))[state] })
    return {
      ...expose(t, batchFields),
      variant: t.field({
        type: findType('Variant'),
        nullable: true,
        description: 'The variant that is applied. Null for a deleted variant.',
        ...related('variant', () => ({ where: { deletedAt: null } })),
      }),
      isFilled: t.boolean({
        description: 'Whether all jobs are created. While false, `total` grows.',
        ...needsColumns('filledAt'),
        resolve: ({ filledAt }) => filledAt !== null,
      }),
      total: t.exposeInt('total', { description: 'Number of jobs.' }),
      queued: count('queued', 'Number of queued jobs.'),
      running: count('running', 'Number of running jobs.'),
      done: count('done', 'Number of jobs that succeeded.'),
      failed: count('failed', 'Number of jobs that failed.'),
      cancelled: count('cancelled', 'Number of jobs that were cancelled.'),
      progressPercent: t.int({
        description: 'Percentage of jobs that have ended. 0 to 100. 100 only when all have ended.',
        ...counted,
        resolve: async (batch, _, ctx) => computeProgress(batch, await readCounts(ctx, batch)),
      }),
      state: t.field({
        type: BatchStateEnum,
        description: 'State of the batch.',
        ...counted,
        resolve: async (batch, _, ctx) => toBatchState(batch, await readCounts(ctx, batch)),
      }),
    }
  },
})

defineRecordQuery('batch', 'Batch', {
  description: 'Returns a batch. Not for scoped keys.',
  permit: readableBatches,
  find: getBatch,
})
defineList({
  model: 'Batch',
  records: 'batches',
  filters: batchFilters,
  filter: batchFilter,
  orderBy: { createdAt: 'Time of creation.', total: 'Number of jobs.' },
}).query({
  description: 'Lists the batches of the organization. Not for scoped keys.',
  permit: readableBatches,
  find: findBatches,
  count: countBatches,
})

const ApplyVariantFilter = builder.inputType('ApplyVariantFilter', {
  description: 'Tracks that a variant is applied to. All given conditions must hold.',
  fields: (t) => filterFields(t, applyFilters),
})

builder.mutationFields((t) => ({
  applyVariant: t.field({
    type: definePayload('ApplyVariant', 'batch', 'Batch', { description: 'The batch that was started.' }),
    description:
      'Makes the file of an organization-wide variant for every processed track where it is missing, failed or stale. ' +
      'Tracks stay ready and their files deliverable until their job starts. A finished file is replaced only by a ' +
      'finished one. A file that is queued already is not queued twice. Administrators only.',
    args: {
      id: idArgument('variant'),
      filter: t.arg({ type: ApplyVariantFilter, description: 'Defaults to all tracks of the organization.' }),
    },
    resolve: permitted(administratorScope, (_, { id, filter }, ctx) =>
      applyVariant(ctx, parseId('variantId', id), parseFilter(applyFilter, filter)),
    ),
  }),
  cancelBatch: t.field({
    type: definePayload('CancelBatch', 'batch', 'Batch', { description: 'The batch that was cancelled.' }),
    description: 'Cancels the queued jobs of a batch. Running jobs continue. Administrators only.',
    args: { id: idArgument('batch') },
    resolve: permitted(administratorScope, (_, { id }, ctx) => cancelBatch(ctx, parseId('batchId', id))),
  }),
}))
