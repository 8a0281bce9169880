import { Prisma } from '../../platform/db/generated/client/client.ts'
import { inBatches } from '../../platform/jobs/batches.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'
import { forgetDeliveryChanges } from '../delivery/known-files.ts'
import { forgetListenerKeys } from './listener.ts'

/** Rows per statement, so that each is short. */
const BATCH = 5000

/**
 * Deletes the data that identifies listeners: the keys of past days, and listens and listenings older than 24 hours. Deletes
 * changes of deliveries of the same age.
 */
export const forgetListenersTask = task(
  periodic('forget_listeners'),
  async ({ db, pool, clock }, _, { signal }) => {
    const now = clock()
    await forgetListenerKeys(pool, now)
    await forgetDeliveryChanges(pool)
    const before = new Date(now.getTime() - DAY_MS)
    const tables = [
      Prisma.sql`last_listen`,
      Prisma.sql`share_listener`,
      Prisma.sql`share_listen`,
      Prisma.sql`listening`,
    ]
    for (const table of tables) {
      await inBatches(
        BATCH,
        signal,
        () => db.$executeRaw`
          DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM ${table} WHERE heard_at <= ${before}::timestamptz
            LIMIT ${BATCH}::int FOR UPDATE SKIP LOCKED))`,
      )
    }
  },
  '3 * * * *',
)
