import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { noticeDirectUpload } from '../../../src/domain/upload/direct.ts'
import { splitIntoParts } from '../../../src/domain/upload/resumable/parts.ts'
import { createS3Storage } from '../../../src/platform/storage/s3.ts'
import { tone } from '../../support/audio.ts'
import { type Bucket, startBucket } from '../../support/bucket.ts'
import { checkDocumented } from '../../support/documented.ts'
import { runTask } from '../../support/jobs.ts'
import { type Json, toAnswer, useTestService } from '../../support/service.ts'

const MIB = 1 << 20
const MAX_BYTES = 40 * MIB
const service = useTestService({ MAX_UPLOAD_BYTES: String(MAX_BYTES), LOG_LEVEL: 'silent' })
let bucket: Bucket
beforeAll(async () => {
  bucket = await startBucket()
  service.services.storage = createS3Storage(bucket.settings, undefined, { pauseMs: 1 })
}, 60_000)
afterEach(() => {
  service.clock.now = null
  bucket.reset()
  bucket.unfinished.clear()
})
afterAll(() => bucket.stop())

async function createTrack(more: object = {}) {
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav', ...more }
  const { track_id: id, track_upload } = (await service.v1('POST', '/track', { body })).json
  const { pathname, search } = new URL(track_upload.parts_url)
  return { id: id as string, path: pathname + search, uploadUrl: track_upload.upload_url as string }
}
/** Asks what is missing. Every answer is one that the OpenAPI document has. */
async function ask(path: string, size?: number, method = 'POST') {
  const headers: Record<string, string> = size === undefined ? {} : { 'upload-length': String(size) }
  const answer = await toAnswer(await service.fetchEdge(path, { method, headers }))
  checkDocumented(method, path, answer)
  return answer
}

/** Sends the parts of an answer. @returns the statuses of the bucket */
const sendParts = (bytes: Uint8Array<ArrayBuffer>, parts: Json[]) =>
  Promise.all(
    parts.map(async ({ offset, bytes: length, method, upload_url }) => {
      const body = bytes.slice(offset, offset + length)
      return (await fetch(upload_url, { method, body })).status
    }),
  )
const findTrack = (id: string) => service.services.db.track.findUniqueOrThrow({ where: { id } })
const readSource = async (id: string) => {
  const { sourceKey } = await findTrack(id)
  return sourceKey && bucket.get(sourceKey)
}
const noise = (bytes: number) => new Uint8Array(randomBytes(bytes))
const later = (ms: number) => {
  service.clock.now = new Date(Date.now() + ms)
}
const HOUR_MS = 3_600_000

test('a recording arrives in parts, continues without those that the bucket has, and is not copied', async () => {
  const sound = await tone(60)
  const bytes = new Uint8Array(20 * MIB)
  // Bytes after the samples of a WAV file are allowed.
  bytes.set(sound.slice(0, bytes.length))
  const { id, path } = await createTrack()
  const first = await ask(path, bytes.length)
  expect(first.status).toBe(200)
  expect(first.json).toMatchObject({ ok: true, is_complete: false, file_size: 20 * MIB, uploaded_bytes: 0 })
  expect(first.json.parts.map(({ part_number, offset, bytes: size }: Json) => [part_number, offset, size])).toEqual([
    [1, 0, 8 * MIB],
    [2, 8 * MIB, 8 * MIB],
    [3, 16 * MIB, 4 * MIB],
  ])
  expect(await sendParts(bytes, [first.json.parts[2], first.json.parts[0]])).toEqual([200, 200])
  // The size was announced by the first request.
  const second = await ask(path)
  expect([second.json.uploaded_bytes, second.json.parts.length, second.json.parts[0].part_number]).toEqual([
    12 * MIB,
    1,
    2,
  ])
  expect(await sendParts(bytes, second.json.parts)).toEqual([200])
  expect((await findTrack(id)).uploadCompletedAt).toBeNull()
  bucket.requests.length = 0
  const last = await ask(path, bytes.length)
  expect(last.json).toMatchObject({ is_complete: true, uploaded_bytes: 20 * MIB, parts: [], expires_at: null })
  expect(bucket.requests.some((request) => request.startsWith('PUT'))).toBe(false)
  expect(await readSource(id)).toEqual(bytes)
  expect(await service.services.db.unusedObject.count()).toBe(0)
  expect(await service.services.db.resumableUpload.count()).toBe(0)
  await service.runJobs()
  expect(await findTrack(id)).toMatchObject({
    status: 'ready',
    sourceSha256: createHash('sha256').update(bytes).digest('hex'),
  })
  // Its answer may be lost.
  expect((await ask(path, bytes.length)).json).toMatchObject({ is_complete: true, parts: [] })
  expect(await ask(path, 1)).toMatchObject({ status: 409, json: { code: 'upload_completed' } })
}, 60_000)

test('an address takes a part of its size only, and none after the end', async () => {
  const { path } = await createTrack()
  const bytes = noise(9 * MIB)
  const { parts } = (await ask(path, bytes.length)).json
  const large = await fetch(parts[1].upload_url, { method: 'PUT', body: noise(MIB + 1) })
  expect(large.status).toBe(403)
  expect((await ask(path)).json.uploaded_bytes).toBe(0)
  await sendParts(bytes, parts)
  expect((await ask(path)).json.is_complete).toBe(true)
  expect(await sendParts(bytes, parts)).toEqual([404, 404])
})

test('concurrent requests begin one upload, and complete it once', async () => {
  const { id, path } = await createTrack()
  const bytes = noise(9 * MIB)
  const begun = await Promise.all([1, 2, 3, 4].map(() => ask(path, bytes.length)))
  expect(begun.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(bucket.unfinished.size).toBe(1)
  const [one, other] = begun
  expect(await sendParts(bytes, [one?.json.parts[0], other?.json.parts[1]])).toEqual([200, 200])
  const ended = await Promise.all([1, 2, 3, 4].map(() => ask(path, bytes.length)))
  expect(ended.map(({ status, json }) => [status, json.is_complete])).toEqual(Array(4).fill([200, true]))
  expect(await readSource(id)).toEqual(bytes)
  later(25 * HOUR_MS)
  await runTask(service.services, 'purge_deleted')
  expect(await readSource(id)).toEqual(bytes)
})

test('an answer that is lost while the upload is completed loses nothing', async () => {
  const { id, path } = await createTrack()
  const bytes = noise(9 * MIB)
  await sendParts(bytes, (await ask(path, bytes.length)).json.parts)
  // The bucket completes the upload, and its answer is lost; then the object cannot be found for a while.
  bucket.intercept((request) => (request.method === 'HEAD' ? new Response(null, { status: 503 }) : null))
  expect((await ask(path)).status).toBe(503)
  expect(bucket.unfinished.size).toBe(0)
  expect((await findTrack(id)).uploadCompletedAt).toBeNull()
  bucket.intercept(null)
  expect((await ask(path)).json.is_complete).toBe(true)
  expect(await readSource(id)).toEqual(bytes)
})

test('an upload that the bucket has removed begins again', async () => {
  const { path } = await createTrack()
  const bytes = noise(9 * MIB)
  await sendParts(bytes, (await ask(path, bytes.length)).json.parts.slice(1))
  expect((await ask(path)).json.uploaded_bytes).toBe(MIB)
  bucket.unfinished.clear()
  const again = await Promise.all([ask(path), ask(path)])
  expect(again.map(({ json }) => json.uploaded_bytes)).toEqual([0, 0])
  expect(bucket.unfinished.size).toBe(1)
  await sendParts(bytes, again[0].json.parts)
  expect((await ask(path)).json.is_complete).toBe(true)
})

test('a bucket that removes every upload at once is a fault of the storage', async () => {
  const { path } = await createTrack()
  bucket.intercept(({ method, url }) =>
    method === 'GET' && url.includes('uploadId=') ? new Response(null, { status: 404 }) : null,
  )
  expect(await ask(path, 9 * MIB)).toMatchObject({ status: 503, json: { code: 'unavailable' } })
})

describe('refuses', () => {
  test('a wrong signature, also that of the address for the whole recording', async () => {
    const { path } = await createTrack()
    expect((await ask(path.replace(/signature=.*/, 'signature=x'), 9)).json.code).toBe('forbidden')
    const whole = path.replace('/track-parts/', '/track/')
    expect((await toAnswer(await service.fetchEdge(whole, { method: 'PUT', body: 'x' }))).json.code).toBe('forbidden')
  })

  test.each([
    { what: 'no size', size: undefined, more: {}, status: 400, message: 'Upload-Length: is required' },
    { what: 'no bytes', size: 0, more: {}, status: 400, message: 'Upload-Length: must be at least 1' },
    { what: 'another size', size: 8, more: { file_size: 9 }, status: 400, message: 'Upload-Length: must be 9' },
    { what: 'a byte too many', size: MAX_BYTES + 1, more: {}, status: 413, message: `at most ${MAX_BYTES} bytes` },
  ])('$what', async ({ size, more, status, message }) => {
    const { path } = await createTrack(more)
    expect(await ask(path, size)).toMatchObject({ status, json: { message: expect.stringContaining(message) } })
    expect(bucket.unfinished.size).toBe(0)
  })

  test('other methods', async () => {
    const { path } = await createTrack()
    expect(await ask(path, 9, 'PUT')).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } })
  })

  test('an address that has expired, unless the upload has begun', async () => {
    const [begun, unused] = [await createTrack(), await createTrack()]
    const bytes = noise(9 * MIB)
    await ask(begun.path, bytes.length)
    later(2 * HOUR_MS)
    expect(await ask(unused.path, 9)).toMatchObject({ status: 410, json: { code: 'expired' } })
    const { json } = await ask(begun.path)
    service.clock.now = null
    expect(await sendParts(bytes, json.parts)).toEqual([200, 200])
  })
})

test('there is no such address without a bucket, for a source_url, and for covers', async () => {
  const body = { collection_id: service.demo.collection_id, source_url: 'http://127.0.0.1:1/a.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  expect([json.track_upload.parts_url, json.track_cover_upload.parts_url]).toEqual([undefined, undefined])
  const { path } = await createTrack()
  const { presign: _, ...folder } = service.services.storage
  const { storage } = service.services
  service.services.storage = folder
  expect((await ask(path, 9)).json.code).toBe('not_found')
  const inFolder = await service.v1('POST', '/track', { body: { ...body, source_url: undefined, file_name: 'a.wav' } })
  expect(Object.keys(inFolder.json.track_upload)).toEqual(['method', 'upload_url', 'ttl', 'expires_at'])
  service.services.storage = storage
})

test('a cancelled upload leaves no parts, and takes no more', async () => {
  const { id, path } = await createTrack()
  const bytes = noise(9 * MIB)
  const { parts } = (await ask(path, bytes.length)).json
  await sendParts(bytes, parts.slice(1))
  expect((await ask(path, undefined, 'DELETE')).status).toBe(204)
  expect(bucket.unfinished.size).toBe(0)
  expect(await findTrack(id)).toMatchObject({ status: 'init_error', statusCode: 'upload_cancelled' })
  expect(await sendParts(bytes, parts)).toEqual([404, 404])
  expect((await ask(path)).status).toBe(410)
})

test('the whole recording by one PUT ends an upload in parts', async () => {
  const { id, path, uploadUrl } = await createTrack()
  const bytes = noise(9 * MIB)
  await sendParts(bytes, (await ask(path, bytes.length)).json.parts.slice(1))
  expect((await fetch(uploadUrl, { method: 'PUT', body: bytes })).status).toBe(200)
  expect(await noticeDirectUpload(service.services, id)).toBe(true)
  expect(bucket.unfinished.size).toBe(0)
  expect((await ask(path, bytes.length)).json.is_complete).toBe(true)
})

describe('after a day', () => {
  test('parts that are complete become the recording, and others are removed', async () => {
    const [whole, partial] = [await createTrack(), await createTrack()]
    const bytes = noise(9 * MIB)
    await sendParts(bytes, (await ask(whole.path, bytes.length)).json.parts)
    await sendParts(bytes, (await ask(partial.path, bytes.length)).json.parts.slice(1))
    later(25 * HOUR_MS)
    bucket.intercept(({ method, url }) =>
      method === 'GET' && url.includes('uploadId=') ? new Response(null, { status: 503 }) : null,
    )
    await runTask(service.services, 'expire_uploads')
    expect([(await findTrack(whole.id)).status, bucket.unfinished.size]).toEqual(['initialized', 2])
    bucket.intercept(null)
    await runTask(service.services, 'expire_uploads')
    expect(await readSource(whole.id)).toEqual(bytes)
    expect(await findTrack(partial.id)).toMatchObject({ status: 'init_error', statusCode: 'upload_expired' })
    expect(bucket.unfinished.size).toBe(0)
  })
})

test.each([
  [1, [1]],
  [8 * MIB, [8 * MIB]],
  [8 * MIB + 1, [8 * MIB, 1]],
])('%i bytes are the parts %j', (size, bytes) => {
  expect(splitIntoParts(size).map((part) => part.bytes)).toEqual(bytes)
})

test.each([8e9, 5e9 + 1, 4.9e12])('%i bytes are at most 1,000 parts of at most 5 GiB', (size) => {
  const parts = splitIntoParts(size)
  expect(parts.length).toBeLessThanOrEqual(1000)
  expect(parts[0]?.bytes).toBeLessThanOrEqual(5 * 1024 * MIB)
  expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(size)
})
