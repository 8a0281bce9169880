import { afterEach, describe, expect, test } from 'bun:test'
import { createCollection, createForeign } from '../../spec/support.ts'
import { runTask } from '../../support/jobs.ts'
import { restoring } from '../../support/restore.ts'
import { useTestService } from '../../support/service.ts'
import { untilBlocked } from '../../support/until.ts'
import { readyTrack } from '../../support/viewers.ts'

const DAY_MS = 86_400_000
const service = useTestService()
const studio = restoring(service)
afterEach(() => {
  service.clock.now = null
})

const rowOf = (id: string) => service.services.db.collection.findUniqueOrThrow({ where: { id } })
const deletedAtOf = async (trackId: string) =>
  (await service.services.db.track.findUniqueOrThrow({ where: { id: trackId } })).deletedAt
const newCollection = async (creatorId: string | null = null) => {
  const { id } = await createCollection(service, creatorId ? { creator_id: creatorId } : {})
  return { id: id as string, trackId: await readyTrack(service, id, creatorId) }
}
const notFound = 'not_found: id: no such record'

/** Deletes a collection of more tracks than a transaction deletes. */
async function deletedLarge() {
  const { db, pool } = service.services
  const { id, trackId } = await newCollection()
  await pool.query(
    `INSERT INTO track (id, organization_id, collection_id, "order", index, status, file_name, base_path,
       upload_expires_at, updated_at)
     SELECT gen_random_uuid(), organization_id, collection_id, n, index || n, status, file_name, base_path || n,
       upload_expires_at, updated_at
     FROM track, generate_series(1, 5009) n WHERE id = $1`,
    [trackId],
  )
  expect(await studio.deleteCollection(id)).toBeNull()
  const deleted = () => db.track.count({ where: { collectionId: id, deletedAt: { not: null } } })
  return { id, deleted }
}

describe('restoring a collection', () => {
  test('restores the tracks that were deleted with it, not the one deleted before', async () => {
    const { id, trackId } = await newCollection()
    const earlier = await readyTrack(service, id, null)
    await studio.deleteTrack(earlier)
    service.clock.now = new Date(Date.now() + 1000)
    await studio.deleteCollection(id)
    expect((await service.v1('GET', `/collection/${id}`)).status).toBe(404)
    expect(await studio.restoreCollection(id)).toBeNull()
    const { json } = await service.v1('GET', `/collection/${id}/track`)
    expect([json.count, json.tracks.map((track: { id: string }) => track.id)]).toEqual([1, [trackId]])
    expect(await deletedAtOf(earlier)).not.toBeNull()
    expect(await studio.restoreTrack(earlier)).toBeNull()
    expect((await service.v1('GET', `/collection/${id}/track`)).json.count).toBe(2)
  })

  test('records the event collection.restored', async () => {
    const { id } = await newCollection()
    await studio.deleteCollection(id)
    await studio.restoreCollection(id)
    const { json } = await service.v1('GET', '/event?type=collection.deleted,collection.restored&limit=200')
    const collectionEvents = json.events.filter(
      ({ data }: { data: { collection_id: string } }) => data.collection_id === id,
    )
    expect(collectionEvents.map(({ type }: { type: string }) => type)).toEqual([
      'collection.deleted',
      'collection.restored',
    ])
    expect(collectionEvents[1].data).toEqual(collectionEvents[0].data)
  })

  test('is allowed to the end of the grace period, and not after it', async () => {
    const [late, tooLate] = [await newCollection(), await newCollection()]
    const now = new Date()
    service.clock.now = now
    for (const { id } of [late, tooLate]) await studio.deleteCollection(id)
    const { pool } = service.services
    for (const [table, column] of [
      ['track', 'collection_id'],
      ['collection', 'id'],
    ]) {
      await pool.query(
        `UPDATE ${table} SET deleted_at = deleted_at - interval '7 days' +
           CASE WHEN ${column} = $1 THEN interval '1 ms' ELSE '0' END WHERE ${column} IN ($1, $2)`,
        [late.id, tooLate.id],
      )
    }
    const { nodes } = await studio.deletedCollections()
    expect(nodes).toContainEqual({
      id: late.id,
      deletedAt: new Date(now.getTime() - 7 * DAY_MS + 1).toISOString(),
      restorableUntil: new Date(now.getTime() + 1).toISOString(),
    })
    expect(nodes.map(({ id }: { id: string }) => id)).not.toContain(tooLate.id)
    expect(await studio.restoreCollection(tooLate.id)).toStartWith(
      'expired: The collection was deleted more than 7 days',
    )
    expect(await studio.restoreCollection(late.id)).toBeNull()
    expect([await deletedAtOf(late.trackId), (await rowOf(tooLate.id)).deletedAt === null]).toEqual([null, false])
  })

  test('is refused for one that is not deleted, was restored already, is unknown or foreign, and to keys', async () => {
    const { id } = await newCollection()
    expect(await studio.restoreCollection(id)).toBe(notFound)
    await studio.deleteCollection(id)
    const foreign = await createForeign(service)
    await service.v1('DELETE', `/collection/${foreign.collectionId}`, { key: foreign.key })
    expect(await studio.restoreCollection(foreign.collectionId)).toBe(notFound)
    expect((await rowOf(foreign.collectionId)).deletedAt).not.toBeNull()
    expect(await studio.restoreCollection(crypto.randomUUID())).toBe(notFound)
    expect(await studio.restoreCollection(id, { key: service.demo.api_key })).toStartWith('forbidden')
    expect([await studio.restoreCollection(id), await studio.restoreCollection(id)]).toEqual([null, notFound])
  })

  test('takes it and its tracks from creators that were deleted since', async () => {
    const create = async (index: string) =>
      (await service.v1('POST', '/creator', { body: { organization_index: index } })).json.creator_id as string
    const [leaving, staying] = [await create('leaving'), await create('staying')]
    const { id, trackId } = await newCollection(leaving)
    const other = await readyTrack(service, id, staying)
    await studio.deleteCollection(id)
    expect((await service.v1('DELETE', `/creator/${leaving}`)).status).toBe(200)
    expect(await studio.restoreCollection(id)).toBeNull()
    const { db } = service.services
    const tracks = await db.track.findMany({ where: { id: { in: [trackId, other] } }, orderBy: { id: 'asc' } })
    expect((await rowOf(id)).creatorId).toBeNull()
    expect(new Map(tracks.map((track) => [track.id, track.creatorId]))).toEqual(
      new Map([
        [trackId, null],
        [other, staying],
      ]),
    )
    expect((await service.v1('DELETE', `/creator/${staying}`)).status).toBe(409)
  })

  test('lists the latest deletion first, in pages', async () => {
    const first = await newCollection()
    const second = await newCollection()
    service.clock.now = new Date(Date.now() + 1000)
    await studio.deleteCollection(first.id)
    service.clock.now = new Date(Date.now() + 2000)
    await studio.deleteCollection(second.id)
    const { nodes } = await studio.deletedCollections('(first: 2)')
    expect(nodes.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
  })
})

describe('a large collection', () => {
  test('is restored at once, and its tracks in chunks that the purge leaves alone', async () => {
    const { services } = service
    const { id, deleted } = await deletedLarge()
    await runTask(services, 'delete_tracks', { collectionId: id })
    const { deletedAt } = await rowOf(id)
    expect(await deleted()).toBe(5_010)
    expect(await studio.restoreCollection(id)).toBeNull()
    expect([await deleted(), (await rowOf(id)).restoringFrom]).toEqual([10, deletedAt])

    const later = new Date((deletedAt?.getTime() ?? 0) + 7 * DAY_MS + 1)
    await runTask({ ...services, clock: () => later }, 'purge_deleted')
    const purged = { where: { collectionId: id, purgedAt: { not: null } } }
    expect(await services.db.track.count(purged)).toBe(0)
    await runTask(services, 'restore_tracks', { collectionId: id })
    expect([await deleted(), (await rowOf(id)).restoringFrom]).toEqual([0, null])
    const { rows } = await services.pool.query(
      'SELECT sum(tracks)::int AS tracks FROM track_sum WHERE collection_id = $1',
      [id],
    )
    expect(rows).toEqual([{ tracks: 5_010 }])
  }, 60_000)

  test('keeps the tracks that its deletion had not reached, and its task stops', async () => {
    const { id, deleted } = await deletedLarge()
    expect(await deleted()).toBe(5_000)
    expect(await studio.restoreCollection(id)).toBeNull()
    await runTask(service.services, 'delete_tracks', { collectionId: id })
    await runTask(service.services, 'restore_tracks', { collectionId: id })
    expect(await deleted()).toBe(0)
  }, 60_000)

  test('that is deleted again while it is restored takes all tracks along, and can be restored again', async () => {
    const { services } = service
    const { id, deleted } = await deletedLarge()
    await runTask(services, 'delete_tracks', { collectionId: id })
    await studio.restoreCollection(id)
    service.clock.now = new Date(Date.now() + 1000)
    expect(await studio.deleteCollection(id)).toBeNull()
    expect(await studio.restoreCollection(id)).toStartWith('unavailable: Tracks of the collection are still')
    await runTask(services, 'delete_tracks', { collectionId: id })
    await runTask(services, 'restore_tracks', { collectionId: id })
    const { deletedAt } = await rowOf(id)
    const times = await services.db.track.groupBy({ by: ['deletedAt'], where: { collectionId: id } })
    expect(times as object[]).toEqual([{ deletedAt }])
    expect(await studio.restoreCollection(id)).toBeNull()
    await runTask(services, 'restore_tracks', { collectionId: id })
    expect(await deleted()).toBe(0)
  }, 60_000)
})

describe('at the same moment', () => {
  test('two requests restore a collection once', async () => {
    const { id } = await newCollection()
    await studio.deleteCollection(id)
    const { pool } = service.services
    const other = await pool.connect()
    try {
      await other.query('BEGIN')
      await other.query('SELECT id FROM collection WHERE id = $1 FOR UPDATE', [id])
      const both = [studio.restoreCollection(id), studio.restoreCollection(id)]
      await untilBlocked(pool, { count: 2 })
      await other.query('COMMIT')
      expect((await Promise.all(both)).sort()).toEqual([notFound, null].sort())
    } finally {
      await other.query('ROLLBACK')
      other.release()
    }
    const { db } = service.services
    expect(await db.event.count({ where: { collectionId: id, type: 'collection.restored' } })).toBe(1)
  })

  test('a chunk of its deletion ends before the collection is restored', async () => {
    const { id, deleted } = await deletedLarge()
    const { db, pool } = service.services
    const last = await db.track.findFirstOrThrow({ where: { collectionId: id, deletedAt: null } })
    const other = await pool.connect()
    try {
      await other.query('BEGIN')
      await other.query('SELECT id FROM track WHERE id = $1 FOR UPDATE', [last.id])
      const chunk = runTask(service.services, 'delete_tracks', { collectionId: id })
      await untilBlocked(pool)
      const restored = studio.restoreCollection(id)
      await untilBlocked(pool, { count: 2 })
      await other.query('COMMIT')
      await chunk
      expect(await restored).toBeNull()
    } finally {
      await other.query('ROLLBACK')
      other.release()
    }
    await runTask(service.services, 'restore_tracks', { collectionId: id })
    expect(await deleted()).toBe(0)
  }, 60_000)
})
