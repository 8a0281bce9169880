import { beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { keysOfCover, type StoredOwnCover } from '../../../src/domain/organization/cover/stored.ts'
import { sql } from '../../support/administrators.ts'
import { measureImage } from '../../support/image.ts'
import { runTask } from '../../support/jobs.ts'
import { stripes } from '../../support/picture.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
const square = stripes(300, [[300, [0, 0, 250]]])
const wide = stripes(200, [[400, [250, 0, 0]]])

beforeEach(() => {
  service.clock.now = new Date((service.clock.now?.getTime() ?? Date.now()) + 60_000)
})

/** Uploads a cover. @returns ID of its job */
async function upload(owner: 'collection' | 'organization', body: Uint8Array<ArrayBuffer>): Promise<string> {
  const id = service.demo[`${owner}_id`]
  const { json } = await service.v1('POST', `/${owner}/${id}/cover`)
  const { upload_url } = json[`${owner}_cover_upload`]
  expect((await service.fetchEdge(upload_url, { method: 'POST', body })).status).toBe(200)
  const newest = `SELECT id FROM job WHERE kind = 'process_${owner}_cover' ORDER BY created_at DESC, id DESC LIMIT 1`
  return (await sql(service, newest)).rows[0].id
}
const work = (jobId: string, services = service.services) => runTask(services, 'process_cover', { jobId })

/** Services whose first `put` waits, as on a slow worker. */
function pausedAtPut(until: Promise<void>) {
  const { storage } = service.services
  const isReached = Promise.withResolvers<void>()
  const put: typeof storage.put = async (...args) => {
    isReached.resolve()
    await until
    return storage.put(...args)
  }
  return { services: { ...service.services, storage: { ...storage, put } }, isReached: isReached.promise }
}

async function readCover(owner: 'collection' | 'organization'): Promise<Json> {
  const { data } = await service.graphql(
    `{ ${owner}(id: "${service.demo[`${owner}_id`]}") { coverImage { large { url width height webp { url } } icon { url } } } }`,
  )
  return data[owner].coverImage
}
const storedCover = async (owner: 'collection' | 'organization') =>
  (await sql(service, `SELECT cover FROM ${owner} WHERE id = $1`, [service.demo[`${owner}_id`]])).rows[0]
    .cover as StoredOwnCover
const unusedKeys = async () =>
  (await sql(service, 'SELECT key, remove_after FROM unused_object')).rows as { key: string; remove_after: Date }[]

describe.each(['collection', 'organization'] as const)('the cover of a %s', (owner) => {
  test('a late job leaves the bytes of a newer one alone', async () => {
    const older = await upload(owner, square)
    const newer = Promise.withResolvers<void>()
    const { services, isReached } = pausedAtPut(newer.promise)
    // The older job has read its picture before the newer one is uploaded.
    const late = work(older, services)
    await isReached
    service.clock.now = new Date((service.clock.now?.getTime() ?? 0) + 1000)
    await work(await upload(owner, wide))
    const before = await storedCover(owner)
    newer.resolve()
    await late

    expect(await storedCover(owner)).toEqual(before)
    const { large, icon } = await readCover(owner)
    expect([large.width, large.height]).toEqual([400, 200])
    for (const [url, entry] of [
      [large.url, before.large],
      [large.webp.url, before.large.webp],
      [icon.url, before.icon],
    ] as const) {
      const answer = await service.fetchEdge(url)
      const bytes = Buffer.from(await answer.arrayBuffer())
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      expect([answer.status, answer.headers.get('content-length'), bytes.length]).toEqual([
        200,
        String(entry?.size),
        entry?.size ?? -1,
      ])
      expect([answer.headers.get('etag'), sha256]).toEqual([`"${entry?.sha256}"`, entry?.sha256 ?? ''])
    }
    expect(await measureImage(await (await service.fetchEdge(large.url)).arrayBuffer())).toMatchObject({ height: 200 })
    // The late job's bytes are removed after a day, the newer one's are in use.
    const unused = (await unusedKeys()).map(({ key }) => key)
    expect(unused.filter((key) => key.includes(older))).toHaveLength(8)
    expect(unused.filter((key) => keysOfCover(before).includes(key))).toEqual([])
  })

  test('is delivered with its own time until it is replaced, and its bytes are kept for an hour', async () => {
    await work(await upload(owner, square))
    const first = await storedCover(owner)
    const { large } = await readCover(owner)
    const modified = (await service.fetchEdge(large.url)).headers.get('last-modified')
    service.clock.now = new Date((service.clock.now?.getTime() ?? 0) + 5000)
    const job = await upload(owner, wide)
    const waiting = await service.fetchEdge(large.url)
    expect([waiting.status, waiting.headers.get('last-modified')]).toEqual([200, modified])

    await work(job)
    const after = await service.fetchEdge(large.url, { headers: { 'if-modified-since': modified ?? '' } })
    expect(after.status).toBe(200)
    expect(await measureImage(await after.arrayBuffer())).toMatchObject({ width: 400, height: 200 })
    const keys = keysOfCover(first)
    const replaced = (await unusedKeys()).filter(({ key }) => keys.includes(key))
    expect(replaced).toHaveLength(8)
    const hour = (service.clock.now?.getTime() ?? 0) + 3_600_000
    expect(new Set(replaced.map(({ remove_after }) => remove_after.getTime()))).toEqual(new Set([hour]))

    service.clock.now = new Date(hour + 1000)
    await runTask(service.services, 'purge_deleted')
    expect(await service.services.storage.size(keys[0] ?? '')).toBeNull()
    expect((await service.fetchEdge((await readCover(owner)).large.url)).status).toBe(200)
  })
})
