import { afterAll, test as always, beforeAll, describe, expect } from 'bun:test'
import { TonearmError } from '../../src/client/error.ts'
import { sendInParts } from '../../src/client/parts.ts'
import { cancelUpload, sendFile, type UploadTarget } from '../../src/client/upload.ts'
import { createS3Storage } from '../../src/platform/storage/s3.ts'
import { type Bucket, startBucket } from '../support/bucket.ts'
import { test } from '../support/folder-only.ts'
import { useTestService } from '../support/service.ts'
import { listen } from '../support/wire.ts'

const MEGABYTE = 1024 * 1024
const service = useTestService()
let edge: ReturnType<typeof listen>
beforeAll(() => {
  edge = listen(service)
})
afterAll(() => edge.stop())

async function target(fields: object = {}): Promise<UploadTarget> {
  const body = { collection_id: service.demo.collection_id, file_name: 'song.wav', ...fields }
  const { json } = await service.v1('POST', '/track', { body })
  return { ...json.track_upload, upload_url: edge.at(json.track_upload.upload_url) }
}

test('continues an upload that was stopped where it ended', async () => {
  const file = new Blob([new Uint8Array(20 * MEGABYTE).fill(7)])
  const to = await target({ file_size: file.size })
  const stop = new AbortController()
  const stopped = sendFile(file, to, {
    signal: stop.signal,
    onProgress: (sent) => {
      if (sent > 8 * MEGABYTE) stop.abort(new Error('paused'))
    },
  })
  expect(await stopped.catch((error: Error) => error.message)).toBe('paused')

  const progress: number[] = []
  await sendFile(file, to, { onProgress: (sent) => progress.push(sent) })
  expect(progress[0]).toBeGreaterThanOrEqual(8 * MEGABYTE)
  expect(progress.at(-1)).toBe(file.size)
})

test('sends a file to a track whose size was not announced', async () => {
  const to = await target()
  const progress: number[][] = []
  await sendFile(new Blob(['sound']), to, { onProgress: (...counts) => progress.push(counts) })
  expect(progress.at(-1)).toEqual([5, 5])
})

test('refuses a file of another size than announced', async () => {
  const error = await sendFile(new Blob(['sound']), await target({ file_size: 6 })).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 400, code: 'invalid_input', message: expect.stringContaining('must be 6') })
})

test('a cancelled upload takes no more bytes', async () => {
  const to = await target({ file_size: 5 })
  await cancelUpload(to)
  const error = await sendFile(new Blob(['sound']), to).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 410, code: 'expired' })
  expect(await cancelUpload(to).catch((thrown: unknown) => thrown)).toMatchObject({ status: 410 })
})

test('a stopped upload sends nothing', async () => {
  const file = new Blob(['sound'])
  const to = await target({ file_size: file.size })
  const stopped = sendFile(file, to, { signal: AbortSignal.abort(new Error('stopped')) })
  expect(await stopped.catch((error: Error) => error.message)).toBe('stopped')
  await sendFile(file, to)
})

test('a refusal has the code of the service', async () => {
  const to = await target({ file_size: 5 })
  const refused = sendFile(new Blob(['sound']), {
    ...to,
    upload_url: to.upload_url.replace(/signature=.*/, 'signature=wrong'),
  })
  const error = await refused.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(TonearmError)
  expect(error).toMatchObject({ status: 403, code: 'forbidden' })
})

always('a presigned address of a bucket takes the file in one PUT', async () => {
  let received = ''
  const bucket = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      received = `${request.method} ${await request.text()}`
      return new Response('<Error><Code>AccessDenied</Code></Error>', { status: received.includes('bad') ? 403 : 200 })
    },
  })
  const to = { method: 'PUT', upload_url: `${bucket.url}song?X-Amz-Signature=0a`, ttl: 1, expires_at: '' } as const
  const progress: number[][] = []
  await sendFile(new Blob(['sound']), to, { onProgress: (...counts) => progress.push(counts) })
  expect([received, progress]).toEqual(['PUT sound', [[5, 5]]])
  const error = await sendFile(new Blob(['bad sound']), to).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 403, code: 'unknown', message: expect.stringContaining('AccessDenied') })
  await bucket.stop(true)
})

describe('a bucket takes a large file in parts', () => {
  const bucketService = useTestService()
  let bucket: Bucket
  let bucketEdge: ReturnType<typeof listen>
  beforeAll(async () => {
    bucket = await startBucket()
    bucketService.services.storage = createS3Storage(bucket.settings)
    bucketEdge = listen(bucketService)
  })
  afterAll(async () => {
    bucketEdge.stop()
    await bucket.stop()
  })

  async function createTarget() {
    const body = { collection_id: bucketService.demo.collection_id, file_name: 'song.wav' }
    const { json } = await bucketService.v1('POST', '/track', { body })
    const to: UploadTarget = { ...json.track_upload, parts_url: bucketEdge.at(json.track_upload.parts_url) }
    return { id: json.track_id as string, to }
  }
  const readRecording = async (id: string) => {
    const { sourceKey } = await bucketService.services.db.track.findUniqueOrThrow({ where: { id } })
    return bucket.get(sourceKey ?? '')
  }
  const bytes = new Uint8Array(40 * MEGABYTE).map((_, i) => i >> 16)
  const partNumbers = () =>
    bucket.requests.flatMap((request) =>
      request.startsWith('PUT') ? (/partNumber=(\d+)/.exec(request)?.[1] ?? []) : [],
    )

  always(
    'continues after failures of the bucket, and sends no part twice that it has',
    async () => {
      const { id, to } = await createTarget()
      bucket.reset()
      let failures = 0
      bucket.intercept(({ method, url }) => {
        if (method !== 'PUT' || !url.includes('partNumber=3') || failures === 2) return null
        failures += 1
        return new Response(null, { status: failures === 1 ? 500 : 403 })
      })
      const progress: number[] = []
      await sendFile(new Blob([bytes]), to, { onProgress: (sent) => progress.push(sent) })
      expect(partNumbers().sort()).toEqual(['1', '2', '3', '3', '3', '4', '5'])
      expect([progress[0], progress.at(-1)]).toEqual([0, bytes.length])
      expect(await readRecording(id)).toEqual(bytes)
    },
    20_000,
  )

  always('continues where a stopped upload ended', async () => {
    const { id, to } = await createTarget()
    bucket.reset()
    const stop = new AbortController()
    const stopped = sendFile(new Blob([bytes]), to, {
      signal: stop.signal,
      onProgress: (sent) => {
        if (sent > 0) stop.abort(new Error('paused'))
      },
    })
    expect(await stopped.catch((error: Error) => error.message)).toBe('paused')
    const earlier = bucket.unfinished.values().next().value?.size ?? 0
    expect(earlier).toBeGreaterThan(0)
    const progress: number[] = []
    await sendFile(new Blob([bytes]), to, { onProgress: (sent) => progress.push(sent) })
    expect(progress[0]).toBeGreaterThanOrEqual(earlier * 8 * MEGABYTE)
    expect(await readRecording(id)).toEqual(bytes)
  })

  always('a part that fails every time ends the upload with the answer of the bucket', async () => {
    const { to } = await createTarget()
    bucket.reset()
    bucket.intercept(({ method }) => (method === 'PUT' ? new Response('full', { status: 507 }) : null))
    const ended = sendInParts(new Blob([bytes]), to.parts_url ?? '', {}, [0, 1]).catch((thrown: unknown) => thrown)
    expect(await ended).toMatchObject({ status: 507, message: 'full' })
    expect(partNumbers().filter((number) => number === '1')).toHaveLength(3)
  })

  always('a small file is one request', async () => {
    const { to } = await createTarget()
    bucket.reset()
    await sendFile(new Blob([bytes.slice(0, 8 * MEGABYTE)]), to)
    expect([bucket.requests.length, partNumbers()]).toEqual([1, []])
  })

  always.each([
    ['a refusal is not repeated', 403, 'forbidden', 1],
    ['a refusal that may pass is', 503, 'unavailable', 3],
  ])('%s', async (_, status, code, count) => {
    let requests = 0
    const refusing = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => {
        requests += 1
        return Response.json({ ok: false, code, message: 'refused' }, { status })
      },
    })
    const error = await sendInParts(new Blob([bytes]), refusing.url.href, {}, [0, 1]).catch((thrown: unknown) => thrown)
    await refusing.stop(true)
    expect(error).toMatchObject({ status, code })
    expect(requests).toBe(count)
  })

  always('a cancelled upload takes no more bytes', async () => {
    const { to } = await createTarget()
    await cancelUpload(to)
    const error = await sendFile(new Blob([bytes]), to).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 410, code: 'expired' })
  })
})
