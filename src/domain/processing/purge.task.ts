import type { Services } from '../../platform/context.ts'
import { exclusively } from '../../platform/db/exclusive.ts'
import { Prisma } from '../../platform/db/generated/client/client.ts'
import { locks } from '../../platform/db/locks.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'
import { coverSourceKeyOf, keysOfCover, type StoredCover } from '../organization/cover/stored.ts'
import { findUsedKeys, storedKeys } from '../track/file/bytes.ts'
import { sourceKeyOf } from '../track/service.ts'
import { findUsedCoverKeys } from './cover/used.ts'

const BATCH = 200

/**
 * Removes the bytes of tracks and collections whose grace period after deletion has ended, objects that no row names any more, and the
 * remains of unfinished uploads. A failure is logged; it stops neither the other objects nor the next step.
 */
export const purgeDeletedTask = task(
  periodic('purge_deleted'),
  async (services, _, { signal }) => {
    await exclusively(services.pool, locks.purge, async () => {
      for (const purge of [purgeTracks, purgeCollections, purgeUnused, removeUnfinished]) {
        await purge(services, signal).catch((error) =>
          services.log.error({ err: error, step: purge.name }, 'a step of the purge failed; the next purge repeats it'),
        )
      }
    })
  },
  '7 * * * *',
)

const endOfGracePeriod = ({ clock, config }: Services) =>
  new Date(clock().getTime() - config.deletedFilesKeptDays * DAY_MS)

async function purgeTracks(services: Services, signal: AbortSignal): Promise<void> {
  const { db, clock } = services
  const where = { deletedAt: { lte: endOfGracePeriod(services) }, purgedAt: null }
  await purgeEach(services, signal, {
    find: (part) => db.track.findMany({ ...part, where: { ...where, ...part.where }, include: { files: true } }),
    keysOf: (track) => [...track.files.flatMap(storedKeys), sourceKeyOf(track), coverSourceKeyOf(track)],
    mark: (id) => db.track.update({ where: { id }, data: { purgedAt: clock() } }),
  })
}

/** Removes the covers of deleted collections. */
async function purgeCollections(services: Services, signal: AbortSignal): Promise<void> {
  const { db } = services
  const where = { deletedAt: { lte: endOfGracePeriod(services) }, coverUploadedAt: { not: null } }
  const purged = { cover: Prisma.DbNull, coverUploadedAt: null, coverSourceKey: null }
  await purgeEach(services, signal, {
    find: (part) => db.collection.findMany({ ...part, where: { ...where, ...part.where } }),
    keysOf: (collection) => [
      ...(collection.cover ? keysOfCover(collection.cover as unknown as StoredCover) : []),
      coverSourceKeyOf(collection),
    ],
    mark: (id) => db.collection.update({ where: { id }, data: purged }),
  })
}

/** The next records after an ID. */
interface Part {
  where: { id: { gt: string | undefined } }
  orderBy: { id: 'asc' }
  take: number
}

interface Purge<T> {
  find: (part: Part) => Promise<T[]>
  keysOf: (record: T) => string[]
  /** Records that nothing of it is stored any more. */
  mark: (id: string) => Promise<unknown>
}

/** Removes the objects of records, by ID, so that one that cannot be purged does not exclude later ones. */
async function purgeEach<T extends { id: string }>(
  services: Services,
  signal: AbortSignal,
  { find, keysOf, mark }: Purge<T>,
): Promise<void> {
  for (let after: string | undefined; !signal.aborted; ) {
    const deleted = await find({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take: BATCH })
    let purged = 0
    for (const record of deleted) {
      const failed = await remove(services, keysOf(record), signal)
      if (failed.length > 0) continue
      await mark(record.id)
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
    const [used, usedByCovers] = [await findUsedKeys(db, keys), await findUsedCoverKeys(db, keys)]
    const unused = keys.filter((key) => !used.has(key) && !usedByCovers.has(key))
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
