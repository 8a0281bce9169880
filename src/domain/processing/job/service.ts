import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Job, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import { readScope, type Scope, writeScope } from '../../access/viewer.ts'
import { collectionWhere } from '../../collection/service.ts'
import { trackWhere } from '../../track/service.ts'
import { queueCoverProcessing, queueVariantAgain } from '../queue/queue.ts'
import { rebuildAgain } from '../rebuild/service.ts'
import type { JobFilter } from './record.ts'

/** Jobs of the tracks and collections within a scope. A whole organization includes those of deleted tracks. */
function jobWhere(scope: Scope): Prisma.JobWhereInput {
  const { organizationId, collectionId, creatorId } = scope
  if (!collectionId && !creatorId) return { organizationId }
  return { organizationId, OR: [{ track: { is: trackWhere(scope) } }, { collection: { is: collectionWhere(scope) } }] }
}

/** Jobs within a scope that match a filter. */
export function matchingJobs(scope: Scope, { state, kind, collectionId, ...filter }: JobFilter): Prisma.JobWhereInput {
  return {
    AND: [
      jobWhere(scope),
      { ...filter, state: state && { in: state }, kind: kind && { in: kind } },
      collectionId ? { OR: [{ collectionId }, { track: { is: { collectionId } } }] } : {},
    ],
  }
}

/** @param query the part of the list, its order and the columns to read */
export const findJobs = (ctx: Context, filter: JobFilter, query: Query<'Job'>) =>
  ctx.lists.readMany('Job', { ...query, where: matchingJobs(readScope(ctx), filter) }, ctx.signal)

export const countJobs = (ctx: Context, filter: JobFilter) =>
  ctx.lists.count('Job', matchingJobs(readScope(ctx), filter), ctx.signal)

/** @throws AppError `not_found` */
export async function getJob(ctx: Context, id: string, query: Query<'Job'> = {}): Promise<Job> {
  const where = { AND: [jobWhere(readScope(ctx)), { id }] }
  const job = await ctx.reader.readFirst('Job', { ...query, where }, ctx.signal)
  if (!job) throw notFound('jobId')
  return job
}

/**
 * Repeats the work of a failed job as a new job, unless a job for the same file is queued already.
 * @returns ID of the new or queued job
 * @throws AppError `not_found`; `invalid_input` for a job that did not fail, or that processed a whole upload
 */
export async function retryJob(ctx: Context, id: string): Promise<string> {
  const scope = writeScope(ctx)
  const where = { AND: [jobWhere(scope), { id }] }
  return ctx.db.$transaction(async (tx) => {
    const job = await tx.job.findFirst({ where })
    if (!job) throw notFound('jobId')
    if (job.state !== 'failed') throw invalidInput('jobId', 'must be the ID of a failed job')
    return queueAgain(ctx, tx, scope, job)
  })
}

async function queueAgain(ctx: Context, tx: Transaction, scope: Scope, job: Job) {
  const { organizationId, kind, trackId, collectionId, variantId, variantIds } = job
  const undeleted = { deletedAt: null }
  if (kind === 'process_organization_cover') return queueCoverProcessing(tx, organizationId, {})
  const track = trackId && (await tx.track.findFirst({ where: { id: trackId, ...undeleted } }))
  const collection = collectionId && (await tx.collection.findFirst({ where: { id: collectionId, ...undeleted } }))
  if (!track && !collection) throw notFound('jobId')
  if (kind === 'process_track_cover' && trackId) return queueCoverProcessing(tx, organizationId, { trackId })
  if (kind === 'process_collection_cover' && collectionId) {
    return queueCoverProcessing(tx, organizationId, { collectionId })
  }
  if (kind === 'rebuild_track' && trackId) return rebuildAgain(ctx, tx, scope, trackId, variantIds)
  const variant = variantId && (await tx.variant.findFirst({ where: { id: variantId, ...undeleted } }))
  if (kind !== 'process_variant' || !track || !variant) {
    throw invalidInput('jobId', 'must be the ID of a job that can be repeated; rebuild the track instead')
  }
  if (track.status === 'error' || track.status === 'init_error') {
    throw new AppError('no_source_file', 'The track has no usable recording.')
  }
  return queueVariantAgain(tx, organizationId, track.id, variant.id)
}
