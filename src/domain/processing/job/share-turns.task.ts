import { WAITING_ENTRIES } from '../../../platform/jobs/tables.ts'
import { periodic, task } from '../../../platform/jobs/task.ts'
import { IS_UNENDED, USES_PROCESSOR } from '../job-states.ts'
import { MAX_TURN, PRIORITY_STEP } from '../queue/tasks.ts'

/** Maximum number of turns that the processing time of the last hour delays an organization. One for each minute. */
const MAX_SPENT_TURNS = 120

/**
 * Minutes of waiting after which a long job takes one turn less, so that short jobs of others do not start before it for
 * ever.
 */
const MINUTES_OF_TURN = 1

/**
 * Gives waiting jobs their turns again. A job's turn is that of its organization's line when it was queued; while
 * the line gets shorter, jobs of other organizations that were queued later have lower turns. Without this task they
 * would run before it for ever. Time that attempts have taken counts as well, also of those that failed. Transcriptions have
 * lines of their own.
 */
export const shareTurnsTask = task(
  periodic('share_turns'),
  async ({ pool }) => {
    await pool.query(
      `WITH waiting AS (
         SELECT entry.id, entry.priority, entry.run_at, entry.priority / $1::int AS level, job.organization_id, job.${USES_PROCESSOR} AS uses_processor,
           greatest(1, job.turns - floor(extract(epoch FROM now() - job.created_at) / (60 * $4::int))::int) AS turns
         FROM ${WAITING_ENTRIES} entry JOIN job ON job.id::text = entry.key
       ), running AS (
         SELECT organization_id, ${USES_PROCESSOR} AS uses_processor, sum(turns) AS turns
         FROM job WHERE state = 'running' AND retry_at IS NULL GROUP BY 1, 2
       ), spent AS (
         SELECT organization_id, ${USES_PROCESSOR} AS uses_processor, least($3::int, floor(sum(spent_seconds) / 60))::int AS turns
         FROM job WHERE finished_at > now() - interval '1 hour' OR ${IS_UNENDED} GROUP BY 1, 2
       ), placed AS (
         SELECT id, priority, level * $1::int + least($2::int, coalesce(spent.turns, 0) + coalesce(running.turns, 0) - 1 + sum(waiting.turns) OVER (
             PARTITION BY organization_id, level ORDER BY priority, run_at, id))::int AS fair
         FROM waiting LEFT JOIN running USING (organization_id, uses_processor) LEFT JOIN spent USING (organization_id, uses_processor)
         WHERE (SELECT count(DISTINCT organization_id) FROM waiting) > 1
       ), changed AS (
         SELECT fair, array_agg(id) AS ids FROM placed WHERE fair <> priority GROUP BY fair
       )
       SELECT count(*) FROM changed, graphile_worker.reschedule_jobs(changed.ids, priority => changed.fair)`,
      [PRIORITY_STEP, MAX_TURN, MAX_SPENT_TURNS, MINUTES_OF_TURN],
    )
  },
  '* * * * *',
)
