import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createS3Storage } from '../../../src/platform/storage/s3.ts'
import { type Storage, StorageError, TooLargeError } from '../../../src/platform/storage/storage.ts'
import { type Bucket, startBucket } from '../../support/bucket.ts'
import { until } from '../../support/until.ts'

let bucket: Bucket
let storage: Storage
let folder: string
beforeAll(async () => {
  bucket = await startBucket()
  folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
  storage = createS3Storage(bucket.settings, undefined, { pauseMs: 1 })
})
afterEach(() => bucket.reset())
afterAll(async () => {
  await bucket.stop()
  await rm(folder, { recursive: true, force: true })
})

const PART = 8 << 20
const bytesOf = (length: number) => new Uint8Array(randomBytes(length))
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
async function local(bytes: Uint8Array): Promise<string> {
  const path = join(folder, crypto.randomUUID())
  await Bun.write(path, bytes)
  return path
}
async function* chunksOf(bytes: Uint8Array, size = 1 << 20) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}
const sent = (pattern: RegExp) => bucket.requests.filter((request) => pattern.test(request)).length

describe('an object is stored completely', () => {
  test.each([0, 1, PART - 1, PART, PART + 1, 2 * PART + 5])('%p bytes by put and by receive', async (length) => {
    const bytes = bytesOf(length)
    await storage.put('files/put', await local(bytes), 'audio/wav')
    const incoming = await storage.receive('files/received', chunksOf(bytes), { maxBytes: length })
    expect(await storage.size('files/received')).toBeNull()
    expect([incoming.bytes, incoming.sha256]).toEqual([length, sha256(bytes)])
    await incoming.commit()
    for (const key of ['files/put', 'files/received']) {
      expect(await storage.size(key)).toBe(length)
      expect(sha256(await Bun.file(await storage.fetch(key, folder)).bytes())).toBe(sha256(bytes))
    }
    expect(await storage.remove(['files/put', 'files/received', 'files/absent'])).toEqual([])
    expect(await storage.size('files/put')).toBeNull()
  })
})

describe('an upload that fails is aborted and leaves no object', () => {
  const large = bytesOf(2 * PART + 1)
  const expectAborted = async () => {
    expect([sent(/^POST .*uploads=/), sent(/^DELETE .*uploadId=/), bucket.unfinished.size]).toEqual([1, 1, 0])
    expect(await bucket.get('files/broken')).toBeNull()
  }

  test('when its source breaks off', async () => {
    async function* broken() {
      yield large
      throw new Error('the source broke off')
    }
    const received = storage.receive('files/broken', broken(), { maxBytes: large.length })
    await expect(received).rejects.toThrow('the source broke off')
    await expectAborted()
  })

  test('when it is too large', async () => {
    const received = storage.receive('files/broken', chunksOf(large), { maxBytes: large.length - 1 })
    await expect(received).rejects.toBeInstanceOf(TooLargeError)
    await expectAborted()
  })

  test('when a part is refused', async () => {
    bucket.intercept(({ url }) => (url.includes('partNumber=2') ? new Response(null, { status: 403 }) : null))
    const put = storage.put('files/broken', await local(large), 'audio/wav')
    await expect(put).rejects.toMatchObject({ operation: 'upload part', key: 'files/broken', status: 403 })
    await expectAborted()
  })

  test('when the bucket fails after it has answered 200', async () => {
    bucket.intercept(({ method, url }) =>
      method === 'POST' && url.includes('uploadId=') ? new Response('<Error><Code>InternalError</Code></Error>') : null,
    )
    await expect(storage.put('files/broken', await local(large), 'audio/wav')).rejects.toBeInstanceOf(StorageError)
    await expectAborted()
  })

  test('when it is discarded', async () => {
    const incoming = await storage.receive('files/broken', chunksOf(large), { maxBytes: large.length })
    await incoming.discard()
    await expectAborted()
  })

  test('when its process stops', async () => {
    const stopping = new AbortController()
    bucket.intercept(({ url }) => {
      if (!url.includes('partNumber=1')) return null
      stopping.abort()
      return new Promise(() => {})
    })
    const put = storage.put('files/broken', await local(large), 'audio/wav', stopping.signal)
    await expect(put).rejects.toBeInstanceOf(StorageError)
    await expectAborted()
  })
})

describe('a failure names operation, key and status', () => {
  test('a refusal is final, and a temporary one is tried three times', async () => {
    bucket.intercept(() => new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 }))
    const refused = storage.size('files/a')
    await expect(refused).rejects.toMatchObject({ operation: 'find', key: 'files/a', status: 403 })
    expect(bucket.requests).toHaveLength(1)
    bucket.reset()
    bucket.intercept(() => new Response(null, { status: 503 }))
    await expect(storage.size('files/a')).rejects.toMatchObject({ status: 503 })
    expect(bucket.requests).toHaveLength(3)
  })

  test('a temporary refusal that ends is no failure', async () => {
    await bucket.put('files/a', new Uint8Array(3))
    bucket.intercept(() => (bucket.requests.length < 3 ? new Response(null, { status: 500 }) : null))
    expect(await storage.size('files/a')).toBe(3)
  })

  test('objects that cannot be removed do not keep the others', async () => {
    for (const key of ['files/a', 'files/b', 'files/c']) await bucket.put(key, new Uint8Array(1))
    bucket.intercept((_, key) => (key === 'files/a' ? new Response(null, { status: 403 }) : null))
    const failures = await storage.remove(['files/a', 'files/b', 'files/c'])
    expect(failures).toMatchObject([{ key: 'files/a', error: { operation: 'remove', key: 'files/a', status: 403 } }])
    bucket.intercept(null)
    expect(await bucket.keys('files/')).toEqual(['files/a'])
    await storage.remove(['files/a'])
  })
})

describe('a bucket that does not answer', () => {
  const never = () => new Promise<Response>(() => {})
  const short = () => createS3Storage(bucket.settings, undefined, { answerMs: 50, idleMs: 50, pauseMs: 1 })

  test.each([
    ['size', (it: Storage) => it.size('files/a')],
    ['fetch', (it: Storage) => it.fetch('files/a', folder)],
    ['read', (it: Storage) => it.read('files/a', 0, 1)],
    ['put', async (it: Storage) => it.put('files/a', await local(new Uint8Array(1)), 'audio/wav')],
    ['list', (it: Storage) => it.presign?.list('incoming/', null)],
  ] as const)('fails %s once, after its time limit', async (_, call) => {
    bucket.intercept(never)
    await expect(Promise.resolve(call(short()))).rejects.toMatchObject({ name: 'StorageError', status: null })
    expect(bucket.requests).toHaveLength(1)
  })

  test.each([
    ['fetch', (it: Storage) => it.fetch('files/a', folder)],
    ['read', (it: Storage) => it.read('files/a', 0, 1)],
  ] as const)('fails %s after its time limit when an error never ends', async (_, call) => {
    const unended = new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('<Error>')) })
    bucket.intercept(() => new Response(unended, { status: 403 }))
    await expect(Promise.resolve(call(short()))).rejects.toMatchObject({ name: 'StorageError', status: null })
  })

  test('removes nothing, and returns the failure', async () => {
    bucket.intercept(never)
    expect(await short().remove(['files/a'])).toMatchObject([{ key: 'files/a', error: { status: null } }])
  })

  test.each([
    ['fetch', (signal: AbortSignal) => storage.fetch('files/a', folder, signal)],
    ['size', (signal: AbortSignal) => storage.size('files/a', signal)],
    ['copy', (signal: AbortSignal) => storage.copy('files/a', 'files/b', signal)],
  ] as const)('ends %s when the process stops', async (_, call) => {
    const stopping = new AbortController()
    bucket.intercept(never)
    const called = call(stopping.signal)
    await until('the request', 20_000, () => bucket.requests.length === 1)
    stopping.abort()
    await expect(called).rejects.toMatchObject({ name: 'StorageError' })
    expect(bucket.requests).toHaveLength(1)
  })

  test('in the middle of an object fails, and leaves no local file', async () => {
    bucket.intercept(
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new Uint8Array(10)),
          }),
        ),
    )
    const ownFolder = await mkdtemp(join(folder, 'own-'))
    await expect(short().fetch('files/a', ownFolder)).rejects.toMatchObject({ operation: 'fetch', key: 'files/a' })
    expect(await readdir(ownFolder)).toEqual([])
  })
})

test('an object that ends early is not fetched', async () => {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket) => {
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nhalf')
      },
    },
  })
  const endpoint = `http://127.0.0.1:${server.port}`
  const broken = createS3Storage({ ...bucket.settings, endpoint }, undefined, { pauseMs: 1 })
  await expect(broken.fetch('files/a', folder)).rejects.toBeInstanceOf(StorageError)
  server.stop(true)
})

describe('the bytes of an object', () => {
  test('are fetched from a bucket that does not announce their number', async () => {
    const pull = (to: ReadableStreamDefaultController) => {
      to.enqueue(bytesOf(9))
      to.close()
    }
    bucket.intercept(() => new Response(new ReadableStream({ pull })))
    expect((await Bun.file(await storage.fetch('files/a', folder)).bytes()).length).toBe(9)
  })

  test('are refused when a range is answered with the whole object', async () => {
    await bucket.put('files/a', bytesOf(100))
    bucket.intercept(() => new Response(bytesOf(100)))
    await expect(storage.read('files/a', 10, 20)).rejects.toBeInstanceOf(StorageError)
    const whole = await new Response((await storage.read('files/a', 0, 100)) as ReadableStream).bytes()
    expect(whole.length).toBe(100)
  })

  test.each(['put', 'multipart'])(
    'are sent with their SHA-256, and again when the bucket has received others: %s',
    async (kind) => {
      const bytes = bytesOf(kind === 'put' ? 10 : PART + 1)
      const hashes: boolean[] = []
      bucket.intercept(async (request) => {
        if (request.method !== 'PUT') return null
        const announced = request.headers.get('x-amz-content-sha256')
        hashes.push(announced === sha256(await request.clone().bytes()))
        const code = '<Error><Code>XAmzContentSHA256Mismatch</Code></Error>'
        return hashes.length === 1 ? new Response(code, { status: 400 }) : null
      })
      await storage.put('files/hashed', await local(bytes), 'audio/wav')
      expect(hashes).toEqual(Array.from({ length: kind === 'put' ? 2 : 3 }, () => true))
      expect(sha256(await Bun.file(await storage.fetch('files/hashed', folder)).bytes())).toBe(sha256(bytes))
    },
  )
})

test('clients upload to the public address of the bucket, and the service uses the other one', async () => {
  const { endpoint } = bucket.settings
  const publicEndpoint = endpoint.replace('127.0.0.1', 'localhost')
  expect(publicEndpoint).not.toBe(endpoint)
  const publicStorage = createS3Storage({ ...bucket.settings, publicEndpoint })
  const url = publicStorage.presign?.putUrl('incoming/public', 60) ?? ''
  expect(url).toStartWith(`${publicEndpoint}/${bucket.settings.bucket}/incoming/public?`)
  expect((await fetch(url, { method: 'PUT', body: 'sound' })).status).toBe(200)
  expect(await publicStorage.presign?.find('incoming/public')).toMatchObject({ bytes: 5 })
  expect(storage.presign?.putUrl('incoming/public', 60)).toStartWith(`${endpoint}/`)
})
