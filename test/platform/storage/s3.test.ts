import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createS3Storage } from '../../../src/platform/storage/s3.ts'

/** A bucket that stores the check object and records requests. */
let requests: string[] = []
let status: number | null = null
let isStored = false
const bucket = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  reusePort: false,
  fetch: ({ method, url }) => {
    requests.push(`${method} ${new URL(url).pathname}`)
    if (status !== null) return new Response(null, { status })
    if (method === 'PUT') isStored = true
    return new Response(null, { status: isStored ? 200 : 404 })
  },
})
afterAll(() => bucket.stop(true))
beforeEach(() => {
  requests = []
  status = null
  isStored = false
})

function storageAt(now: () => number) {
  const endpoint = `http://127.0.0.1:${bucket.port}`
  return createS3Storage({ endpoint, bucket: 'b', region: 'r', accessKeyId: 'k', secretAccessKey: 's' }, now)
}

const [PUT, HEAD] = ['PUT /b/.tonearm-check', 'HEAD /b/.tonearm-check']

describe('a check', () => {
  test('writes once in five minutes and reads in between', async () => {
    let now = 0
    const storage = storageAt(() => now)
    await storage.check()
    now = 299_999
    await storage.check()
    expect(requests).toEqual([PUT, HEAD])
    now = 300_000
    await storage.check()
    expect(requests).toEqual([PUT, HEAD, PUT])
  })

  test('writes again when the object is missing, or the write failed', async () => {
    const storage = storageAt(() => 0)
    status = 403
    await expect(storage.check()).rejects.toMatchObject({ code: 'HTTP_403' })
    status = null
    await storage.check()
    isStored = false
    await storage.check()
    expect(requests).toEqual([PUT, PUT, HEAD, PUT])
  })

  test.each([403, 500, 503])('fails at once with the status %p', async (answered) => {
    const storage = storageAt(() => 0)
    await storage.check()
    status = answered
    await expect(storage.check()).rejects.toMatchObject({ code: `HTTP_${answered}` })
    expect(requests).toEqual([PUT, HEAD])
  })
})
