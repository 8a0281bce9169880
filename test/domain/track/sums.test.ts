import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { foldTrackSums } from '../../../src/domain/track/sum.task.ts'
import { createForeign } from '../../spec/support.ts'
import { data, signIn } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { fillLibrary } from '../../support/library.ts'
import { processed } from '../../support/processed.ts'
import { rebuildAs } from '../../support/rebuild.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'
import { untilBlocked } from '../../support/until.ts'

const service = useTestService()
let owner: string
beforeAll(async () => {
  owner = (await signIn(service)).token
  await fillLibrary(service.services.pool, service.demo.organization_id, { collections: 3, tracks: 4, files: 2 })
})

const rowsOf = async (text: string) => (await service.services.pool.query(text)).rows
const sums = () =>
  rowsOf(`SELECT organization_id, collection_id, creator_id, sum(tracks)::int AS tracks, sum(source_bytes)::int AS source,
    sum(file_bytes)::int AS files FROM track_sum GROUP BY 1, 2, 3 HAVING sum(tracks) > 0 ORDER BY 1, 2, 3`)
const counted = () =>
  rowsOf(`SELECT organization_id, collection_id, creator_id, count(*)::int AS tracks,
    coalesce(sum(source_bytes), 0)::int AS source, coalesce(sum((SELECT sum(size) FROM track_file f
      WHERE f.track_id = t.id AND f.state = 'done')), 0)::int AS files
    FROM track t WHERE deleted_at IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`)
const total = async () => (await sums()).reduce((sum: number, { files }: Json) => sum + files, 0)

describe('the sums follow', () => {
  afterEach(async () => {
    expect(await sums()).toEqual(await counted())
    const unsettled = await rowsOf(`SELECT FROM track_sum GROUP BY organization_id, collection_id, creator_id
      HAVING sum(tracks) = 0 AND (sum(source_bytes), sum(file_bytes)) <> (0, 0)`)
    expect(unsettled).toEqual([])
  })

  test('new tracks and files', async () => {
    expect(await total()).toBe(3 * 4 * 2 * 123_456)
  })

  test('an upload, its processing, a rebuild and a deletion', async () => {
    const before = await total()
    const { id } = await processed(service, await tone(1), 'one.wav')
    expect(await total()).toBeGreaterThan(before)
    expect(await sums()).toEqual(await counted())
    await rebuildAs(service).rebuild(id)
    await service.runJobs()
    expect(await sums()).toEqual(await counted())
    await data(service, 'mutation ($id: ID!) { deleteTrack(id: $id) { deletedTrack { id } } }', { id }, owner)
    expect(await total()).toBe(before)
  }, 60_000)

  test('the other rates of an adaptive stream, until its file is replaced', async () => {
    const { pool } = service.services
    const [{ id, path, track_id }] = await rowsOf(
      `SELECT id, path, track_id FROM track_file WHERE state = 'done' AND track_id IN (SELECT id FROM track WHERE deleted_at IS NULL)
       ORDER BY id LIMIT 1`,
    )
    const replace = (rates: object | null) =>
      pool.query(`UPDATE track_file SET storage_key = storage_key || '.n', data = $2 WHERE id = $1`, [
        id,
        rates && { duration: 1, rates },
      ])
    const before = await total()
    const others = { 64: { path: `${path}.64`, size: 100 }, 128: { path: `${path}.128`, size: 20 } }
    await replace({ ...others, 256: { path, size: 123_456, is_main: true } })
    expect(await total()).toBe(before + 120)
    await replace({ 64: others[64], 256: { path, size: 123_456, is_main: true } })
    expect(await total()).toBe(before + 100)
    await pool.query(`UPDATE track SET deleted_at = now() WHERE id = $1`, [track_id])
    expect(await total()).toBeLessThan(before)
    await pool.query(`UPDATE track SET deleted_at = NULL WHERE id = $1`, [track_id])
    expect(await total()).toBe(before + 100)
    await replace(null)
    expect(await total()).toBe(before)
  })

  const changes = {
    'a file of another size': `UPDATE track_file SET size = 5 WHERE track_id = $1`,
    'a file that fails': `UPDATE track_file SET state = 'failed', status_code = 'a', status_text = 'b' WHERE track_id = $1`,
    'a file that is finished': `UPDATE track_file SET state = 'done' WHERE track_id = $1`,
    'a deleted file': `DELETE FROM track_file WHERE track_id = $1`,
    'a recording of another size': `UPDATE track SET source_bytes = 7 WHERE id = $1`,
    'another collection': `UPDATE track SET source_bytes = 8, collection_id = (SELECT id FROM collection ORDER BY id DESC LIMIT 1) WHERE id = $1`,
    'no creator': `UPDATE track SET creator_id = NULL WHERE id = $1`,
    'a deletion': `UPDATE track SET deleted_at = now(), source_bytes = 9 WHERE id = $1`,
    'files and recording of a deleted track': `WITH files AS (UPDATE track_file SET size = 3 WHERE track_id = $1)
      UPDATE track SET source_bytes = 10 WHERE id = $1`,
    'a restored track': `UPDATE track SET deleted_at = NULL WHERE id = $1`,
    'a removed row': `DELETE FROM track WHERE id = $1`,
  }
  const deletion = 'UPDATE track SET deleted_at = now() WHERE id = $1'
  const before: Record<string, string> = {
    'files and recording of a deleted track': deletion,
    'a restored track': deletion,
    'a removed row': 'DELETE FROM track_file WHERE track_id = $1',
  }
  test.each(Object.entries(changes))('%s', async (change, statement) => {
    const { pool } = service.services
    const [{ id }] = await rowsOf(
      `SELECT id FROM track t WHERE deleted_at IS NULL AND NOT EXISTS (SELECT FROM job j WHERE j.track_id = t.id)
       ORDER BY id LIMIT 1`,
    )
    if (before[change]) await pool.query(before[change], [id])
    expect((await pool.query(statement, [id])).rowCount).toBeGreaterThan(0)
  })

  test('a file that is finished while its track is deleted, in either order', async () => {
    const { pool } = service.services
    const tracks = await rowsOf('SELECT track_id AS id FROM track_file GROUP BY 1 ORDER BY 1 LIMIT 2')
    const change = 'UPDATE track_file SET size = size + 1 WHERE track_id = $1'
    for (const [first, second] of [
      [deletion, change],
      [change, deletion],
    ] as const) {
      const { id } = tracks.pop()
      const client = new Client(pool.options)
      await client.connect()
      try {
        await client.query('BEGIN')
        await client.query(first, [id])
        const waiting = pool.query(second, [id])
        await untilBlocked(pool)
        await client.query('COMMIT')
        await waiting
      } finally {
        await client.end()
      }
      expect(await sums()).toEqual(await counted())
    }
  })

  test('folding, also of several workers at once', async () => {
    const { pool } = service.services
    const before = await sums()
    await Promise.all([foldTrackSums(pool), foldTrackSums(pool), foldTrackSums(pool)])
    expect(await sums()).toEqual(before)
    await foldTrackSums(pool)
    const rows = await rowsOf('SELECT tracks, is_folded FROM track_sum')
    expect(rows).toEqual(before.map(() => ({ tracks: expect.any(Number), is_folded: true })))
    await pool.query('UPDATE track SET deleted_at = now() WHERE collection_id = $1', [before[0].collection_id])
    await foldTrackSums(pool)
    expect(await rowsOf('SELECT FROM track_sum')).toHaveLength(before.length - 1)
  })
})

describe('totalCount', () => {
  const count = async (filter: object, key = owner) => {
    const text = 'query ($filter: TrackFilter) { tracks(filter: $filter) { totalCount } }'
    return (await data(service, text, { filter }, key)).tracks.totalCount
  }

  test('is the sum, within the scope and of a collection or creator', async () => {
    const { db } = service.services
    const deletedAt = null
    expect(await count({})).toBe(await db.track.count({ where: { deletedAt } }))
    const collections = await db.collection.findMany()
    for (const { id, creatorId } of collections) {
      const filter = { collectionId: id, ...(creatorId && { creatorId }) }
      expect(await count(filter)).toBe(await db.track.count({ where: { deletedAt, ...filter } }))
    }
    expect(await count({ status: ['READY'] })).toBe(await db.track.count({ where: { deletedAt, status: 'ready' } }))
    expect(await count({ createdUntil: '2020-01-01T00:00:00Z' })).toBe(0)
    const { key } = await createForeign(service)
    expect(await count({}, key)).toBe(1)
    expect(await count({ collectionId: collections[0]?.id ?? '' }, key)).toBe(0)
  })

  test('of a collection and an organization is the sum as well, and of a creator it is counted', async () => {
    const watched = watchStatements(service.services.graphql.pool)
    const tracks = 'tracks { totalCount } ready: tracks(filter: { status: [READY] }) { totalCount }'
    const { organization } = await data(
      service,
      `query ($id: ID!) { organization(id: $id) { ${tracks} collections(first: 10) { nodes { id ${tracks} } }
         creators { nodes { id tracks { totalCount } } } } }`,
      { id: service.demo.organization_id },
      owner,
    )
    watched.stop()
    const counts = (where: object, status = where) =>
      Promise.all([where, status].map((one) => service.services.db.track.count({ where: { deletedAt: null, ...one } })))
    const owners = [
      { ...organization, where: { organizationId: service.demo.organization_id } },
      ...organization.collections.nodes.map((node: Json) => ({ ...node, where: { collectionId: node.id } })),
    ]
    for (const { where, tracks: all, ready } of owners) {
      expect([all.totalCount, ready.totalCount]).toEqual(await counts(where, { ...where, status: 'ready' }))
    }
    for (const { id, tracks: all } of organization.creators.nodes) {
      expect(all.totalCount).toBe((await counts({ creatorId: id }))[0])
    }
    expect(owners.length).toBeGreaterThan(3)
    expect(watched.texts.join().match(/FROM "track_sum"/g)).toHaveLength(2)
    expect(watched.texts.join().match(/count\(\*\)/g)).toHaveLength(3)
  })
})
