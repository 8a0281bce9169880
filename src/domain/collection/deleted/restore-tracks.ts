import { z } from 'zod'
import type { Transaction } from '../../../platform/db/client.ts'
import { enqueue, type TaskDefinition } from '../../../platform/jobs/task.ts'
import { lockUndeletedCreators } from '../../creator/service.ts'
import { lockCollection, TRACK_CHUNK } from '../delete-tracks.ts'

const collection = z.object({ collectionId: z.string() })

/** Restores the tracks of a restored collection that its restoration left. */
export const restoreTracks: TaskDefinition<z.infer<typeof collection>> = {
  name: 'restore_tracks',
  payload: collection,
  maxAttempts: 25,
}

const tracks = z.object({ trackIds: z.array(z.string()) })

/** Queues the work on restored tracks that their deletion interrupted. */
export const resumeTracks: TaskDefinition<z.infer<typeof tracks>> = {
  name: 'resume_tracks',
  payload: tracks,
  maxAttempts: 25,
}

/** @param trackIds at most one chunk */
export async function queueResumption(tx: Transaction, trackIds: readonly string[]): Promise<void> {
  if (trackIds.length === 0) return
  await enqueue(tx, resumeTracks, { trackIds: [...trackIds] }, { jobKey: `resume_tracks:${Bun.randomUUIDv7()}` })
}

/**
 * Restores tracks that were deleted with their collection. A collection that was deleted again takes them along: they
 * are deleted at that time. Creators that were deleted since own no tracks any more.
 * @returns whether there may be more
 */
export async function restoreSomeTracks(tx: Transaction, collectionId: string, now: Date): Promise<boolean> {
  const { deletedAt, restoringFrom } = await lockCollection(tx, collectionId)
  if (!restoringFrom) return false
  const end = () => tx.collection.update({ where: { id: collectionId }, data: { restoringFrom: null } })
  if (deletedAt?.getTime() === restoringFrom.getTime()) {
    await end()
    return false
  }
  const chunk = await tx.$queryRaw<{ id: string; creatorId: string | null }[]>`
    SELECT id, creator_id AS "creatorId" FROM track
    WHERE collection_id = ${collectionId}::uuid AND deleted_at = ${restoringFrom}::timestamptz AND purged_at IS NULL
      AND (replaces_id IS NULL OR (replaced_at IS NULL AND status NOT IN ('error', 'init_error')))
    ORDER BY id LIMIT ${TRACK_CHUNK} FOR NO KEY UPDATE`
  const creators = await lockUndeletedCreators(tx, [...new Set(chunk.flatMap(({ creatorId }) => creatorId ?? []))])
  const restored = await tx.$queryRaw<{ id: string }[]>`
    UPDATE track SET deleted_at = ${deletedAt}::timestamptz, updated_at = ${now}::timestamptz,
      creator_id = CASE WHEN creator_id = ANY(${creators}::uuid[]) THEN creator_id END
    WHERE id = ANY(${chunk.map(({ id }) => id)}::uuid[])
    RETURNING id`
  const restoredIds = restored.map(({ id }) => id)
  if (!deletedAt) await queueResumption(tx, restoredIds)
  if (restored.length === TRACK_CHUNK) return true
  await end()
  return false
}
