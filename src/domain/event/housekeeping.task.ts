import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'

/** Few enough to be gone in a moment. */
const BATCH = 5000

/** Forgets old events, and with them what became of their webhooks. */
export const forgetEventsTask = task(
  periodic('forget_events'),
  async ({ db, clock, config }, _, { signal }) => {
    const before = new Date(clock().getTime() - config.eventsKeptDays * DAY_MS)
    let forgotten: number
    do {
      signal.throwIfAborted()
      forgotten = await db.$executeRaw`
        DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE created_at < ${before} LIMIT ${BATCH})`
    } while (forgotten === BATCH)
  },
  '13 2 * * *',
)
