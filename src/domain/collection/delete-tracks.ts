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

/** Most tracks that one transaction deletes. A track takes about 40 µs: triggers stamp and publish the change. */
const CHUNK = 5000

/**
 * Deletes tracks of a deleted collection, at the time of its deletion. Locks them in the order of their ids, as every
 * transaction that locks several tracks.
 * @returns whether there may be more
 */
export async function deleteSomeTracks(tx: Transaction, collectionId: string): Promise<boolean> {
  const deleted = await tx.$executeRaw`
    WITH chunk AS (
      SELECT id FROM track WHERE collection_id = ${collectionId}::uuid AND deleted_at IS NULL
      ORDER BY id LIMIT ${CHUNK} FOR NO KEY UPDATE
    )
    UPDATE track SET deleted_at = collection.deleted_at, updated_at = collection.deleted_at
    FROM collection WHERE track.id IN (SELECT id FROM chunk) AND collection.id = track.collection_id`
  return deleted === CHUNK
}
