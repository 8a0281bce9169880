import { beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { noticeDirectUpload } from '../../../src/domain/upload/direct.ts'
import { tone } from '../../support/audio.ts'
import { toAnswer, useTestService } from '../../support/service.ts'

// A folder in place of a bucket: clients write to it directly, as with presigned URLs.
const service = useTestService({ MAX_UPLOAD_BYTES: '1000000' })
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  service.services.storage.presign = { putUrl: (key, seconds) => `https://bucket.example/${key}?for=${seconds}` }
  await service.services.storage.put('incoming/any', await scratch(new Uint8Array(1)), '')
  sound = await tone(2)
})

async function scratch(bytes: Uint8Array): Promise<string> {
  const file = join(service.dataDir, crypto.randomUUID())
  await writeFile(file, bytes)
  return file
}

async function createTrack() {
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  return { id: json.track_id as string, url: json.track_upload.upload_url as string }
}

const putPastUs = async (trackId: string, bytes: Uint8Array) =>
  service.services.storage.put(`incoming/${trackId}`, await scratch(bytes), 'audio/wav')

const stateOf = async (trackId: string) => (await service.v1('GET', `/track/${trackId}`)).json.track

test('presigns an address of the bucket and completes its upload once, also with several notifications', async () => {
  const { id, url } = await createTrack()
  expect(url).toBe(`https://bucket.example/incoming/${id}?for=3600`)
  expect(await noticeDirectUpload(service.services, id)).toBe(false)
  await putPastUs(id, sound)
  const noticed = await Promise.all([1, 2, 3].map(() => noticeDirectUpload(service.services, id)))
  expect(noticed.filter(Boolean)).toHaveLength(1)
  await service.runJobs()
  expect((await stateOf(id)).track_status_id).toBe('ready')
  const { sourceSha256 } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
  expect(sourceSha256).toBe(createHash('sha256').update(sound).digest('hex'))
})

test('does not presign an address for a track with a source_url', async () => {
  const body = { collection_id: service.demo.collection_id, source_url: 'http://127.0.0.1:1/a.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  expect(json.track_upload.upload_url).toStartWith(service.services.config.edgeUrl)
  await putPastUs(json.track_id, sound)
  expect(await noticeDirectUpload(service.services, json.track_id)).toBe(false)
})

test('refuses and deletes an object above the size limit', async () => {
  const { id } = await createTrack()
  await putPastUs(id, new Uint8Array(1_000_001))
  expect(await noticeDirectUpload(service.services, id)).toBe(false)
  const track = await stateOf(id)
  expect([track.track_status_id, track.status_code]).toEqual(['init_error', 'too_large'])
  expect(await service.services.storage.size(`incoming/${id}`)).toBeNull()
})

test('accepts notifications of the bucket only with their token', async () => {
  const { id } = await createTrack()
  await putPastUs(id, sound)
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
