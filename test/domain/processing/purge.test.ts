import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { keysOfCover, type StoredOwnCover } from '../../../src/domain/organization/cover/stored.ts'
import { discard } from '../../../src/domain/track/file/bytes.ts'
import type { Services } from '../../../src/platform/context.ts'
import { StorageError } from '../../../src/platform/storage/storage.ts'
import { tone } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { stripes } from '../../support/picture.ts'
import { processed, readTrack } from '../../support/processed.ts'
import { makeEntriesDue } from '../../support/queue.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(1)
}, 60_000)
afterEach(async () => {
  service.clock.now = null
  await service.services.db.unusedObject.deleteMany()
})

const DAY_MS = 86_400_000
const file = async () => {
  const path = `${service.dataDir}/one`
  await Bun.write(path, 'x')
  return path
}
const isStored = async (key: string) => (await service.services.storage.size(key)) !== null
const listed = async () => (await service.services.db.unusedObject.findMany()).map(({ key }) => key).sort()

/** Stores objects, and lists them in this order. */
async function unused(keys: readonly string[]): Promise<void> {
  const { db, storage } = service.services
  for (const [i, key] of keys.entries()) {
    await storage.put(key, await file(), '')
    await discard(db, [key], new Date(i))
  }
}

/** Services whose storage cannot remove some objects. */
function failingFor(...broken: string[]): Services {
  const { storage } = service.services
  const remove: typeof storage.remove = async (keys, signal) => [
    ...(await storage.remove(
      keys.filter((key) => !broken.includes(key)),
      signal,
    )),
    ...keys
      .filter((key) => broken.includes(key))
      .map((key) => ({ key, error: new StorageError('remove', key, new Error('no answer')) })),
  ]
  return { ...service.services, storage: { ...storage, remove } }
}

describe('unused objects', () => {
  test('are removed when they are due, and not before', async () => {
    const { db, storage } = service.services
    await unused(['files/due'])
    await storage.put('files/later', await file(), '')
    await discard(db, ['files/later'], new Date(Date.now() + 60_000))
    await runTask(service.services, 'purge_deleted')
    expect([await isStored('files/due'), await isStored('files/later'), await listed()]).toEqual([
      false,
      true,
      ['files/later'],
    ])
  })

  test('that cannot be removed do not keep the others, and are tried again a day later', async () => {
    await unused(['files/broken', 'files/first', 'files/second'])
    await runTask(failingFor('files/broken'), 'purge_deleted')
    expect(await listed()).toEqual(['files/broken'])
    expect([await isStored('files/first'), await isStored('files/second')]).toEqual([false, false])
    await runTask(service.services, 'purge_deleted')
    expect(await listed()).toEqual(['files/broken'])
    service.clock.now = new Date(Date.now() + DAY_MS + 60_000)
    await runTask(service.services, 'purge_deleted')
    expect([await listed(), await isStored('files/broken')]).toEqual([[], false])
  })

  test('are removed outside of a transaction', async () => {
    await unused(['files/any'])
    const open: number[] = []
    const { storage, pool } = service.services
    const remove: typeof storage.remove = async (...args) => {
      const { rows } = await pool.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'`,
      )
      open.push(rows[0].count)
      return storage.remove(...args)
    }
    await runTask({ ...service.services, storage: { ...storage, remove } }, 'purge_deleted')
    expect(open).toEqual([0])
  })

  test('in more than one batch are all removed', async () => {
    const keys = Array.from({ length: 401 }, (_, i) => `files/batch${i}`)
    await discard(service.services.db, keys, new Date(0))
    await runTask(service.services, 'purge_deleted')
    expect(await listed()).toEqual([])
  })

  test('are kept as long as a recording, a file or its sibling is stored under the key', async () => {
    const { db } = service.services
    const { id, files } = await processed(service, sound, 'a.wav')
    const { sourceKey } = await db.track.findUniqueOrThrow({ where: { id } })
    const rows = await db.trackFile.findMany({ where: { trackId: id } })
    const levels = rows.find(({ data }) => JSON.stringify(data ?? '').includes('.dat'))
    const sibling = levels?.storageKey?.replace(/\.json$/, '.dat') ?? ''
    const keys = [sourceKey ?? '', rows.find((row) => row.id === files.hq.id)?.storageKey ?? '', sibling]
    expect(await Promise.all(keys.map(isStored))).toEqual([true, true, true])
    // As after a second run of a job that announced its keys when the first had ended.
    await discard(db, keys, new Date(0))
    await runTask(service.services, 'purge_deleted')
    expect(await Promise.all(keys.map(isStored))).toEqual([true, true, true])
    expect(await listed()).toEqual([])
  })
})

test('a deleted track that cannot be purged keeps neither the others nor the next steps', async () => {
  const { db } = service.services
  const create = async () => {
    const { id } = await processed(service, sound, 'a.wav')
    await service.v1('DELETE', `/track/${id}`)
    return db.track.findUniqueOrThrow({ where: { id } })
  }
  const [broken, other] = [await create(), await create()]
  await unused(['files/next'])
  service.clock.now = new Date(Date.now() + 8 * DAY_MS)
  await runTask(failingFor(broken.sourceKey ?? ''), 'purge_deleted')
  expect(await db.track.count({ where: { id: { in: [broken.id, other.id] }, purgedAt: null } })).toBe(0)
  expect([await isStored(other.sourceKey ?? ''), await isStored('files/next')]).toEqual([false, false])
  expect(await listed()).toEqual([broken.sourceKey ?? ''])
  service.clock.now = new Date(Date.now() + 9 * DAY_MS + 60_000)
  await runTask(service.services, 'purge_deleted')
  expect([await listed(), await isStored(broken.sourceKey ?? '')]).toEqual([[], false])
}, 60_000)

test('deleted tracks in more than one batch are all purged', async () => {
  const { db, pool } = service.services
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  await pool.query(
    `INSERT INTO track (id, organization_id, collection_id, "order", index, file_name, file_name_original, base_path,
       upload_expires_at, updated_at, deleted_at)
     SELECT gen_random_uuid(), organization_id, collection_id, n, 'gone' || n, file_name, file_name_original,
       base_path || n, upload_expires_at, updated_at, now() - interval '30 days'
     FROM track, generate_series(1, 401) n WHERE id = $1`,
    [json.track_id],
  )
  await runTask(service.services, 'purge_deleted')
  const where = { deletedAt: { lt: new Date(Date.now() - 8 * DAY_MS) } }
  expect(await db.track.count({ where: { ...where, purgedAt: null } })).toBe(0)
})

test('covers of deleted collections are removed after the grace period', async () => {
  const { db } = service.services
  const create = async () => {
    const { json } = await service.v1('POST', '/collection', { body: { title: 'covered' } })
    const body = stripes(300, [[300, [0, 0, 250]]])
    const { status } = await service.fetchEdge(json.collection_cover_upload.upload_url, { method: 'POST', body })
    expect(status).toBe(200)
    return json.collection_id as string
  }
  const [deleted, survivor] = [await create(), await create()]
  await service.runJobs()
  const keysOf = async (id: string) => {
    const collection = await db.collection.findUniqueOrThrow({ where: { id } })
    return [...keysOfCover(collection.cover as unknown as StoredOwnCover), collection.coverSourceKey ?? '']
  }
  const [gone, others] = [await keysOf(deleted), await keysOf(survivor)]
  const stored = async (keys: string[]) => (await Promise.all(keys.map(isStored))).filter(Boolean).length
  await service.v1('DELETE', `/collection/${deleted}`)
  service.clock.now = new Date(Date.now() + 6 * DAY_MS)
  await runTask(service.services, 'purge_deleted')
  expect([await stored(gone), await stored(others)]).toEqual([9, 9])
  service.clock.now = new Date(Date.now() + 8 * DAY_MS)
  await runTask(service.services, 'purge_deleted')
  expect([await stored(gone), await stored(others)]).toEqual([0, 9])
  expect(await db.collection.findUniqueOrThrow({ where: { id: deleted } })).toMatchObject({
    cover: null,
    coverUploadedAt: null,
    coverSourceKey: null,
  })
}, 60_000)

test('a file whose bytes the purge has removed before its row names them is made again', async () => {
  const { db, storage, pool } = service.services
  const id = await uploadTrack(service, sound)
  const { id: jobId } = await db.job.findFirstOrThrow({ where: { trackId: id } })
  const removed: string[] = []
  // The run stands still for more than a day after its first file was stored.
  const put: typeof storage.put = async (key, ...rest) => {
    await storage.put(key, ...rest)
    if (removed.length > 0) return
    removed.push(key)
    await db.unusedObject.update({ where: { key }, data: { removeAfter: new Date(0) } })
    await runTask(service.services, 'purge_deleted')
    expect(await isStored(key)).toBe(false)
  }
  const outcome = await runTask({ ...service.services, storage: { ...storage, put } }, 'process_track', { jobId })
  expect(outcome).toBe('delayed')
  await makeEntriesDue(pool)
  await service.runJobs()
  expect((await readTrack(service, id)).track).toMatchObject({ track_status_id: 'ready', status_code: null })
  const rows = await db.trackFile.findMany({ where: { trackId: id } })
  expect(rows.length).toBeGreaterThan(0)
  for (const { storageKey } of rows) expect(await isStored(storageKey ?? '')).toBe(true)
}, 60_000)
