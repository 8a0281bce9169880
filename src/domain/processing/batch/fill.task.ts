import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Batch } from '../../../platform/db/generated/client/client.ts'
import { enqueueMany, task } from '../../../platform/jobs/task.ts'
import { lockVariants } from '../../variant/service.ts'
import { settleBatch } from '../job/end.ts'
import { slotFlag } from '../queue/slots.ts'
import { applyVariantJob, fillBatchJob, MAX_TURN } from '../queue/tasks.ts'
import { cancelJobs } from './cancel.ts'

/** Number of tracks per transaction. */
const CHUNK = 5000

/** Queues the jobs of a batch in chunks, newest track first. A task that dies is continued after its last chunk. */
export const fillBatchTask = task(fillBatchJob, async (services, { batchId }, { signal }) => {
  while (await fillSome(services, batchId)) signal.throwIfAborted()
})

/** @returns whether there may be more tracks */
async function fillSome(services: Services, batchId: string): Promise<boolean> {
  const { variantId } = await services.db.batch.findUniqueOrThrow({ where: { id: batchId } })
  const progress = await services.db.$transaction(async (tx) => {
    // Every transaction locks the variant before the batch.
    const [variant] = await lockVariants(tx, { id: variantId })
    if (!variant) return 'deleted'
    await tx.$queryRaw`SELECT id FROM batch WHERE id = ${batchId}::uuid FOR UPDATE`
    const batch = await tx.batch.findUniqueOrThrow({ where: { id: batchId } })
    if (batch.filledAt) return 'filled'
    const { cursor, ids } = await queueChunk(tx, batch)
    const filledAt = cursor === null ? services.clock() : null
    await tx.batch.update({
      where: { id: batchId },
      data: { filledAt, cursor: cursor ?? batch.cursor, total: { increment: ids.length } },
    })
    if (filledAt) await settleBatch(tx, batchId, filledAt)
    return filledAt ? 'filled' : 'more'
  })
  if (progress === 'deleted') await cancelJobs(services, batchId)
  return progress === 'more'
}

interface Chunk {
  /** The last track of the chunk. Null after the last chunk. */
  cursor: string | null
  /** IDs of the queued jobs. */
  ids: string[]
}

/**
 * Queues jobs for the next tracks that need the file. That includes tracks in processing, because their files may have
 * been planned before the variant was created; their jobs wait. Leaves out tracks with a queued job for the file, or with
 * a running one that started after the latest change of the variant.
 */
async function queueChunk(tx: Transaction, batch: Batch): Promise<Chunk> {
  const newIds = Array.from({ length: CHUNK }, () => Bun.randomUUIDv7())
  const { id, organizationId, variantId, collectionId, creatorId, cursor, isOnlyMissing } = batch
  const rows = await tx.$queryRaw<{ cursor: string | null; ids: string[] | null }[]>`
    WITH page AS MATERIALIZED (
      SELECT t.id, t.created_at FROM track t
      WHERE t.organization_id = ${organizationId}::uuid AND t.deleted_at IS NULL AND t.replaces_id IS NULL
        AND t.upload_completed_at IS NOT NULL AND t.status NOT IN ('error', 'init_error')
        AND (${collectionId}::uuid IS NULL OR t.collection_id = ${collectionId}::uuid)
        AND (${creatorId}::uuid IS NULL OR t.creator_id = ${creatorId}::uuid)
        AND (t.created_at, t.id) < (
          coalesce((SELECT k.created_at FROM track k WHERE k.id = ${cursor}::uuid), 'infinity'),
          coalesce(${cursor}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      ORDER BY t.created_at DESC, t.id DESC LIMIT ${CHUNK}::int
    ), running AS MATERIALIZED (
      SELECT j.track_id FROM job j JOIN variant v ON v.id = j.variant_id
      WHERE j.variant_id = ${variantId}::uuid AND j.state = 'running' AND j.started_at > v.updated_at
    ), needed AS (
      SELECT p.id, row_number() OVER (ORDER BY p.created_at DESC, p.id DESC) AS place
      FROM page p JOIN track t ON t.id = p.id JOIN variant v ON v.id = ${variantId}::uuid
      LEFT JOIN track_file f ON f.track_id = p.id AND f.variant_id = v.id
      WHERE (f.id IS NULL OR (NOT ${isOnlyMissing}::boolean AND (f.state = 'failed' OR is_stale(f, v, t))))
        AND p.id NOT IN (SELECT track_id FROM running WHERE track_id IS NOT NULL)
    ), added AS (
      INSERT INTO job (id, organization_id, kind, track_id, variant_id, batch_id)
      SELECT (${newIds}::uuid[])[place], ${organizationId}::uuid, 'process_variant', id, ${variantId}::uuid, ${id}::uuid
      FROM needed ORDER BY place
      ON CONFLICT DO NOTHING RETURNING id
    )
    SELECT CASE WHEN (SELECT count(*) FROM page) = ${CHUNK}::int
        THEN (SELECT p.id FROM page p ORDER BY p.created_at, p.id LIMIT 1) END AS cursor,
      (SELECT array_agg(id) FROM added) AS ids`
  const ids = rows[0]?.ids ?? []
  const computeTurn = (place: number) => Math.min(batch.total + place, MAX_TURN)
  if (ids.length > 0) {
    const jobs = ids.map((jobId, place) => ({ jobKey: jobId, payload: { jobId }, turn: computeTurn(place) }))
    await enqueueMany(tx, applyVariantJob, jobs, [slotFlag(organizationId)])
  }
  return { cursor: rows[0]?.cursor ?? null, ids }
}
