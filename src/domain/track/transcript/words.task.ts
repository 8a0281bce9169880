import type { Pool } from 'pg'
import { periodic, task } from '../../../platform/jobs/task.ts'

/** Transcripts of one organization in a turn. */
const TURN = 20

/** Failures after which a run ends: the database is at fault, not a transcript. */
const MAX_FAILURES = 20

/**
 * Reads the words of transcripts that wait for it: long ones (decision 0086), and those from before there was a search. One at a
 * time, in turns of organizations. One that fails is left to the next run, and the others do not wait for it.
 */
export const readTranscriptWordsTask = task(
  periodic('read_transcript_words'),
  async ({ pool, log }, _, { signal }) => {
    const failedIds: string[] = []
    for (;;) {
      const ids = await listWaiting(pool, failedIds)
      for (const id of ids) {
        signal.throwIfAborted()
        await readWords(pool, id).catch((error) => {
          if (failedIds.push(id) >= MAX_FAILURES) throw error
          log.error({ err: error, trackId: id }, 'the words of a transcript could not be read')
        })
      }
      if (ids.length === 0) return
    }
  },
  '* * * * *',
)

/**
 * IDs of tracks whose transcriptions or translations are read next: the first of each organization, then the second, up to a turn of each.
 * @param failedIds are left out
 */
export async function listWaiting(pool: Pool, failedIds: readonly string[] = []): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(WAITING, [TURN, failedIds])
  return rows.map(({ id }) => id)
}

const WAITING = `
  SELECT id FROM (
    SELECT t.id, row_number() OVER (PARTITION BY t.organization_id ORDER BY t.id) AS place
    FROM (
      SELECT track_id FROM transcript_words WHERE words IS NULL
      UNION SELECT track_id FROM translation WHERE words IS NULL
    ) w JOIN track t ON t.id = w.track_id WHERE w.track_id <> ALL($2::uuid[])
  ) waiting WHERE place <= $1 ORDER BY place`

// A transcript that is changed at the same time has its words, or waits again.
const READ = `
  UPDATE transcript_words w SET words = transcript_words(t) FROM track t
  WHERE t.id = w.track_id AND w.track_id = $1 AND w.words IS NULL`
const READ_TRANSLATION = `
  UPDATE translation t SET words = translation_words(t)
  WHERE t.id = (SELECT id FROM translation WHERE track_id = $1 AND words IS NULL LIMIT 1) AND t.words IS NULL`

/** Reads the words of a transcription and of one translation. A track with more waits again. */
async function readWords(pool: Pool, trackId: string): Promise<void> {
  await pool.query(READ, [trackId])
  await pool.query(READ_TRANSLATION, [trackId])
}
