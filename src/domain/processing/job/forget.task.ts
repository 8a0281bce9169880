import { periodic, task } from '../../../platform/jobs/task.ts'
import { DAY_MS } from '../../../platform/time.ts'

/** Days for which an ended job is shown. A batch keeps the counts of its jobs. */
const KEPT_DAYS = 30
const CHUNK = 5000

/** Deletes the rows of jobs that ended long ago. */
export const forgetJobsTask = task(
  periodic('forget_jobs'),
  async ({ db, clock }) => {
    const before = new Date(clock().getTime() - KEPT_DAYS * DAY_MS)
    const forgetSome = () => db.$executeRaw`
      DELETE FROM job WHERE id IN (
        SELECT j.id FROM job j LEFT JOIN batch b ON b.id = j.batch_id
        WHERE j.finished_at < ${before}::timestamptz AND (j.batch_id IS NULL OR b.finished_at IS NOT NULL)
        LIMIT ${CHUNK}::int)`
    while ((await forgetSome()) === CHUNK);
  },
  '41 * * * *',
)
