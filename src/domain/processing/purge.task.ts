import type { Services } from '../../platform/context.ts'
import { exclusively } from '../../platform/db/exclusive.ts'
import { locks } from '../../platform/db/locks.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'
import { findUsedKeys, storedKeys } from '../track/file/bytes.ts'
import { coverKey, sourceKeyOf } from '../track/service.ts'

const BATCH = 200

/**
 * Removes the bytes of tracks whose grace period after deletion has ended, objects that no row names any more, and the
 * remains of unfinished uploads. A failure is logged; it stops neither the other objects nor the next step.
 */
export const purgeDeletedTask = task(
  periodic('purge_deleted'),
  async (services, _, { signal }) => {
    await exclusively(services.pool, locks.purge, async () => {
      for (const purge of [purgeTracks, purgeUnused, removeUnfinished]) {
        await purge(services, signal).catch((error) =>
          services.log.error({ err: error, step: purge.name }, 'a step of the purge failed; the next purge repeats it'),
        )
      }
    })
  },
  '7 * * * *',
)

async function purgeTracks(services: Services, signal: AbortSignal): Promise<void> {
  const { db, clock, config } = services
  const before = new Date(clock().getTime() - config.deletedFilesKeptDays * DAY_MS)
  // By id, so that a track that cannot be purged does not exclude later ones.
  for (let after: string | undefined; !signal.aborted; ) {
    const deleted = await db.track.findMany({
      where: { deletedAt: { lte: before }, purgedAt: null, id: { gt: after } },
      include: { files: true },
      orderBy: { id: 'asc' },
      take: BATCH,
    })
    let purged = 0
    for (const track of deleted) {
      const { id, organizationId, files } = track
      const keys = [...files.flatMap(storedKeys), sourceKeyOf(track), coverKey(organizationId, id)]
      const failed = await remove(services, keys, signal)
      if (failed.length > 0) continue
      await db.track.update({ where: { id }, data: { purgedAt: clock() } })
      purged += 1
    }
    const isUnavailable = purged === 0
    if (isUnavailable || deleted.length < BATCH) return
    after = deleted.at(-1)?.id
  }
}

/**
 * Removes listed objects whose time has come, except those that a row names. An object leaves the list after its
 * removal, so that a purge that dies is repeated. One that cannot be removed is tried again a day later. Between the
 * check and the removal no row begins to name an object: jobs and uploads end long before the time in the list.
 */
async function purgeUnused(services: Services, signal: AbortSignal): Promise<void> {
  const { db, clock } = services
  for (;;) {
    const now = clock()
    const due = { removeAfter: { lte: now } }
    const found = await db.unusedObject.findMany({ where: due, orderBy: { removeAfter: 'asc' }, take: BATCH })
    const keys = found.map(({ key }) => key)
    const used = await findUsedKeys(db, keys)
    const unused = keys.filter((key) => !used.has(key))
    const failed = await remove(services, unused, signal)
    const removed = keys.filter((key) => !failed.includes(key))
    await db.unusedObject.deleteMany({ where: { ...due, key: { in: removed } } })
    if (signal.aborted) return
    const removeAfter = new Date(now.getTime() + DAY_MS)
    await db.unusedObject.updateMany({ where: { ...due, key: { in: failed } }, data: { removeAfter } })
    const isUnavailable = failed.length > 0 && failed.length === unused.length
    if (isUnavailable || found.length < BATCH) return
  }
}

const removeUnfinished = ({ storage, clock }: Services) =>
  storage.removeUnfinished(new Date(clock().getTime() - DAY_MS))

/** Removes objects and logs failures. @returns the keys that could not be removed */
async function remove({ storage, log }: Services, keys: readonly string[], signal: AbortSignal): Promise<string[]> {
  const failures = await storage.remove(keys, signal)
  if (!signal.aborted)
    for (const { key, error } of failures) log.error({ err: error, key }, 'an object could not be removed')
  return failures.map(({ key }) => key)
}
