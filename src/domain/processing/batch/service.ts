import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Batch, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { enqueue } from '../../../platform/jobs/task.ts'
import { administratorScope, readScope, type Scope } from '../../access/viewer.ts'
import { collectionWhere } from '../../collection/service.ts'
import { lockCreator } from '../../creator/service.ts'
import { lockVariants, organizationVariantWhere } from '../../variant/service.ts'
import { fillBatchJob } from '../queue/tasks.ts'
import { cancelJobs } from './cancel.ts'
import type { ApplyFilter, BatchFilter } from './record.ts'

/**
 * Starts a batch that makes the file of an organization-wide variant for existing tracks: where it is missing, failed
 * or stale. A track stays as it is until its job starts.
 * @throws AppError `not_found`
 */
export async function applyVariant(ctx: Context, id: string, filter: ApplyFilter): Promise<Batch> {
  const scope = administratorScope(ctx)
  const where = { ...organizationVariantWhere(scope.organizationId), id }
  return ctx.db.$transaction(async (tx) => {
    const [variant] = await lockVariants(tx, where)
    if (!variant) throw notFound('variantId')
    return startBatch(tx, scope, variant.id, filter)
  })
}

/** Writes a batch. A task queues its jobs after the transaction. */
export async function startBatch(
  tx: Transaction,
  scope: Scope,
  variantId: string,
  filter: ApplyFilter,
): Promise<Batch> {
  const { collectionId, creatorId } = filter
  if (collectionId) {
    const collection = await tx.collection.findFirst({ where: { AND: [collectionWhere(scope), { id: collectionId }] } })
    if (!collection) throw notFound('filter.collectionId')
  }
  if (creatorId) await lockCreator(tx, scope.organizationId, creatorId)
  const batch = await tx.batch.create({ data: { ...filter, organizationId: scope.organizationId, variantId } })
  await enqueue(tx, fillBatchJob, { batchId: batch.id }, { jobKey: `fill_batch:${batch.id}` })
  return batch
}

/**
 * Cancels the queued jobs of a batch. Running jobs continue. Idempotent.
 * @throws AppError `not_found`
 */
export async function cancelBatch(ctx: Context, id: string): Promise<{ id: string }> {
  const { organizationId } = administratorScope(ctx)
  const batch = await ctx.db.batch.findFirst({ where: { id, organizationId }, select: { id: true } })
  if (!batch) throw notFound('batchId')
  await cancelJobs(ctx, batch.id)
  return batch
}

/** @throws AppError `forbidden` for a scoped key: batches belong to the whole organization */
export function readableBatches(ctx: Context): Prisma.BatchWhereInput {
  const { organizationId, collectionId, creatorId } = readScope(ctx)
  if (!collectionId && !creatorId) return { organizationId }
  throw new AppError('forbidden', 'A key that is scoped to a collection or a creator may not see batches.')
}

function matchingBatches(ctx: Context, { variantId, isFinished }: BatchFilter): Prisma.BatchWhereInput {
  return {
    ...readableBatches(ctx),
    variantId,
    ...(isFinished !== undefined && { finishedAt: isFinished ? { not: null } : null }),
  }
}

/** @param query the part of the list, its order and the columns to read */
export const findBatches = (ctx: Context, filter: BatchFilter, query: Query<'Batch'>) =>
  ctx.lists.readMany('Batch', { ...query, where: matchingBatches(ctx, filter) }, ctx.signal)

export const countBatches = (ctx: Context, filter: BatchFilter) =>
  ctx.lists.count('Batch', matchingBatches(ctx, filter), ctx.signal)

/** @throws AppError `not_found` */
export async function getBatch(ctx: Context, id: string, query: Query<'Batch'> = {}): Promise<Batch> {
  const where = { ...readableBatches(ctx), id }
  const batch = await ctx.reader.readFirst('Batch', { ...query, where }, ctx.signal)
  if (!batch) throw notFound('batchId')
  return batch
}
