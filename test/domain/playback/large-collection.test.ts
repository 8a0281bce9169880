// Play sessions of large collections: opening and reading one takes few rows and few locks.
import { beforeAll, expect, test } from 'bun:test'
import { MAX_COUNTED_TRACKS } from '../../../src/domain/playback/session/service.ts'
import * as database from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'

const TRACKS = MAX_COUNTED_TRACKS + 20

const service = useTestService()
const readRows = async (text: string, values?: unknown[]): Promise<Json[]> =>
  (await database.sql(service, text, values)).rows
let collectionId: string
/** Each track has a file of `hq`, and a variant of its own with the index `Mp3_High`. */
beforeAll(async () => {
  const { json } = await service.v1('POST', '/collection', { body: { title: 'Large' } })
  collectionId = json.collection_id
  const first = await playableTrack(service, { collectionId, indexes: ['hq'] })
  await readRows(
    `WITH copied AS (
       INSERT INTO track SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'order', n,
         'index', 'copy-' || n, 'base_path', t.base_path || n, 'source_key', t.source_key || n))).*
       FROM track t, generate_series(1, $2::int - 1) n WHERE t.id = $1 RETURNING id
     ) INSERT INTO track_file SELECT (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'track_id', c.id,
         'path', f.path || c.id, 'storage_key', f.storage_key || c.id))).* FROM track_file f, copied c WHERE f.track_id = $1`,
    [first, TRACKS],
  )
  await readRows(
    `INSERT INTO variant (id, organization_id, track_id, type, index, props, updated_at)
     SELECT gen_random_uuid(), organization_id, id, 'transcode', 'Mp3_High', '{}', now() FROM track WHERE collection_id = $1`,
    [collectionId],
  )
})

const openSession = (variants: string[]) =>
  service.v1('POST', '/play_session/collection', { body: { collection_id: collectionId, variants } })

/** Numbers of variants that some transaction has locked, by index. PostgreSQL writes the lock into the row. */
const lockedVariants = async () =>
  Object.fromEntries(
    (await readRows('SELECT index, count(*)::int AS n FROM variant WHERE xmax::text <> $1 GROUP BY 1', ['0'])).map(
      ({ index, n }) => [index, n],
    ),
  )

test('opening a session locks the variants of the organization only, and reads one of the tracks', async () => {
  const watched = watchStatements(service.services.pool)
  const { status, json } = await openSession(['hq', 'mp3_high', 'HQ'])
  watched.stop()
  expect([status, json.play_session.variants]).toEqual([200, ['hq', 'Mp3_High']])
  const locked = await lockedVariants()
  expect(locked.hq).toBe(1)
  expect(locked.Mp3_High).toBeUndefined()
  const place = watched.texts.findIndex((text) => text.includes('unnest') && text.includes('FROM variant'))
  expect(watched.rows[place]).toBe(1)
})

test('a variant that neither the organization nor a track of the collection has is not found', async () => {
  const { json: other } = await service.v1('POST', '/collection', { body: { title: 'Small' } })
  const body = { collection_id: other.collection_id, variants: ['mp3_high'] }
  expect((await service.v1('POST', '/play_session/collection', { body })).status).toBe(404)
  expect((await openSession(['mp3_high', 'nothing'])).status).toBe(404)
})

test('counts at most 1,000 tracks, and reads no more for it', async () => {
  const { json: opened } = await openSession([])
  const watched = watchStatements(service.services.pool)
  const { json } = await service.v1('GET', `/play_session/${opened.play_session_id}?limit=1`, { key: null })
  watched.stop()
  expect([json.count, json.tracks.length]).toEqual([MAX_COUNTED_TRACKS, 1])
  expect(watched.texts.filter((text) => /count\(\*\)/.test(text))).toEqual([])
  expect(Math.max(...watched.rows)).toBe(MAX_COUNTED_TRACKS)
  const last = `/play_session/${opened.play_session_id}?limit=200&offset=${MAX_COUNTED_TRACKS}`
  expect((await service.v1('GET', last, { key: null })).json.tracks).toHaveLength(20)
})
