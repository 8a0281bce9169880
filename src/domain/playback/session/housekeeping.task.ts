import { inBatches } from '../../../platform/jobs/batches.ts'
import { periodic, task } from '../../../platform/jobs/task.ts'
import { DAY_MS } from '../../../platform/time.ts'

/** Time after its end during which a session answers `expired` instead of `not_found`. */
const KEPT_MS = DAY_MS
/** Rows per statement, so that each is short. */
const BATCH = 5000

/** Deletes play sessions that ended more than a day ago. */
export const forgetPlaySessionsTask = task(
  periodic('forget_play_sessions'),
  async ({ db, clock }, _, { signal }) => {
    const before = new Date(clock().getTime() - KEPT_MS)
    await inBatches(
      BATCH,
      signal,
      () => db.$executeRaw`
        DELETE FROM play_session WHERE id IN (
          SELECT id FROM play_session WHERE expires_at < ${before}::timestamptz LIMIT ${BATCH}::int)`,
    )
  },
  '29 * * * *',
)
