import { z } from 'zod'
import type { Transaction } from '../../platform/db/client.ts'
import type { TaskDefinition } from '../../platform/jobs/task.ts'

const payload = z.object({ collectionId: z.string() })

/** Deletes the tracks of a deleted collection that its deletion left. */
export const deleteTracks: TaskDefinition<z.infer<typeof payload>> = {
  name: 'delete_tracks',
  payload,
  maxAttempts: 25,
}

/** Most tracks that one transaction deletes or restores. A track takes about 40 µs: triggers stamp and publish the change. */
export const TRACK_CHUNK = 5000

/**
 * Locks a collection, so that it is neither deleted nor restored while a chunk of its tracks is, and no track is added.
 * @returns the time of its deletion, and that of the deletion that is being undone
 */
export async function lockCollection(tx: Transaction, id: string) {
  const [collection] = await tx.$queryRaw<{ deletedAt: Date | null; restoringFrom: Date | null }[]>`
    SELECT deleted_at AS "deletedAt", restoring_from AS "restoringFrom" FROM collection WHERE id = ${id}::uuid
    FOR NO KEY UPDATE`
  return collection ?? { deletedAt: null, restoringFrom: null }
}

/**
 * Deletes tracks of a deleted collection, at the time of its deletion. Locks them in the order of their ids, as every
 * transaction that locks several tracks.
 * @returns whether there may be more; false for a collection that was restored
 */
export async function deleteSomeTracks(tx: Transaction, collectionId: string): Promise<boolean> {
  const { deletedAt } = await lockCollection(tx, collectionId)
  if (!deletedAt) return false
  const deleted = await tx.$executeRaw`
    WITH chunk AS (
      SELECT id FROM track WHERE collection_id = ${collectionId}::uuid AND deleted_at IS NULL
      ORDER BY id LIMIT ${TRACK_CHUNK} FOR NO KEY UPDATE
    )
    UPDATE track SET deleted_at = ${deletedAt}::timestamptz, updated_at = ${deletedAt}::timestamptz
    WHERE id IN (SELECT id FROM chunk)`
  return deleted === TRACK_CHUNK
}
