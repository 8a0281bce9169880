import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'
import { forgetListenerKeys } from './listener.ts'

/** Few enough to be gone in a moment. */
const BATCH = 5000

/** Forgets what listeners were told apart by: keys of days that are over, and who listened to what a day ago. */
export const forgetListenersTask = task(
  periodic('forget_listeners'),
  async ({ db, pool, clock }, _, { signal }) => {
    const now = clock()
    await forgetListenerKeys(pool, now)
    const before = new Date(now.getTime() - DAY_MS)
    let forgotten: number
    do {
      signal.throwIfAborted()
      forgotten = await db.$executeRaw`
        DELETE FROM last_listen WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM last_listen WHERE heard_at <= ${before}::timestamptz LIMIT ${BATCH}::int FOR UPDATE SKIP LOCKED))`
    } while (forgotten === BATCH)
  },
  '3 * * * *',
)
