import type { Pool } from 'pg'
import { periodic, task } from '../../platform/jobs/task.ts'

/** Rows that one statement fills and locks. */
const CHUNK = 1000

/** Fills `search_text` of collections and tracks of the release before, which had no trigger. */
export const fillSearchTextsTask = task(
  periodic('fill_search_texts'),
  ({ pool }, _, { signal }) => fillSearchTexts(pool, signal),
  '* * * * *',
)

/** A row that is locked by another transaction is filled by the next call. */
export async function fillSearchTexts(pool: Pool, signal?: AbortSignal): Promise<void> {
  for (const statement of [FILL_COLLECTIONS, FILL_TRACKS]) {
    for (let rowCount: number | null = CHUNK; rowCount; ) {
      signal?.throwIfAborted()
      ;({ rowCount } = await pool.query(statement, [CHUNK]))
    }
  }
}

const FILL_COLLECTIONS = `
  UPDATE collection c SET search_text = collection_search_text(c) FROM (
    SELECT id FROM collection WHERE search_text IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
  ) unfilled WHERE c.id = unfilled.id`
const FILL_TRACKS = `
  UPDATE track t SET search_text = track_search_text(t) FROM (
    SELECT id FROM track WHERE search_text IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
  ) unfilled WHERE t.id = unfilled.id`
