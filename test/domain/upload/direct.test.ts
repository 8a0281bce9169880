import { afterAll, afterEach, beforeAll, describe, expect, mock, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { noticeDirectUpload, noticeDirectUploads } from '../../../src/domain/upload/direct.ts'
import type { Services } from '../../../src/platform/context.ts'
import { createS3Storage } from '../../../src/platform/storage/s3.ts'
import { tone } from '../../support/audio.ts'
import { type Bucket, startBucket } from '../../support/bucket.ts'
import { toAnswer, useTestService } from '../../support/service.ts'

const service = useTestService({ MAX_UPLOAD_BYTES: '1000000' })
let bucket: Bucket
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  bucket = await startBucket()
  service.services.storage = createS3Storage(bucket.settings)
  sound = await tone(2)
}, 60_000)
afterEach(() => bucket.reset())
afterAll(() => bucket.stop())

async function createTrack(more: object = {}) {
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav', ...more }
  const { json } = await service.v1('POST', '/track', { body })
  return { id: json.track_id as string, url: json.track_upload.upload_url as string }
}

const upload = async (url: string, bytes: Uint8Array<ArrayBuffer>) => {
  expect((await fetch(url, { method: 'PUT', body: bytes })).status).toBe(200)
}
const readTrackJson = async (trackId: string) => (await service.v1('GET', `/track/${trackId}`)).json.track

test('presigns an address of the bucket and completes its upload once, also with several notifications', async () => {
  const { id, url } = await createTrack()
  expect(url).toStartWith(`${bucket.settings.endpoint}/${bucket.settings.bucket}/incoming/${id}?`)
  expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('3600')
  expect(await noticeDirectUpload(service.services, id)).toBe(false)
  await upload(url, sound)
  const noticed = await Promise.all([1, 2, 3].map(() => noticeDirectUpload(service.services, id)))
  expect(noticed.filter(Boolean)).toHaveLength(1)
  await service.runJobs()
  expect((await readTrackJson(id)).track_status_id).toBe('ready')
  const { sourceSha256 } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
  expect(sourceSha256).toBe(createHash('sha256').update(sound).digest('hex'))
}, 30_000)

test('does not presign an address for a track with a source_url', async () => {
  const body = { collection_id: service.demo.collection_id, source_url: 'http://127.0.0.1:1/a.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  expect(json.track_upload.upload_url).toStartWith(service.services.config.edgeUrl)
  await bucket.put(`incoming/${json.track_id}`, sound)
  expect(await noticeDirectUpload(service.services, json.track_id)).toBe(false)
})

describe('an object of a wrong size ends the track with a reason, and is deleted', () => {
  test.each([
    { what: 'above the size limit', bytes: 1_000_001, more: {}, code: 'too_large' },
    { what: 'empty', bytes: 0, more: {}, code: 'empty' },
    { what: 'a byte more than announced', bytes: 1001, more: { file_size: 1000 }, code: 'upload_size_mismatch' },
    { what: 'a byte less than announced', bytes: 999, more: { file_size: 1000 }, code: 'upload_size_mismatch' },
  ])('$what', async ({ bytes, more, code }) => {
    const { id, url } = await createTrack(more)
    await upload(url, new Uint8Array(bytes))
    expect(await noticeDirectUpload(service.services, id)).toBe(false)
    const track = await readTrackJson(id)
    expect([track.track_status_id, track.status_code]).toEqual(['init_error', code])
    expect(await bucket.get(`incoming/${id}`)).toBeNull()
    const { sourceKey } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
    expect(sourceKey).toBeNull()
  })

  test.each([
    { what: 'at the size limit', bytes: 1_000_000, more: {} },
    { what: 'as announced', bytes: 1000, more: { file_size: 1000 } },
  ])('not one $what', async ({ bytes, more }) => {
    const { id, url } = await createTrack(more)
    await upload(url, new Uint8Array(bytes))
    expect(await noticeDirectUpload(service.services, id)).toBe(true)
  })
})

const readRecording = async (id: string) => {
  const { sourceKey, sourceBytes } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
  return { key: sourceKey ?? '', bytes: Number(sourceBytes) }
}
const isCopy = ({ headers }: Request) => headers.has('x-amz-copy-source')

test('an object that is replaced while it is accepted is examined again', async () => {
  const { id, url } = await createTrack({ file_size: 1000 })
  await upload(url, new Uint8Array(1000))
  bucket.intercept(async (request) => {
    if (isCopy(request)) await bucket.put(`incoming/${id}`, new Uint8Array(500))
    return null
  })
  expect(await noticeDirectUpload(service.services, id)).toBe(false)
  expect((await readTrackJson(id)).track_status_id).toBe('initialized')
  bucket.intercept(null)
  expect(await noticeDirectUpload(service.services, id)).toBe(false)
  expect((await readTrackJson(id)).status_code).toBe('upload_size_mismatch')
})

test('of several acceptances of changing objects, the recorded size is that of the stored recording', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, url } = await createTrack()
    await upload(url, new Uint8Array(1000))
    const [, ...noticed] = await Promise.all([
      bucket.put(`incoming/${id}`, new Uint8Array(2000)),
      ...[1, 2, 3].map(() => noticeDirectUpload(service.services, id)),
    ])
    if (!noticed.some(Boolean)) expect(await noticeDirectUpload(service.services, id)).toBe(true)
    const { key, bytes } = await readRecording(id)
    expect((await bucket.get(key))?.length).toBe(bytes)
    // Copies that were not selected do not stay.
    expect(await bucket.keys(`source/${service.demo.organization_id}/${id}`)).toEqual([key])
    expect(await service.services.db.unusedObject.count({ where: { key } })).toBe(0)
  }
})

test('overwriting the address after the acceptance changes nothing', async () => {
  const { id, url } = await createTrack()
  await upload(url, sound)
  expect(await noticeDirectUpload(service.services, id)).toBe(true)
  const { key } = await readRecording(id)
  await upload(url, new Uint8Array(7))
  expect(await noticeDirectUpload(service.services, id)).toBe(false)
  expect(await bucket.get(key)).toEqual(sound)
})

test('a copy whose acceptance fails is on the list of unused objects', async () => {
  const { id, url } = await createTrack()
  await upload(url, sound)
  bucket.intercept((request) => (isCopy(request) ? new Response(null, { status: 403 }) : null))
  await expect(noticeDirectUpload(service.services, id)).rejects.toMatchObject({ operation: 'copy', status: 403 })
  const where = { key: { contains: id } }
  expect(await service.services.db.unusedObject.count({ where })).toBe(1)
})

test('no transaction is open while the bucket copies', async () => {
  const { id, url } = await createTrack()
  await upload(url, sound)
  const open: number[] = []
  bucket.intercept(async (request) => {
    if (!isCopy(request)) return null
    const { rows } = await service.services.pool.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'`,
    )
    open.push(rows[0].count)
    return null
  })
  expect(await noticeDirectUpload(service.services, id)).toBe(true)
  expect(open).toEqual([0])
})

test('accepts notifications of the bucket only with their token', async () => {
  const { id, url } = await createTrack()
  await upload(url, sound)
  const body = JSON.stringify({
    Records: [
      { s3: { object: { key: `incoming%2F${id}` } } },
      { s3: { object: { key: 'incoming/../x' } } },
      { s3: { object: { key: 'incoming/%zz' } } },
    ],
  })
  const notify = async (token: string) =>
    toAnswer(
      await service.fetchEdge('/upload/notification', {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${token}` },
      }),
    )
  expect((await notify('wrong')).status).toBe(401)
  expect((await notify(service.services.signing.notificationToken)).json).toEqual({ ok: true, completed: 1 })
  expect((await notify(service.services.signing.notificationToken)).json).toEqual({ ok: true, completed: 0 })
})

test('a notification completes at most 8 uploads at once, and one that fails keeps no other', async () => {
  const tracks = []
  for (let count = 0; count < 20; count++) tracks.push(await createTrack())
  await Promise.all(tracks.map(({ url }) => upload(url, sound)))
  const failing = tracks[3]?.id ?? ''
  let [copies, most] = [0, 0]
  const eight = Promise.withResolvers<void>()
  bucket.intercept(async (request) => {
    if (!isCopy(request)) return null
    if (request.url.includes(failing) || request.headers.get('x-amz-copy-source')?.includes(failing)) {
      return new Response(null, { status: 403 })
    }
    copies += 1
    most = Math.max(most, copies)
    // One after another, they would never be eight.
    if (copies === 8) eight.resolve()
    await eight.promise
    copies -= 1
    return null
  })
  const log = { ...service.services.log, error: mock(() => {}) } as unknown as Services['log']
  const ids = tracks.map(({ id }) => id)
  expect(await noticeDirectUploads({ ...service.services, log }, ids)).toBe(19)
  expect(most).toBe(8)
  expect(log.error).toHaveBeenCalledTimes(1)
  bucket.reset()
  expect(await noticeDirectUploads(service.services, ids)).toBe(1)
})
