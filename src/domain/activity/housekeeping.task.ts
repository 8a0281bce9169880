import { inBatches } from '../../platform/jobs/batches.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'

/** Rows per statement, so that each is short. */
const BATCH = 5000

/** Deletes activity that has been kept for its time. */
export const forgetActivityTask = task(
  periodic('forget_activity'),
  async ({ db, clock, config }, _, { signal }) => {
    const before = new Date(clock().getTime() - config.activityKeptDays * DAY_MS)
    await inBatches(
      BATCH,
      signal,
      () => db.$executeRaw`
        DELETE FROM activity WHERE id IN (SELECT id FROM activity WHERE created_at < ${before} LIMIT ${BATCH})`,
    )
  },
  '23 2 * * *',
)
