// Lists of /v1 with long metadata: they may have 13 MB, must not delay others, and do not stay in memory for clients that
// read nothing.
import { beforeAll, expect, test } from 'bun:test'
import { MAX_UNREAD } from '../../../src/platform/http/large-answer.ts'
import { createForeign } from '../../spec/support.ts'
import { fillLibrary } from '../../support/library.ts'
import { useTestService } from '../../support/service.ts'
import { untilBlocked } from '../../support/until.ts'

const service = useTestService()
let path: string
let foreignKey: string
beforeAll(async () => {
  const { pool } = service.services
  const { organization_id } = service.demo
  await fillLibrary(pool, organization_id, { collections: 1, tracks: 200 })
  await pool.query(`UPDATE track SET metadata = jsonb_build_object('text', repeat('x', 60000))`)
  const { rows } = await pool.query<{ id: string }>("SELECT id FROM collection WHERE title = 'Collection 1'")
  path = `/v1/collection/${rows[0]?.id}/track`
  foreignKey = (await createForeign(service)).key
}, 60_000)

const open = async (query: string, key = service.demo.api_key, target = path) =>
  await service.gateway(
    new Request(`http://localhost:3000${target}${query}`, { headers: { authorization: `Bearer ${key}` } }),
  )

test('a page of 12 MB is complete, and has the form of a small one', async () => {
  const large = await open('?limit=200')
  expect(large.status).toBe(200)
  expect(large.headers.get('content-type')).toBe('application/json')
  expect(large.headers.get('cache-control')).toBe('no-store')
  const { tracks, ...envelope } = await large.json()
  expect(tracks).toHaveLength(200)
  expect(envelope).toEqual({ ok: true, api_request_id: large.headers.get('x-request-id'), count: 200 })
  const small = await (await open('?limit=1&offset=7')).json()
  expect(tracks[7]).toEqual({ ...small.tracks[0], base_url: expect.any(String) })
})

test('pages of a list that was large are read one after another, while small ones and others are answered', async () => {
  await (await open('?limit=200')).bytes()
  const lock = await service.services.pool.connect()
  try {
    await lock.query('BEGIN; LOCK TABLE track IN ACCESS EXCLUSIVE MODE')
    const pages = Array.from({ length: 4 }, () => open('?limit=200'))
    await untilBlocked(service.services.pool, { count: 1 })
    expect((await open('?limit=1', service.demo.api_key, '/v1/creator')).status).toBe(200)
    expect((await open('', foreignKey, '/v1/collection')).status).toBe(200)
    expect(await untilBlocked(service.services.pool, { count: 1 })).toHaveLength(1)
    await lock.query('ROLLBACK')
    for (const page of await Promise.all(pages)) expect((await page.bytes()).byteLength).toBeGreaterThan(12_000_000)
  } finally {
    lock.release()
  }
}, 30_000)

test('an organization has at most 8 that its clients do not read; others, and its small answers, are sent', async () => {
  const unread = await Promise.all(Array.from({ length: MAX_UNREAD.organization }, () => open('?limit=200')))
  expect(unread.map(({ status }) => status)).toEqual(Array(MAX_UNREAD.organization).fill(200))
  const refused = await open('?limit=200')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await refused.json()).code).toBe('unavailable')
  expect((await open('?limit=1')).status).toBe(200)
  expect((await open('', foreignKey, '/v1/collection')).status).toBe(200)
  await unread[0]?.body?.cancel()
  const next = await open('?limit=200')
  expect((await next.bytes()).byteLength).toBeGreaterThan(12_000_000)
  for (const response of unread.slice(1)) await response.body?.cancel()
})
