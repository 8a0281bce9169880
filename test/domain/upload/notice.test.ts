import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { locks } from '../../../src/platform/db/locks.ts'
import { createS3Storage } from '../../../src/platform/storage/s3.ts'
import { tone } from '../../support/audio.ts'
import { type Bucket, startBucket } from '../../support/bucket.ts'
import { runTask } from '../../support/jobs.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService({ LOG_LEVEL: 'silent' })
let bucket: Bucket
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  bucket = await startBucket()
  service.services.storage = createS3Storage(bucket.settings, undefined, { pauseMs: 1 })
  sound = await tone(1)
}, 60_000)
afterEach(async () => {
  service.clock.now = null
  bucket.reset()
  await service.services.db.track.deleteMany({ where: { status: 'initialized', uploadCompletedAt: null } })
  for (const key of await bucket.keys('incoming/')) await service.services.storage.remove([key])
})
afterAll(() => bucket.stop())

async function createTrack() {
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
  return (await service.v1('POST', '/track', { body })).json.track_id as string
}
const findTrack = (id: string) => service.services.db.track.findUniqueOrThrow({ where: { id } })
const isComplete = async (id: string) => (await findTrack(id)).uploadCompletedAt !== null
const HOUR_MS = 3_600_000
const later = (ms: number) => {
  service.clock.now = new Date(Date.now() + ms)
}
test('notices an upload however many older tracks wait, with requests for real objects only', async () => {
  const template = await createTrack()
  await service.services.pool.query(
    `INSERT INTO track (id, organization_id, collection_id, "order", index, file_name, file_name_original, base_path,
       upload_expires_at, updated_at, created_at)
     SELECT gen_random_uuid(), organization_id, collection_id, n, 'old' || n, file_name, file_name_original,
       base_path || n, upload_expires_at, updated_at, created_at - interval '1 hour'
     FROM track, generate_series(1, 600) n WHERE id = $1`,
    [template],
  )
  const id = await createTrack()
  await bucket.put(`incoming/${id}`, sound)
  bucket.reset()
  await runTask(service.services, 'notice_uploads')
  expect(await isComplete(id)).toBe(true)
  expect(bucket.requests.filter((request) => request.includes('incoming')).length).toBeLessThan(6)
})

test('examines every page', async () => {
  const ids = await Promise.all([1, 2, 3, 4, 5].map(() => createTrack()))
  await Promise.all(ids.map((id) => bucket.put(`incoming/${id}`, sound)))
  bucket.listInPagesOf(2)
  await runTask(service.services, 'notice_uploads')
  expect(await Promise.all(ids.map(isComplete))).toEqual([true, true, true, true, true])
  expect(bucket.requests.filter((request) => request.startsWith('GET ?'))).toHaveLength(3)
})

test('continues after an object that cannot be read, and tries it again', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => createTrack()))
  await Promise.all(ids.map((id) => bucket.put(`incoming/${id}`, sound)))
  const broken = [...ids].sort()[0] ?? ''
  bucket.intercept(({ method }, key) =>
    method === 'HEAD' && key.endsWith(broken) ? new Response(null, { status: 503 }) : null,
  )
  await runTask(service.services, 'notice_uploads')
  expect((await Promise.all(ids.map(isComplete))).filter(Boolean)).toHaveLength(2)
  expect(await isComplete(broken)).toBe(false)
  bucket.intercept(null)
  await runTask(service.services, 'notice_uploads')
  expect(await isComplete(broken)).toBe(true)
})

test('does not run twice at once', async () => {
  const listed = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  bucket.intercept(async (_, key) => {
    if (key === '') {
      listed.resolve()
      await release.promise
    }
    return null
  })
  const first = runTask(service.services, 'notice_uploads')
  await listed.promise
  await runTask(service.services, 'notice_uploads')
  expect(bucket.requests).toHaveLength(1)
  release.resolve()
  await first
  await runTask(service.services, 'notice_uploads')
  expect(bucket.requests).toHaveLength(2)
  const text = 'SELECT pg_try_advisory_lock($1) AS free, pg_advisory_unlock($1)'
  const { rows } = await service.services.pool.query(text, [locks.noticeUploads])
  expect(rows).toMatchObject([{ free: true }])
})

test('removes objects of tracks that take none, and unknown ones after a day', async () => {
  const done = await createTrack()
  await bucket.put(`incoming/${done}`, sound)
  await runTask(service.services, 'notice_uploads')
  await bucket.put(`incoming/${done}`, sound)
  await bucket.put('incoming/other', sound)
  await runTask(service.services, 'notice_uploads')
  expect(await bucket.keys('incoming/')).toEqual(['incoming/other'])
  later(23 * HOUR_MS)
  await runTask(service.services, 'notice_uploads')
  expect(await bucket.keys('incoming/')).toEqual(['incoming/other'])
  later(25 * HOUR_MS)
  await runTask(service.services, 'notice_uploads')
  expect(await bucket.keys('incoming/')).toEqual([])
})

test('keeps a complete upload that cannot be accepted yet, also after a day', async () => {
  const id = await createTrack()
  await bucket.put(`incoming/${id}`, sound)
  later(25 * HOUR_MS)
  bucket.intercept(({ headers }) => (headers.has('x-amz-copy-source') ? new Response(null, { status: 403 }) : null))
  for (const name of ['notice_uploads', 'expire_uploads', 'purge_deleted']) await runTask(service.services, name)
  expect((await findTrack(id)).status).toBe('initialized')
  expect(await bucket.get(`incoming/${id}`)).toEqual(sound)
  bucket.intercept(null)
  await runTask(service.services, 'notice_uploads')
  expect(await isComplete(id)).toBe(true)
})

test('an expired track whose upload is complete is accepted, and one without an upload ends', async () => {
  const [complete, unused] = [await createTrack(), await createTrack()]
  await bucket.put(`incoming/${complete}`, sound)
  later(7 * HOUR_MS - 60_000)
  await runTask(service.services, 'expire_uploads')
  expect([await isComplete(complete), (await findTrack(unused)).status]).toEqual([false, 'initialized'])
  later(7 * HOUR_MS + 60_000)
  await runTask(service.services, 'expire_uploads')
  expect(await isComplete(complete)).toBe(true)
  expect(await findTrack(unused)).toMatchObject({ status: 'init_error', statusCode: 'upload_expired' })
})

test('does not expire a track while the bucket cannot be asked', async () => {
  const [failingId, other] = [await createTrack(), await createTrack()]
  later(8 * HOUR_MS)
  bucket.intercept((_, key) => (key.endsWith(failingId) ? new Response(null, { status: 503 }) : null))
  await runTask(service.services, 'expire_uploads')
  expect([(await findTrack(failingId)).status, (await findTrack(other)).status]).toEqual(['initialized', 'init_error'])
  bucket.intercept(null)
  await runTask(service.services, 'expire_uploads')
  expect((await findTrack(failingId)).status).toBe('init_error')
})
