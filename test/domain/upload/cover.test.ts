import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { keysOfCover, type StoredOwnCover } from '../../../src/domain/organization/cover/stored.ts'
import { discard } from '../../../src/domain/track/file/bytes.ts'
import type { Services } from '../../../src/platform/context.ts'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { withFailingTransactions } from '../../support/failing.ts'
import { runTask } from '../../support/jobs.ts'
import { stripes } from '../../support/picture.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
let [red, blue] = [new Uint8Array(), new Uint8Array()]
beforeAll(() => {
  red = stripes(300, [[300, [250, 0, 0]]])
  blue = stripes(300, [[300, [0, 0, 250]]])
})
afterEach(async () => {
  service.clock.now = null
  await service.services.db.unusedObject.deleteMany()
})

const MINUTE_MS = 60_000
const later = (ms: number) => {
  service.clock.now = new Date(Date.now() + ms)
}

async function newCollection() {
  const { json } = await service.v1('POST', '/collection', { body: { title: 'With a cover' } })
  return { id: json.collection_id as string, url: json.collection_cover_upload.upload_url as string }
}
async function newTrack() {
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  return { id: json.track_id as string, url: json.track_cover_upload.upload_url as string }
}
async function newAddress(id: string): Promise<string> {
  return (await service.v1('POST', `/collection/${id}/cover`)).json.collection_cover_upload.upload_url
}

async function send(url: string, body: Uint8Array<ArrayBuffer>, edge = service.edge) {
  // As from every client. A body of unknown length takes the most memory, and five of them exceed the share of an organization.
  const headers = { 'content-length': String(body.length) }
  const response = await edge(new Request(url, { method: 'POST', body: new Blob([body]), headers }))
  return { status: response.status, code: ((await response.json()) as Json).code }
}

/** Keys of the pictures that are stored for a record. */
const pictures = (id: string) => service.objects.keys(`source/${service.demo.organization_id}/${id}.`)
const collection = (id: string) => service.services.db.collection.findUniqueOrThrow({ where: { id } })
const listed = async () => (await service.services.db.unusedObject.findMany()).map(({ key }) => key)

/** Services that run `before` when the picture of an upload becomes an object. */
function atCommit(before: () => Promise<unknown>): Services {
  const { storage } = service.services
  const receive: typeof storage.receive = async (...args) => {
    const incoming = await storage.receive(...args)
    const commit = async () => {
      await before()
      await incoming.commit()
    }
    return { ...incoming, commit }
  }
  return { ...service.services, storage: { ...storage, receive } }
}

test('no transaction is open while a picture is stored', async () => {
  const open: number[] = []
  const edge = createEdge(
    atCommit(async () => {
      const { rows } = await service.services.pool.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'`,
      )
      open.push(rows[0].count)
    }),
  )
  for (const { url } of [await newCollection(), await newTrack()]) expect((await send(url, red, edge)).status).toBe(200)
  expect(open).toEqual([0, 0])
})

test('of several uploads to an address one is accepted, and the other pictures are removed', async () => {
  for (const { id, url } of [await newCollection(), await newTrack()]) {
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(url, red)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    const [acceptedPicture, ...others] = await pictures(id)
    expect(others).toEqual([])
    expect(await listed()).not.toContain(acceptedPicture ?? '')
    const { collectionId, trackId } = await service.services.db.job.findFirstOrThrow({ orderBy: { id: 'desc' } })
    expect([collectionId, trackId]).toContain(id)
  }
})

test('an upload that another one overtakes is refused, and leaves nothing', async () => {
  const { id, url } = await newCollection()
  const overtaken = createEdge(atCommit(() => send(url, blue)))
  expect(await send(url, red, overtaken)).toEqual({ status: 409, code: 'upload_completed' })
  const { coverSourceKey } = await collection(id)
  expect(await pictures(id)).toEqual([coverSourceKey ?? ''])
  expect(await service.objects.read(coverSourceKey ?? '')).toEqual(blue)
})

test('a picture for a collection that is deleted while it is stored is refused, and leaves nothing', async () => {
  const { id, url } = await newCollection()
  const deleted = createEdge(atCommit(() => service.v1('DELETE', `/collection/${id}`)))
  expect(await send(url, red, deleted)).toEqual({ status: 404, code: 'not_found' })
  expect(await pictures(id)).toEqual([])
})

test('a picture whose transaction fails is listed, and removed a day later', async () => {
  const { id, url } = await newCollection()
  const edge = createEdge(withFailingTransactions(service.services, new Error('no answer')))
  expect((await send(url, red, edge)).status).toBe(500)
  expect(await listed()).toEqual(await pictures(id))
  later(23 * 60 * MINUTE_MS)
  await runTask(service.services, 'purge_deleted')
  expect(await pictures(id)).toHaveLength(1)
  later(25 * 60 * MINUTE_MS)
  await runTask(service.services, 'purge_deleted')
  expect(await pictures(id)).toEqual([])
})

test('a replaced picture stays for an hour, because a job may read it', async () => {
  const { id, url } = await newCollection()
  await send(url, red)
  const { coverSourceKey: first } = await collection(id)
  later(MINUTE_MS)
  expect((await send(await newAddress(id), blue)).status).toBe(200)
  const { coverSourceKey: second } = await collection(id)
  expect(await pictures(id)).toEqual([first ?? '', second ?? ''].sort())
  later(60 * MINUTE_MS)
  await runTask(service.services, 'purge_deleted')
  expect(await pictures(id)).toHaveLength(2)
  later(62 * MINUTE_MS)
  await runTask(service.services, 'purge_deleted')
  expect(await pictures(id)).toEqual([second ?? ''])
})

describe('the purge keeps what a row names, however it was listed', () => {
  test('the picture and the sizes of the covers of a collection and an organization', async () => {
    const { db } = service.services
    const { organization_id: organizationId } = service.demo
    const { id, url } = await newCollection()
    const organizationUpload = (await service.v1('POST', `/organization/${organizationId}/cover`)).json
    await send(url, red)
    await send(organizationUpload.organization_cover_upload.upload_url, blue)
    await service.runJobs()
    const organization = await db.organization.findUniqueOrThrow({ where: { id: organizationId } })
    const keys = [await collection(id), organization].flatMap(({ cover, coverSourceKey }) => [
      ...keysOfCover(cover as unknown as StoredOwnCover),
      coverSourceKey ?? '',
    ])
    await discard(db, keys, new Date(0))
    await runTask(service.services, 'purge_deleted')
    expect(await Promise.all(keys.map(service.objects.has))).toEqual(Array(18).fill(true))
    const remaining = await listed()
    expect(keys.filter((key) => remaining.includes(key))).toEqual([])
  })

  test('the picture of a track', async () => {
    const { id, url } = await newTrack()
    await send(url, red)
    await discard(service.services.db, await pictures(id), new Date(0))
    await runTask(service.services, 'purge_deleted')
    expect(await pictures(id)).toHaveLength(1)
  })
})
