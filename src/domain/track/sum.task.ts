import type { Pool } from 'pg'
import { periodic, task } from '../../platform/jobs/task.ts'

/** Maximum number of rows that choose the groups of one statement. */
const CHUNK = 10_000

/** Folds the rows that triggers have added to `track_sum`. */
export const foldTrackSumsTask = task(
  periodic('fold_track_sums'),
  ({ pool }, _, { signal }) => foldTrackSums(pool, signal),
  '* * * * *',
)

/**
 * Replaces the rows of each collection and creator with one row of their sums. Readers and concurrent calls see each row
 * either before or after it: one statement deletes and inserts.
 */
export async function foldTrackSums(pool: Pool, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const { rowCount } = await pool.query(FOLD, [CHUNK])
    if (!rowCount) return
  }
}

const FOLD = `
  WITH chosen AS (
    SELECT DISTINCT organization_id, collection_id, creator_id
    FROM (SELECT * FROM track_sum WHERE NOT is_folded ORDER BY id LIMIT $1) oldest
  ), folded AS (
    DELETE FROM track_sum s USING chosen c
    WHERE s.organization_id = c.organization_id AND s.collection_id = c.collection_id
      AND s.creator_id IS NOT DISTINCT FROM c.creator_id
    RETURNING s.*
  ), inserted AS (
    INSERT INTO track_sum (organization_id, collection_id, creator_id, tracks, source_bytes, file_bytes, is_folded)
    SELECT organization_id, collection_id, creator_id, sum(tracks), sum(source_bytes), sum(file_bytes), true
    FROM folded GROUP BY 1, 2, 3 HAVING (sum(tracks), sum(source_bytes), sum(file_bytes)) <> (0, 0, 0)
  )
  SELECT FROM folded LIMIT 1`
