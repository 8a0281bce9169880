import { basename, dirname } from 'node:path'
import type { Database } from '../../../platform/db/client.ts'
import { UUID_PATTERN } from '../../../platform/uuid.ts'
import { keysOfCover, type StoredOwnCover } from '../../organization/cover/stored.ts'

const ID = new RegExp(`^${UUID_PATTERN}$`)

/**
 * Returns those of the keys that an uploaded picture, or a size of the cover of a collection or an organization, is
 * stored under. Sizes of the covers of tracks are siblings of files.
 */
export async function findUsedCoverKeys(db: Database, keys: readonly string[]): Promise<Set<string>> {
  const bySource = { where: { coverSourceKey: { in: [...keys] } }, select: { coverSourceKey: true } }
  // The folder of a size is named after the record.
  const ids = [...new Set(keys.map((key) => basename(dirname(key))).filter((id) => ID.test(id)))]
  const byId = { where: { id: { in: ids } }, select: { cover: true } }
  const pictures = [
    ...(await db.track.findMany({ ...bySource, where: { ...bySource.where, purgedAt: null } })),
    ...(await db.collection.findMany(bySource)),
    ...(await db.organization.findMany(bySource)),
  ]
  const covers = [...(await db.collection.findMany(byId)), ...(await db.organization.findMany(byId))]
  return new Set([
    ...pictures.flatMap(({ coverSourceKey }) => coverSourceKey ?? []),
    ...covers.flatMap(({ cover }) => (cover === null ? [] : keysOfCover(cover as unknown as StoredOwnCover))),
  ])
}
