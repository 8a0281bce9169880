import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'

/** Rows per statement, so that each is short. */
const BATCH = 5000

/** Deletes old events and, by cascade, their webhook deliveries. */
export const forgetEventsTask = task(
  periodic('forget_events'),
  async ({ db, clock, config }, _, { signal }) => {
    const before = new Date(clock().getTime() - config.eventsKeptDays * DAY_MS)
    let deleted: number
    do {
      signal.throwIfAborted()
      deleted = await db.$executeRaw`
        DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE created_at < ${before} LIMIT ${BATCH})`
    } while (deleted === BATCH)
  },
  '13 2 * * *',
)
