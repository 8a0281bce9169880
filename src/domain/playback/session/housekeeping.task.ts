import { periodic, task } from '../../../platform/jobs/task.ts'
import { DAY_MS } from '../../../platform/time.ts'

/** How long a client is told that its session has expired, before it is unknown. */
const KEPT_MS = DAY_MS
/** Few enough to be gone in a moment. */
const BATCH = 5000

/** Forgets play sessions that ended a day ago: every listener may have had one. */
export const forgetPlaySessionsTask = task(
  periodic('forget_play_sessions'),
  async ({ db, clock }, _, { signal }) => {
    const before = new Date(clock().getTime() - KEPT_MS)
    let forgotten: number
    do {
      signal.throwIfAborted()
      forgotten = await db.$executeRaw`
        DELETE FROM play_session WHERE id IN (
          SELECT id FROM play_session WHERE expires_at < ${before}::timestamptz LIMIT ${BATCH}::int)`
    } while (forgotten === BATCH)
  },
  '29 * * * *',
)
