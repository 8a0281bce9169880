import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { noticeDirectUpload } from '../../../src/domain/upload/direct.ts'
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
const stateOf = async (trackId: string) => (await service.v1('GET', `/track/${trackId}`)).json.track

test('presigns an address of the bucket and completes its upload once, also with several notifications', async () => {
  const { id, url } = await createTrack()
  expect(url).toStartWith(`${bucket.settings.endpoint}/b/incoming/${id}?`)
  expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('3600')
  expect(await noticeDirectUpload(service.services, id)).toBe(false)
  await upload(url, sound)
  const noticed: boolean[] = []
  for (let i = 0; i < 3; i++) noticed.push(await noticeDirectUpload(service.services, id))
  expect(noticed.filter(Boolean)).toHaveLength(1)
  await service.runJobs()
  expect((await stateOf(id)).track_status_id).toBe('ready')
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

test('refuses and deletes an object above the size limit', async () => {
  const { id, url } = await createTrack()
  await upload(url, new Uint8Array(1_000_001))
  expect(await noticeDirectUpload(service.services, id)).toBe(false)
  const track = await stateOf(id)
  expect([track.track_status_id, track.status_code]).toEqual(['init_error', 'too_large'])
  expect(await bucket.get(`incoming/${id}`)).toBeNull()
})

test('accepts notifications of the bucket only with their token', async () => {
  const { id, url } = await createTrack()
  await upload(url, sound)
  const body = JSON.stringify({
    Records: [{ s3: { object: { key: `incoming%2F${id}` } } }, { s3: { object: { key: 'incoming/../x' } } }],
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
