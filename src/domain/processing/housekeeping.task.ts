import { periodic, task } from '../../platform/task.ts'
import { coverKey, sourceKey } from '../track/service.ts'

const BATCH = 200
const DAY_MS = 86_400_000

/** Removes the bytes of tracks that were deleted longer ago than the grace period, and of uploads that never ended. */
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
        const keys = files.flatMap((file) => [file.path, ...coverPaths(file.data)]).filter((path) => path !== null)
        await services.storage.remove([...keys, sourceKey(organizationId, id), coverKey(organizationId, id)])
        await services.db.track.update({ where: { id }, data: { purgedAt: services.clock() } })
      }
      return deleted.length
    }
    while ((await purgeBatch()) === BATCH);
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

/** Paths of a cover's sizes; a file of another kind has none. */
function coverPaths(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return []
  return Object.values(data).flatMap((size) => (typeof size?.path === 'string' ? [size.path] : []))
}
