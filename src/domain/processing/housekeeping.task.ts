import type { Services } from '../../platform/context.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'
import { storedKeys } from '../track/file/bytes.ts'
import { coverKey, sourceKey } from '../track/service.ts'

const BATCH = 200

/**
 * Removes the bytes of tracks that were deleted longer ago than the grace period, those that no record refers to any
 * more, and what uploads that never ended left.
 */
export const purgeDeletedTask = task(
  periodic('purge_deleted'),
  async (services) => {
    const before = new Date(services.clock().getTime() - services.config.deletedFilesKeptDays * DAY_MS)
    const purgeBatch = async () => {
      const deleted = await services.db.track.findMany({
        where: { deletedAt: { lte: before }, purgedAt: null },
        include: { files: true },
        take: BATCH,
      })
      for (const { id, organizationId, files } of deleted) {
        await services.storage.remove([
          ...files.flatMap(storedKeys),
          sourceKey(organizationId, id),
          coverKey(organizationId, id),
        ])
        await services.db.track.update({ where: { id }, data: { purgedAt: services.clock() } })
      }
      return deleted.length
    }
    while ((await purgeBatch()) === BATCH);
    while ((await purgeUnused(services)) === BATCH);
    await services.storage.removeUnfinished(new Date(services.clock().getTime() - DAY_MS))
  },
  '7 * * * *',
)

/** Forgets stored answers after their 24 hours (contract, section 1). */
export const forgetAnswersTask = task(
  periodic('forget_answers'),
  async (services) => {
    const before = new Date(services.clock().getTime() - DAY_MS)
    await services.db.idempotencyKey.deleteMany({ where: { createdAt: { lt: before } } })
  },
  '23 * * * *',
)

/** Jobs that ended are shown for so long; a batch keeps what became of its own. */
const JOBS_KEPT_DAYS = 30
const JOBS_AT_ONCE = 5000

export const forgetJobsTask = task(
  periodic('forget_jobs'),
  async ({ db, clock }) => {
    const before = new Date(clock().getTime() - JOBS_KEPT_DAYS * DAY_MS)
    const forgetSome = () => db.$executeRaw`
      DELETE FROM job WHERE id IN (
        SELECT j.id FROM job j LEFT JOIN batch b ON b.id = j.batch_id
        WHERE j.finished_at < ${before}::timestamptz AND (j.batch_id IS NULL OR b.finished_at IS NOT NULL)
        LIMIT ${JOBS_AT_ONCE}::int)`
    while ((await forgetSome()) === JOBS_AT_ONCE);
  },
  '41 * * * *',
)

/**
 * Removes bytes that no record refers to and whose time has come. They leave the list when they are gone: a purge that
 * dies is repeated. None that a file is delivered from is touched, whatever the list says.
 */
async function purgeUnused({ db, storage, clock }: Services): Promise<number> {
  return db.$transaction(async (tx) => {
    const found = await tx.$queryRaw<{ key: string; is_used: boolean }[]>`
      SELECT u.key, EXISTS (SELECT 1 FROM track_file f WHERE f.storage_key = u.key) AS is_used FROM unused_object u
      WHERE u.remove_after <= ${clock()}::timestamptz ORDER BY u.remove_after LIMIT ${BATCH}::int FOR UPDATE SKIP LOCKED`
    await storage.remove(found.filter(({ is_used }) => !is_used).map(({ key }) => key))
    await tx.unusedObject.deleteMany({ where: { key: { in: found.map(({ key }) => key) } } })
    return found.length
  })
}
