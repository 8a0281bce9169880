import { expect, test } from 'bun:test'
import { createCollection, createTrack } from '../../spec/support.ts'
import { runTask } from '../../support/jobs.ts'
import { fillLibrary } from '../../support/library.ts'
import { readEntry } from '../../support/queue.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { untilBlocked } from '../../support/until.ts'

const service = useTestService()

test('locks the tracks of a deleted collection in the order of their ids, as all others that lock several', async () => {
  const { pool } = service.services
  const { id } = await createCollection(service)
  const [first = '', second = ''] = [
    (await createTrack(service, { collection_id: id })).id,
    (await createTrack(service, { collection_id: id })).id,
  ].sort()
  // After the second one in the table and in the indexes.
  await pool.query(`UPDATE track SET "order" = 1000, created_at = created_at - interval '1 hour' WHERE id = $1`, [
    first,
  ])
  const other = await pool.connect()
  try {
    await other.query('BEGIN')
    await other.query('SELECT id FROM track WHERE id = $1 FOR UPDATE', [first])
    const deleted = service.v1('DELETE', `/collection/${id}`)
    await untilBlocked(pool)
    // Fails with a deadlock of two transactions otherwise.
    await other.query('SELECT id FROM track WHERE id = $1 FOR UPDATE NOWAIT', [second])
    await other.query('COMMIT')
    expect((await deleted).status).toBe(200)
  } finally {
    await other.query('ROLLBACK')
    other.release()
  }
  const { db } = service.services
  expect(await db.track.count({ where: { collectionId: id, deletedAt: null } })).toBe(0)
})

test('a large collection is deleted at once for its readers, and its tracks in chunks', async () => {
  const { db, pool } = service.services
  const { organization_id: organizationId, share_key: shareKey } = service.demo
  await fillLibrary(pool, organizationId, { collections: 1, tracks: 5_010 })
  const { id } = await db.collection.findFirstOrThrow({ where: { title: 'Collection 1' } })
  const { id: variantId } = await db.variant.findFirstOrThrow({ where: { organizationId, index: 'hq' } })
  const signed = async (trackId: string) =>
    (await service.v1('GET', `/track/${trackId}`)).json.files.find((file: Json) => file.variant.id === variantId).url
  const newest = await db.track.findFirstOrThrow({ where: { collectionId: id }, orderBy: { id: 'desc' } })
  const url = await signed(newest.id)
  const listen = () => service.v1('GET', `/stream/${newest.id}/${shareKey}`, { key: null })
  expect((await listen()).status).toBe(302)
  const session = (await service.v1('POST', '/play_session/track', { body: { track_id: newest.id } })).json
    .play_session_id

  const { status, json } = await service.v1('DELETE', `/collection/${id}`)
  expect([status, json.collection_id]).toEqual([200, id])
  const countLive = () => db.track.count({ where: { collectionId: id, deletedAt: null } })
  expect(await countLive()).toBe(10)
  expect((await db.track.findUniqueOrThrow({ where: { id: newest.id } })).deletedAt).toBeNull()
  const refusals = [
    await service.v1('GET', `/track/${newest.id}`),
    await service.v1('PUT', `/track/${newest.id}`, { body: { player_title: 't' } }),
    await service.v1('DELETE', `/track/${newest.id}`),
    await service.v1('POST', `/track/${newest.id}/rebuild`),
    await service.v1('POST', '/play_session/track', { body: { track_id: newest.id } }),
    await service.v1('GET', `/play_session/${session}`, { key: null }),
    await listen(),
  ]
  expect(refusals.map((answer) => answer.status)).toEqual(Array(7).fill(404))
  expect((await service.fetchEdge(url)).status).toBe(403)

  await runTask(service.services, 'delete_tracks', { collectionId: id })
  expect(await countLive()).toBe(0)
  const { deletedAt } = await db.collection.findUniqueOrThrow({ where: { id } })
  const times = await db.track.groupBy({ by: ['deletedAt', 'updatedAt'], where: { collectionId: id } })
  expect(times as object[]).toEqual([{ deletedAt, updatedAt: deletedAt }])
  expect((await readEntry(pool, { task: 'delete_tracks' })).key).toBe(`delete_tracks:${id}`)
})
