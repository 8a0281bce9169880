import type { Services } from '../../platform/context.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'
import { storedKeys } from '../track/file/bytes.ts'
import { coverKey, sourceKeyOf } from '../track/service.ts'

const BATCH = 200

/**
 * Removes the bytes of tracks whose grace period after deletion has ended, objects that no row names any more, and the
 * remains of unfinished uploads.
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
      for (const track of deleted) {
        const { id, organizationId, files } = track
        const keys = [...files.flatMap(storedKeys), sourceKeyOf(track), coverKey(organizationId, id)]
        for (const { error } of await services.storage.remove(keys)) throw error
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

/**
 * Removes listed objects whose time has come, except those that a file is delivered from. An object leaves the list
 * after its removal, so that a purge that dies is repeated.
 * @returns the number of objects that were taken off the list
 */
async function purgeUnused({ db, storage, clock }: Services): Promise<number> {
  return db.$transaction(async (tx) => {
    const found = await tx.$queryRaw<{ key: string; is_used: boolean }[]>`
      SELECT u.key, EXISTS (SELECT 1 FROM track_file f WHERE f.storage_key = u.key) OR EXISTS (
        SELECT 1 FROM track t WHERE t.source_key = u.key) AS is_used FROM unused_object u
      WHERE u.remove_after <= ${clock()}::timestamptz ORDER BY u.remove_after LIMIT ${BATCH}::int FOR UPDATE SKIP LOCKED`
    const unused = found.filter(({ is_used }) => !is_used).map(({ key }) => key)
    for (const { error } of await storage.remove(unused)) throw error
    await tx.unusedObject.deleteMany({ where: { key: { in: found.map(({ key }) => key) } } })
    return found.length
  })
}
