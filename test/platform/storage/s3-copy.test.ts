import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createS3Storage } from '../../../src/platform/storage/s3.ts'
import { type Storage, StorageError, type UploadedObject } from '../../../src/platform/storage/storage.ts'
import { type Bucket, startBucket } from '../../support/bucket.ts'
import { until } from '../../support/until.ts'

const PART = 1000
const [FROM, TO] = ['incoming/a b', 'source/copy']
let bucket: Bucket
let storage: Storage
beforeAll(async () => {
  bucket = await startBucket()
  storage = createS3Storage(bucket.settings, undefined, { pauseMs: 1, copyPartBytes: PART })
})
afterEach(async () => {
  bucket.reset()
  await storage.remove([FROM, TO])
})

const bytesOf = (length: number) => new Uint8Array(randomBytes(length))
const isPart = ({ method, url }: Request) => method === 'PUT' && url.includes('partNumber=')
const partsSent = () => bucket.requests.filter((request) => request.includes('partNumber=')).length

/** Stores an object and returns its version. */
async function stored(bytes: Uint8Array<ArrayBuffer>): Promise<UploadedObject> {
  await bucket.put(FROM, bytes)
  const version = await storage.presign?.find(FROM)
  if (!version) throw new Error('the object is not stored')
  return version
}
const copyVersion = async (version: UploadedObject, signal?: AbortSignal) =>
  storage.presign?.copyVersion(FROM, TO, version, signal)

/** Nothing of a copy remains. */
async function expectAborted() {
  expect(bucket.requests.filter((request) => /^DELETE .*uploadId=/.test(request))).toHaveLength(1)
  expect(bucket.unfinished.size).toBe(0)
  expect(await bucket.get(TO)).toBeNull()
}

describe('an object is copied completely', () => {
  test.each([
    { bytes: 0, parts: 0 },
    { bytes: PART, parts: 0 },
    { bytes: PART + 1, parts: 2 },
    { bytes: 2 * PART, parts: 2 },
    { bytes: 9 * PART + 5, parts: 10 },
  ])('$bytes bytes in $parts parts', async ({ bytes, parts }) => {
    const content = bytesOf(bytes)
    const version = await stored(content)
    expect(await copyVersion(version)).toBe(true)
    expect(await bucket.get(TO)).toEqual(content)
    expect(partsSent()).toBe(parts)
    await storage.remove([TO])
    await storage.copy(FROM, TO)
    expect(await bucket.get(TO)).toEqual(content)
    expect(bucket.unfinished.size).toBe(0)
  })
})

test('at most three parts are copied at once, each of the version that was examined', async () => {
  const version = await stored(bytesOf(10 * PART))
  const copied: string[] = []
  const three = Promise.withResolvers<void>()
  let [running, most] = [0, 0]
  bucket.intercept(async (request) => {
    if (!isPart(request)) return null
    running += 1
    most = Math.max(most, running)
    const { headers } = request
    copied.push(`${headers.get('x-amz-copy-source-range')} ${headers.get('x-amz-copy-source-if-match')}`)
    if (running === 3) three.resolve()
    await three.promise
    running -= 1
    return null
  })
  expect(await copyVersion(version)).toBe(true)
  expect(most).toBe(3)
  const expected = (_: unknown, i: number) => `bytes=${i * PART}-${(i + 1) * PART - 1} ${version.etag}`
  expect(copied.sort()).toEqual(Array.from({ length: 10 }, expected).sort())
})

describe('a copy in parts that fails is aborted and leaves no object', () => {
  test('when a part is refused', async () => {
    const version = await stored(bytesOf(10 * PART))
    bucket.intercept(({ url }) => (url.includes('partNumber=5') ? new Response(null, { status: 403 }) : null))
    await expect(copyVersion(version)).rejects.toMatchObject({ operation: 'copy', key: TO, status: 403 })
    await expectAborted()
  })

  test('when a part fails after the bucket has answered 200', async () => {
    const version = await stored(bytesOf(2 * PART))
    const failed = () => new Response('<Error><Code>InternalError</Code></Error>')
    bucket.intercept((request) => (isPart(request) ? failed() : null))
    await expect(copyVersion(version)).rejects.toBeInstanceOf(StorageError)
    await expectAborted()
  })

  test('when its process stops', async () => {
    const version = await stored(bytesOf(10 * PART))
    const stopping = new AbortController()
    bucket.intercept((request) => (isPart(request) ? new Promise(() => {}) : null))
    const copied = copyVersion(version, stopping.signal)
    await until('three parts', 20_000, () => partsSent() === 3)
    stopping.abort()
    await expect(copied).rejects.toBeInstanceOf(StorageError)
    await expectAborted()
  })

  test('a part that is refused for the moment is copied again', async () => {
    const content = bytesOf(3 * PART)
    const version = await stored(content)
    let refusals = 0
    bucket.intercept(({ url }) => {
      if (!url.includes('partNumber=2') || refusals === 2) return null
      refusals += 1
      return new Response(null, { status: 503 })
    })
    expect(await copyVersion(version)).toBe(true)
    expect(await bucket.get(TO)).toEqual(content)
  })
})

describe('an object that is replaced or removed is not copied', () => {
  test.each([
    { what: 'before a copy by one request', bytes: PART },
    { what: 'before a copy in parts', bytes: 3 * PART },
  ])('$what', async ({ bytes }) => {
    const version = await stored(bytesOf(bytes))
    await bucket.put(FROM, bytesOf(bytes))
    expect(await copyVersion(version)).toBe(false)
    await storage.remove([FROM])
    expect(await copyVersion(version)).toBe(false)
    expect([await bucket.get(TO), bucket.unfinished.size]).toEqual([null, 0])
    await expect(storage.copy(FROM, TO)).rejects.toMatchObject({ operation: 'copy', key: FROM })
  })

  test.each(['replaced', 'removed'])('between two parts: %s', async (what) => {
    const version = await stored(bytesOf(10 * PART))
    bucket.intercept(async ({ url }) => {
      if (!url.includes('partNumber=4')) return null
      if (what === 'removed') await bucket.remove(FROM)
      else await bucket.put(FROM, bytesOf(10 * PART))
      return null
    })
    expect(await copyVersion(version)).toBe(false)
    await expectAborted()
  })
})
