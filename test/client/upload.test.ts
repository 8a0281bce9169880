import { afterAll, test as always, beforeAll, expect } from 'bun:test'
import { TonearmError } from '../../src/client/error.ts'
import { cancelUpload, sendFile, type UploadTarget } from '../../src/client/upload.ts'
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
