import { locks } from '../../platform/db/locks.ts'
import { inBatches } from '../../platform/jobs/batches.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { monthsAgo } from './ledger.ts'
import { inTransaction } from './transaction.ts'

/** Rows per statement, so that each is short. */
const BATCH = 5000

/**
 * Adds up the processing times of months that are older than PLAYS_KEPT_MONTHS, by day, creator and collection. Each chunk is
 * one transaction, so no job is counted twice or lost.
 */
export const foldProcessingTimesTask = task(
  periodic('fold_processing_times'),
  async ({ pool, clock, config }, _, { signal }) => {
    const before = monthsAgo(clock(), config.playsKeptMonths)
    await inBatches(BATCH, signal, () =>
      inTransaction(pool, async (client) => {
        await client.query('SELECT pg_advisory_xact_lock($1)', [locks.usageRollUp])
        const { rows } = await client.query<{ folded: number }>(FOLD, [before, BATCH])
        return rows[0]?.folded ?? 0
      }),
    )
  },
  '52 3 * * *',
)

/** Rows of earlier chunks of the same day have no track, so they are not folded again. */
const FOLD = `
  WITH due AS (
    DELETE FROM processing_time WHERE job_id IN (
      SELECT job_id FROM processing_time WHERE finished_at < $1 AND track_id IS NOT NULL
      ORDER BY organization_id, finished_at LIMIT $2
    ) RETURNING *
  ), added AS (
    INSERT INTO processing_time (job_id, organization_id, creator_id, collection_id, finished_at, seconds, jobs,
        transcribed_seconds)
    SELECT gen_random_uuid(), organization_id, creator_id, collection_id, date_trunc('day', finished_at, 'UTC'), sum(seconds),
      sum(jobs), sum(transcribed_seconds)
    FROM due GROUP BY 2, 3, 4, 5
  )
  SELECT count(*)::int AS folded FROM due`
