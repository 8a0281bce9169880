import { expect, test } from 'bun:test'
import { createCollection, createTrack } from '../../spec/support.ts'
import { useTestService } from '../../support/service.ts'
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
