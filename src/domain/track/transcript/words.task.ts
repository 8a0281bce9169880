import type { Pool } from 'pg'
import { periodic, task } from '../../../platform/jobs/task.ts'

/** Transcripts of one organization in a turn. */
const TURN = 20

/**
 * Reads the words of transcripts that wait for it: long ones (decision 0086), and those from before there was a search. One at a
 * time, in turns of organizations.
 */
export const readTranscriptWordsTask = task(
  periodic('read_transcript_words'),
  async ({ pool }, _, { signal }) => {
    for (;;) {
      const ids = await listWaiting(pool)
      for (const id of ids) {
        signal.throwIfAborted()
        await pool.query(READ, [id])
      }
      if (ids.length === 0) return
    }
  },
  '* * * * *',
)

/** IDs of tracks whose transcripts are read next: the first of each organization, then the second, up to a turn of each. */
export async function listWaiting(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(WAITING, [TURN])
  return rows.map(({ id }) => id)
}

const WAITING = `
  SELECT id FROM (
    SELECT t.id, row_number() OVER (PARTITION BY t.organization_id ORDER BY t.id) AS place
    FROM transcript_words w JOIN track t ON t.id = w.track_id WHERE w.words IS NULL
  ) waiting WHERE place <= $1 ORDER BY place`

// A transcript that is changed at the same time has its words, or waits again.
const READ = `
  UPDATE transcript_words w SET words = transcript_words(t) FROM track t
  WHERE t.id = w.track_id AND w.track_id = $1 AND w.words IS NULL`
