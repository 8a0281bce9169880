import type { Services } from '../../platform/context.ts'
import { exclusively } from '../../platform/db/exclusive.ts'
import { Prisma } from '../../platform/db/generated/client/client.ts'
import { locks } from '../../platform/db/locks.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'
import { endOfGracePeriod } from '../collection/deleted/grace.ts'
import { keysOfCover, type StoredOwnCover } from '../organization/cover/stored.ts'
import { discard, findUsedKeys, storedKeys } from '../track/file/bytes.ts'
import { findUsedCoverKeys } from './cover/used.ts'

const BATCH = 200

/**
 * Removes the bytes of tracks and collections whose grace period after deletion has ended, objects that no row names any
 * more, and the remains of unfinished uploads. A failure is logged; it stops neither the other objects nor the next step.
 */
export const purgeDeletedTask = task(
  periodic('purge_deleted'),
  async (services, _, { signal }) => {
    await exclusively(services.direct, locks.purge, async () => {
      for (const purge of [purgeTracks, purgeCollections, purgeUnused, removeUnfinished]) {
        await purge(services, signal).catch((error) =>
          services.log.error({ err: error, step: purge.name }, 'a step of the purge failed; the next purge repeats it'),
        )
      }
    })
  },
  '7 * * * *',
)

/**
 * Marks tracks whose grace period has ended, so that they cannot be restored any more, and lists their objects for
 * removal. Leaves out tracks that a task is about to restore with their collection.
 */
async function purgeTracks(services: Services, signal: AbortSignal): Promise<void> {
  const { db, clock } = services
  const end = endOfGracePeriod(services)
  let purged = BATCH
  while (purged === BATCH && !signal.aborted) {
    purged = await db.$transaction(async (tx) => {
      const due = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM track
        WHERE deleted_at <= ${end}::timestamptz AND purged_at IS NULL AND NOT EXISTS (
          SELECT FROM collection WHERE collection.id = track.collection_id AND restoring_from = track.deleted_at
        ) ORDER BY deleted_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`
      const where = { id: { in: due.map(({ id }) => id) } }
      const tracks = await tx.track.findMany({ where, include: { files: true } })
      const keys = tracks.flatMap(({ files, sourceKey, coverSourceKey }) => [
        ...files.flatMap(storedKeys),
        ...[sourceKey, coverSourceKey].filter((key) => key !== null),
      ])
      await discard(tx, keys, clock())
      await tx.track.updateMany({ where, data: { purgedAt: clock() } })
      return due.length
    })
  }
}

/** Takes the covers from collections whose grace period has ended, and lists their objects for removal. */
async function purgeCollections(services: Services, signal: AbortSignal): Promise<void> {
  const { db, clock } = services
  const end = endOfGracePeriod(services)
  let purged = BATCH
  while (purged === BATCH && !signal.aborted) {
    purged = await db.$transaction(async (tx) => {
      const due = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM collection WHERE deleted_at <= ${end}::timestamptz AND cover_uploaded_at IS NOT NULL
        ORDER BY deleted_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`
      const where = { id: { in: due.map(({ id }) => id) } }
      const keys = (await tx.collection.findMany({ where })).flatMap(({ cover, coverSourceKey }) => [
        ...(cover ? keysOfCover(cover as unknown as StoredOwnCover) : []),
        ...(coverSourceKey ? [coverSourceKey] : []),
      ])
      await discard(tx, keys, clock())
      const data = { cover: Prisma.DbNull, coverUploadedAt: null, coverSourceKey: null }
      await tx.collection.updateMany({ where, data })
      return due.length
    })
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
    const dueObjects = await db.unusedObject.findMany({ where: due, orderBy: { removeAfter: 'asc' }, take: BATCH })
    const keys = dueObjects.map(({ key }) => key)
    const [used, usedByCovers] = [await findUsedKeys(db, keys), await findUsedCoverKeys(db, keys)]
    const unused = keys.filter((key) => !used.has(key) && !usedByCovers.has(key))
    const failed = await remove(services, unused, signal)
    const removed = keys.filter((key) => !failed.includes(key))
    await db.unusedObject.deleteMany({ where: { ...due, key: { in: removed } } })
    if (signal.aborted) return
    const removeAfter = new Date(now.getTime() + DAY_MS)
    await db.unusedObject.updateMany({ where: { ...due, key: { in: failed } }, data: { removeAfter } })
    const isUnavailable = failed.length > 0 && failed.length === unused.length
    if (isUnavailable || dueObjects.length < BATCH) return
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
