import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createCollection, createForeign } from '../../spec/support.ts'
import { hire, signIn } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { stripes } from '../../support/picture.ts'
import { processed, readTrack } from '../../support/processed.ts'
import { restoring } from '../../support/restore.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { untilBlocked } from '../../support/until.ts'
import { readyTrack } from '../../support/viewers.ts'

const DAY_MS = 86_400_000
const service = useTestService()
const studio = restoring(service)
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(1)
}, 60_000)
afterEach(() => {
  service.clock.now = null
})

const newTrack = () => readyTrack(service, service.demo.collection_id, null)
const rowOf = (id: string) => service.services.db.track.findUniqueOrThrow({ where: { id } })
const deletedAtOf = async (id: string) => (await rowOf(id)).deletedAt
/** The undeleted tracks and their bytes, as the sums say. */
const sums = async () => {
  const { rows } = await service.services.pool.query(
    `SELECT sum(tracks)::int AS tracks, sum(source_bytes)::int AS source, sum(file_bytes)::int AS files FROM track_sum`,
  )
  return rows[0]
}
const notFound = 'not_found: id: no such record'

describe('restoring a track', () => {
  test('returns it to lists, search, sums and delivery, with its files', async () => {
    const { id, files } = await processed(service, sound, 'restorable.wav')
    const before = await sums()
    const search = async () =>
      (await studio.send(`{ tracks(filter: { search: "restorable" }) { nodes { id } totalCount } }`)).data.tracks
    expect(await studio.deleteTrack(id)).toBeNull()
    expect([(await search()).nodes, (await service.fetchEdge(files.hq.url)).status]).toEqual([[], 403])
    expect(await sums()).not.toEqual(before)

    expect(await studio.restoreTrack(id)).toBeNull()
    expect((await search()).nodes).toEqual([{ id }])
    expect(await sums()).toEqual(before)
    const { json } = await service.v1('GET', `/track/${id}`)
    expect(json.track.track_status_id).toBe('ready')
    const url = json.files.find((file: { variant: { index: string } }) => file.variant.index === 'hq').url
    expect((await service.fetchEdge(url)).status).toBe(200)
  }, 60_000)

  test('is allowed to the end of the grace period, and not after it', async () => {
    const [late, tooLate] = [await newTrack(), await newTrack()]
    const now = new Date()
    service.clock.now = now
    await studio.deleteTrack(late)
    await studio.deleteTrack(tooLate)
    const { rows } = await service.services.pool.query(
      `UPDATE track SET deleted_at = deleted_at - interval '7 days' + CASE WHEN id = $1 THEN interval '1 ms' ELSE '0' END
       WHERE id IN ($1, $2) RETURNING id`,
      [late, tooLate],
    )
    expect(rows).toHaveLength(2)
    const { nodes } = await studio.deletedTracks()
    expect(nodes).toContainEqual({
      id: late,
      deletedAt: new Date(now.getTime() - 7 * DAY_MS + 1).toISOString(),
      restorableUntil: new Date(now.getTime() + 1).toISOString(),
    })
    expect(nodes.map(({ id }: { id: string }) => id)).not.toContain(tooLate)
    expect(await studio.restoreTrack(tooLate)).toBe(
      'expired: The track was deleted more than 7 days ago. Its files are removed, so it cannot be restored.',
    )
    expect(await studio.restoreTrack(late)).toBeNull()
    expect([await deletedAtOf(late), await deletedAtOf(tooLate)]).toEqual([null, new Date(now.getTime() - 7 * DAY_MS)])
  })

  test('is refused for a purged track, even if its grace period is extended later', async () => {
    const id = await newTrack()
    await studio.deleteTrack(id)
    await service.services.db.track.update({ where: { id }, data: { purgedAt: new Date() } })
    expect(await studio.restoreTrack(id)).toStartWith('expired: ')
    expect(await deletedAtOf(id)).not.toBeNull()
    expect((await studio.deletedTracks()).nodes.map((node: { id: string }) => node.id)).not.toContain(id)
  })

  test('is refused for a track that is not deleted, was restored already, is unknown or foreign', async () => {
    const id = await newTrack()
    expect(await studio.restoreTrack(id)).toBe(notFound)
    await studio.deleteTrack(id)
    const foreign = await createForeign(service)
    const { db } = service.services
    await db.track.update({ where: { id: foreign.trackId }, data: { deletedAt: new Date() } })
    expect(await studio.restoreTrack(foreign.trackId)).toBe(notFound)
    expect(await deletedAtOf(foreign.trackId)).not.toBeNull()
    expect(await studio.restoreTrack(crypto.randomUUID())).toBe(notFound)
    expect([await studio.restoreTrack(id), await studio.restoreTrack(id)]).toEqual([null, notFound])
  })

  test('is refused to the role viewer, who sees the list, and to keys', async () => {
    const id = await newTrack()
    await studio.deleteTrack(id)
    const owner = (await signIn(service)).token as string
    const viewer = (await signIn(service, await hire(service, owner, 'viewer'))).token as string
    expect(
      (await studio.deletedTracks('(first: 1)', { key: viewer })).nodes.map((node: { id: string }) => node.id),
    ).toEqual([id])
    for (const key of [viewer, service.demo.api_key])
      expect(await studio.restoreTrack(id, { key })).toStartWith('forbidden')
    expect(await deletedAtOf(id)).not.toBeNull()
  })

  test('is refused while its collection is deleted', async () => {
    const { id: collectionId } = await createCollection(service)
    const id = await readyTrack(service, collectionId, null)
    await studio.deleteTrack(id)
    await studio.deleteCollection(collectionId)
    expect(await studio.restoreTrack(id)).toBe(
      'not_found: The collection of the track is deleted. Restore the collection first.',
    )
    expect((await studio.deletedTracks()).nodes.map((node: { id: string }) => node.id)).not.toContain(id)
  })

  test('takes it from a creator that was deleted since', async () => {
    const { json } = await service.v1('POST', '/creator', { body: { organization_index: 'leaving' } })
    const id = await readyTrack(service, service.demo.collection_id, json.creator_id)
    await studio.deleteTrack(id)
    expect((await service.v1('DELETE', `/creator/${json.creator_id}`)).status).toBe(200)
    expect(await studio.restoreTrack(id)).toBeNull()
    expect((await rowOf(id)).creatorId).toBeNull()
    const { rows } = await service.services.pool.query(
      'SELECT coalesce(sum(tracks), 0)::int AS tracks FROM track_sum WHERE creator_id = $1',
      [json.creator_id],
    )
    expect(rows).toEqual([{ tracks: 0 }])
  })
})

describe('the list of deleted tracks', () => {
  test('starts with the latest deletion, in pages', async () => {
    const { db } = service.services
    await db.track.updateMany({ where: { deletedAt: { not: null } }, data: { purgedAt: new Date() } })
    const ids = [await newTrack(), await newTrack(), await newTrack()]
    for (const [i, id] of ids.entries()) {
      service.clock.now = new Date(Date.now() + i * 1000)
      await studio.deleteTrack(id)
    }
    const text = (after: string) =>
      `{ deletedTracks(first: 2${after}) { nodes { id collection { id } } totalCount pageInfo { hasNextPage endCursor } } }`
    const { deletedTracks: first } = (await studio.send(text(''))).data
    expect(first.nodes[0].collection).toEqual({ id: service.demo.collection_id })
    const { deletedTracks: second } = (await studio.send(text(`, after: "${first.pageInfo.endCursor}"`))).data
    expect([first.totalCount, first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([3, true, false])
    const shownIds = [...first.nodes, ...second.nodes].map(({ id }) => id)
    expect(shownIds).toEqual(ids.toReversed())
  })
})

describe('a track that was deleted while it was unfinished', () => {
  test('is processed after its restoration if its job has ended', async () => {
    const id = await uploadTrack(service, sound)
    await studio.deleteTrack(id)
    await service.runJobs()
    expect(await studio.restoreTrack(id)).toBeNull()
    await service.runJobs()
    const { json } = await service.v1('GET', `/track/${id}`)
    expect(json.track.track_status_id).toBe('ready')
    expect(json.files.every((file: { is_success: boolean }) => file.is_success)).toBe(true)
  }, 60_000)

  test('keeps its job if that has not ended', async () => {
    const id = await uploadTrack(service, sound)
    await studio.deleteTrack(id)
    expect(await studio.restoreTrack(id)).toBeNull()
    await runTask(service.services, 'resume_tracks', { trackIds: [id] })
    expect(await service.services.db.job.count({ where: { trackId: id } })).toBe(1)
    await service.runJobs()
    expect((await rowOf(id)).status).toBe('ready')
  }, 60_000)

  test('becomes ready when a rebuild was interrupted, with the files that it had', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    await studio.send(`mutation { rebuildTrack(id: "${id}") { jobId } }`)
    expect((await rowOf(id)).status).toBe('processing')
    await studio.deleteTrack(id)
    await service.runJobs()
    await studio.restoreTrack(id)
    await service.runJobs()
    expect((await rowOf(id)).status).toBe('ready')
  }, 60_000)

  test.each(['before its job', 'before its first picture is stored'])(
    'gets a cover if it was deleted %s',
    async (when) => {
      const { id } = await processed(service, sound, 'a.wav')
      const { json } = await service.v1('POST', `/track/${id}/cover`)
      const body = stripes(300, [[300, [0, 0, 250]]])
      expect((await service.fetchEdge(json.track_cover_upload.upload_url, { method: 'POST', body })).status).toBe(200)
      const { db, storage } = service.services
      const job = await db.job.findFirstOrThrow({ where: { trackId: id, kind: 'process_track_cover' } })
      let deletion: Promise<unknown> | undefined
      const put: typeof storage.put = async (...args) => {
        deletion ??= studio.deleteTrack(id)
        await deletion
        return storage.put(...args)
      }
      if (when === 'before its job') await studio.deleteTrack(id)
      await runTask({ ...service.services, storage: { ...storage, put } }, 'process_cover', { jobId: job.id })
      const ended = await db.job.findUniqueOrThrow({ where: { id: job.id } })
      expect(ended).toMatchObject({ state: 'cancelled', error: 'track_deleted' })
      expect(await studio.restoreTrack(id)).toBeNull()
      await service.runJobs()
      expect((await readTrack(service, id)).files.cover?.is_success).toBe(true)
      const jobs = await db.job.findMany({
        where: { trackId: id, kind: 'process_track_cover' },
        orderBy: { id: 'asc' },
      })
      expect(jobs.map(({ state, error }) => [state, error])).toEqual([
        ['cancelled', 'track_restored'],
        ['done', null],
      ])
    },
    60_000,
  )

  test('takes the rest of its upload', async () => {
    const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
    const { json } = await service.v1('POST', '/track', { body })
    await studio.deleteTrack(json.track_id)
    expect(await studio.restoreTrack(json.track_id)).toBeNull()
    await runTask(service.services, 'resume_tracks', { trackIds: [json.track_id] })
    expect(await service.services.db.job.count({ where: { trackId: json.track_id } })).toBe(0)
    const put = { method: 'PUT', body: new Blob([sound]) }
    expect((await service.fetchEdge(json.track_upload.upload_url, put)).status).toBe(200)
  })

  test('goes on with a job that finds it deleted and is about to end when it is restored', async () => {
    const id = await uploadTrack(service, sound)
    await studio.deleteTrack(id)
    const { db, pool } = service.services
    const job = await db.job.findFirstOrThrow({ where: { trackId: id } })
    const other = await pool.connect()
    try {
      await other.query('BEGIN')
      await other.query('UPDATE track SET deleted_at = NULL WHERE id = $1', [id])
      const ended = runTask(service.services, 'process_track', { jobId: job.id })
      await untilBlocked(pool)
      await other.query('COMMIT')
      expect(await ended).toBe('done')
    } finally {
      await other.query('ROLLBACK')
      other.release()
    }
    expect((await rowOf(id)).status).toBe('ready')
  }, 60_000)
})

describe('at the same moment', () => {
  /** Runs two requests while the row of a track is locked, so that both wait for it, in this order. */
  async function inOrder<A, B>(id: string, first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
    const { pool } = service.services
    const other = await pool.connect()
    try {
      await other.query('BEGIN')
      await other.query('SELECT id FROM track WHERE id = $1 FOR UPDATE', [id])
      const one = first()
      await untilBlocked(pool)
      const two = second()
      await untilBlocked(pool, { count: 2 })
      await other.query('COMMIT')
      return [await one, await two]
    } finally {
      await other.query('ROLLBACK')
      other.release()
    }
  }

  test('two requests restore a track once', async () => {
    const id = await newTrack()
    await studio.deleteTrack(id)
    const restore = () => studio.restoreTrack(id)
    expect(await inOrder(id, restore, restore)).toEqual([null, notFound])
  })

  test('the purge leaves out a track that is being restored in the last moment', async () => {
    const { id } = await processed(service, sound, 'last.wav')
    await studio.deleteTrack(id)
    const deletedAt = (await deletedAtOf(id)) as Date
    // By the clock of the purge the grace period has ended, by that of the request not yet.
    const later = { ...service.services, clock: () => new Date(deletedAt.getTime() + 7 * DAY_MS + 60_000) }
    const { pool } = service.services
    const other = await pool.connect()
    try {
      await other.query('BEGIN')
      await other.query('UPDATE track SET deleted_at = NULL WHERE id = $1', [id])
      await runTask(later, 'purge_deleted')
      await other.query('COMMIT')
    } finally {
      await other.query('ROLLBACK')
      other.release()
    }
    await runTask(later, 'purge_deleted')
    const { sourceKey, purgedAt } = await rowOf(id)
    expect([purgedAt, await service.services.storage.size(sourceKey ?? '')]).toEqual([null, sound.length])
  }, 60_000)

  test('a track that the purge has taken is not restored, although its bytes are still stored', async () => {
    const { id } = await processed(service, sound, 'taken.wav')
    await studio.deleteTrack(id)
    const deletedAt = (await deletedAtOf(id)) as Date
    const later = { ...service.services, clock: () => new Date(deletedAt.getTime() + 7 * DAY_MS + 60_000) }
    let refusal: string | null = null
    const { storage } = service.services
    const remove: typeof storage.remove = async (...args) => {
      refusal ??= await studio.restoreTrack(id)
      return storage.remove(...args)
    }
    await runTask({ ...later, storage: { ...storage, remove } }, 'purge_deleted')
    expect(refusal ?? '').toStartWith('expired')
    const { sourceKey } = await rowOf(id)
    expect(await storage.size(sourceKey ?? '')).toBeNull()
  }, 60_000)

  test('a track is not restored into a collection that is being deleted', async () => {
    const { id: collectionId } = await createCollection(service)
    const id = await readyTrack(service, collectionId, null)
    await studio.deleteTrack(id)
    const { pool } = service.services
    const other = await pool.connect()
    try {
      await other.query('BEGIN')
      await other.query('UPDATE collection SET deleted_at = now() WHERE id = $1', [collectionId])
      const restored = studio.restoreTrack(id)
      await untilBlocked(pool)
      await other.query('COMMIT')
      expect(await restored).toStartWith('not_found: The collection')
    } finally {
      await other.query('ROLLBACK')
      other.release()
    }
    expect(await deletedAtOf(id)).not.toBeNull()
  })

  test('a deletion of the collection takes along a track that is being restored', async () => {
    const { id: collectionId } = await createCollection(service)
    const id = await readyTrack(service, collectionId, null)
    await studio.deleteTrack(id)
    const [restored, deleted] = await inOrder(
      id,
      () => studio.restoreTrack(id),
      () => studio.deleteCollection(collectionId),
    )
    expect([restored, deleted]).toEqual([null, null])
    const collection = await service.services.db.collection.findUniqueOrThrow({ where: { id: collectionId } })
    expect(await deletedAtOf(id)).toEqual(collection.deletedAt)
  })
})
