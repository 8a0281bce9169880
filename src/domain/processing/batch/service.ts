import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Batch, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { enqueue } from '../../../platform/jobs/task.ts'
import { parse } from '../../../platform/schema/input.ts'
import { administratorScope, readScope, type Scope } from '../../access/viewer.ts'
import { collectionWhere } from '../../collection/service.ts'
import { lockCreator } from '../../creator/service.ts'
import { variantId } from '../../variant/record.ts'
import { lockVariants, organizationVariantWhere } from '../../variant/service.ts'
import { fillBatchJob } from '../job/tasks.ts'
import { cancelJobs } from './cancel.ts'
import { applyFilter, batchFilter, batchId } from './schema.ts'

/**
 * Begins to make the file of an organization-wide variant for existing tracks: all that lack it, or have it failed or
 * stale. The tracks stay as they are until it is their turn.
 * @param rawFilter collectionId, creatorId, isOnlyMissing
 * @throws AppError `not_found`, `invalid_input`
 */
export async function applyVariant(ctx: Context, id: string, rawFilter: unknown): Promise<Batch> {
  const scope = administratorScope(ctx)
  const where = { ...organizationVariantWhere(scope.organizationId), id: parse(variantId, { variantId: id }).variantId }
  return ctx.db.$transaction(async (tx) => {
    const [variant] = await lockVariants(tx, where)
    if (!variant) throw notFound('variantId')
    return startBatch(tx, scope, variant.id, rawFilter)
  })
}

/** Writes a batch whose jobs will be queued once the transaction has ended. */
export async function startBatch(tx: Transaction, scope: Scope, variant: string, rawFilter: unknown): Promise<Batch> {
  const filter = parse(applyFilter, rawFilter, 'filter')
  const { collectionId, creatorId } = filter
  if (collectionId) {
    const known = await tx.collection.findFirst({ where: { AND: [collectionWhere(scope), { id: collectionId }] } })
    if (!known) throw notFound('filter.collectionId')
  }
  if (creatorId) await lockCreator(tx, scope.organizationId, creatorId)
  const batch = await tx.batch.create({ data: { ...filter, organizationId: scope.organizationId, variantId: variant } })
  await enqueue(tx, fillBatchJob, { batchId: batch.id }, { jobKey: `fill_batch:${batch.id}` })
  return batch
}

/**
 * Ends a batch early: what waits is not made; what is being made is. Cancelling it again changes nothing.
 * @throws AppError `not_found`
 */
export async function cancelBatch(ctx: Context, id: string): Promise<{ id: string }> {
  const { organizationId } = administratorScope(ctx)
  const where = { id: parse(batchId, { batchId: id }).batchId, organizationId }
  const batch = await ctx.db.batch.findFirst({ where, select: { id: true } })
  if (!batch) throw notFound('batchId')
  await cancelJobs(ctx, batch.id)
  return batch
}

/** Batches are about the whole organization: a key with a scope sees none. */
function batchWhere(ctx: Context): Prisma.BatchWhereInput {
  const { organizationId, collectionId, creatorId } = readScope(ctx)
  if (!collectionId && !creatorId) return { organizationId }
  throw new AppError('forbidden', 'A key that is scoped to a collection or a creator may not see batches.')
}

function matchingBatches(ctx: Context, rawFilter: unknown): Prisma.BatchWhereInput {
  const scope = batchWhere(ctx)
  const { variantId, isFinished } = parse(batchFilter, rawFilter, 'filter')
  return { ...scope, variantId, ...(isFinished !== undefined && { finishedAt: isFinished ? { not: null } : null }) }
}

/** The batches that match. `query` says which part of the list, in which order, and what of each. */
export const findBatches = (ctx: Context, filter: unknown, query: Query<'Batch'>) =>
  ctx.reader.readMany('Batch', { ...query, where: matchingBatches(ctx, filter) }, ctx.signal)

export const countBatches = (ctx: Context, filter: unknown) =>
  ctx.reader.count('Batch', matchingBatches(ctx, filter), ctx.signal)

/** @throws AppError `not_found` */
export async function getBatch(ctx: Context, id: string, query: Query<'Batch'> = {}): Promise<Batch> {
  const where = { ...batchWhere(ctx), id: parse(batchId, { batchId: id }).batchId }
  const batch = await ctx.reader.readFirst('Batch', { ...query, where }, ctx.signal)
  if (!batch) throw notFound('batchId')
  return batch
}
