// The completion of an upload while the database fails.
import { afterEach, expect } from 'bun:test'
import type { Services } from '../../../src/platform/context.ts'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { test } from '../../support/folder-only.ts'
import { recordingsOf } from '../../support/recording.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
afterEach(() => {
  service.clock.now = null
})

async function newUpload() {
  const body = { collection_id: service.demo.collection_id, file_name: 'song.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  return { id: json.track_id as string, url: json.track_upload.upload_url as string }
}
const track = (id: string) => service.services.db.track.findUniqueOrThrow({ where: { id } })
const recordings = (id: string) => recordingsOf(service, id)
const countJobs = (trackId: string) => service.services.db.job.count({ where: { trackId } })
const put = (edge: typeof service.edge, url: string, body: string) => edge(new Request(url, { method: 'PUT', body }))

const lost = () => Object.assign(new Error('Server has closed the connection.'), { code: 'P1017' })

/** The service with transactions that fail. @param fail called with the number of each, from 1, and the real one */
function failing(fail: (count: number, transaction: () => Promise<unknown>) => Promise<unknown>) {
  const { db } = service.services
  let count = 0
  const proxy = new Proxy(db, {
    get: (target, name) => {
      if (name !== '$transaction') return Reflect.get(target, name)
      return (run: Parameters<typeof db.$transaction>[0]) => fail(++count, () => db.$transaction(run as never))
    },
  })
  return createEdge({ ...service.services, db: proxy as Services['db'] })
}

test('a finished upload survives a database that is away for a moment', async () => {
  const { id, url } = await newUpload()
  let tries = 0
  const edge = failing((count, transaction) => {
    tries = count
    return count < 3 ? Promise.reject(lost()) : transaction()
  })
  expect((await put(edge, url, 'sound')).status).toBe(200)
  expect([tries, (await recordings(id)).length, await countJobs(id)]).toEqual([3, 1, 1])
})

test('a commit whose answer was lost is found, and its recording is kept', async () => {
  const { id, url } = await newUpload()
  const edge = failing(async (count, transaction) => {
    await transaction()
    if (count === 1) throw lost()
  })
  expect((await put(edge, url, 'sound')).status).toBe(200)
  expect((await recordings(id)).length).toBe(1)
  expect([(await track(id)).sourceBytes, await countJobs(id)]).toEqual([5n, 1])
})

test('a retry that finds another upload answers 409 and removes only its own object', async () => {
  const { id, url } = await newUpload()
  const edge = failing(async (count, transaction) => {
    if (count > 1) return transaction()
    expect((await put(service.edge, url, 'other')).status).toBe(200)
    throw lost()
  })
  const answer = await put(edge, url, 'sound!')
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([409, 'upload_completed'])
  expect((await recordings(id)).length).toBe(1)
  expect([(await track(id)).sourceBytes, await countJobs(id)]).toEqual([5n, 1])
})

test('it gives up after 15 seconds with 503, and another upload is accepted', async () => {
  const { id, url } = await newUpload()
  const began = Date.now()
  let tries = 0
  const edge = failing((count) => {
    tries = count
    service.clock.now = new Date(began + count * 5000)
    return Promise.reject(lost())
  })
  expect((await put(edge, url, 'sound')).status).toBe(503)
  expect(tries).toBe(3)
  expect(await track(id)).toMatchObject({ status: 'initialized', sourceKey: null })
  expect((await put(service.edge, url, 'again')).status).toBe(200)
})

test('a failure that a retry cannot mend is answered at once', async () => {
  const { url } = await newUpload()
  let tries = 0
  const edge = failing((count) => {
    tries = count
    return Promise.reject(new Error('a mistake'))
  })
  expect((await put(edge, url, 'sound')).status).toBe(500)
  expect(tries).toBe(1)
})
