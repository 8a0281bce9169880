import { inBatches } from '../../platform/jobs/batches.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'
import { numberEvents } from './service.ts'

/** Rows per statement, so that each is short. */
const BATCH = 5000

/** Deletes old events and, by cascade, their webhook deliveries. */
export const forgetEventsTask = task(
  periodic('forget_events'),
  async ({ db, clock, config }, _, { signal }) => {
    const before = new Date(clock().getTime() - config.eventsKeptDays * DAY_MS)
    await inBatches(
      BATCH,
      signal,
      () => db.$executeRaw`
        DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE created_at < ${before} LIMIT ${BATCH})`,
    )
  },
  '13 2 * * *',
)

/** Numbers the events of organizations whose clients read none, so that the first read is short. */
export const numberEventsTask = task(
  periodic('number_events'),
  async (services, _, { signal }) => {
    const organizationsWithOldEvents = await services.db.$queryRaw<{ organizationId: string }[]>`
      SELECT DISTINCT organization_id AS "organizationId" FROM event WHERE NOT is_numbered`
    for (const { organizationId } of organizationsWithOldEvents)
      await numberEvents({ ...services, signal }, organizationId)
  },
  '*/10 * * * *',
)
