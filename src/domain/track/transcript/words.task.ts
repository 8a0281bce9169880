import { periodic, task } from '../../../platform/jobs/task.ts'

/** Transcripts of one organization that are read before those of others have their turn. */
const TURN = 20

/**
 * Reads the words of transcripts that wait for it: long ones (decision 0086), and those from before there was a search. One at a
 * time, in turns of organizations.
 */
export const readTranscriptWordsTask = task(
  periodic('read_transcript_words'),
  async ({ pool }, _, { signal }) => {
    for (;;) {
      const { rows } = await pool.query<{ id: string }>(WAITING, [TURN])
      for (const { id } of rows) {
        signal.throwIfAborted()
        await pool.query(READ, [id])
      }
      if (rows.length === 0) return
    }
  },
  '* * * * *',
)

const WAITING = `
  SELECT id FROM (
    SELECT t.id, row_number() OVER (PARTITION BY t.organization_id ORDER BY t.id) AS place
    FROM transcript_words w JOIN track t ON t.id = w.track_id WHERE w.words IS NULL
  ) waiting WHERE place <= $1 ORDER BY place`

// A transcript that is changed at the same time has its words, or waits again.
const READ = `
  UPDATE transcript_words w SET words = transcript_words(t) FROM track t
  WHERE t.id = w.track_id AND w.track_id = $1 AND w.words IS NULL`
