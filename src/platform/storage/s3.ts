import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { S3Client } from 'bun'
import { createS3Requests, elementsOf, type S3Limits, type S3Settings } from './s3-client.ts'
import { guardStorage, type Storage, TooLargeError } from './storage.ts'

const PART_BYTES = 8 << 20
const CHECK_KEY = '.tonearm-check'
const CHECK_TIMEOUT_MS = 2500
/**
 * Interval of checks that write. Others only read, because a write costs money, and a version in a versioned bucket.
 */
const WRITE_CHECK_MS = 300_000

/**
 * Stores objects in an S3 bucket. Tracks are uploaded by presigned addresses; covers and results pass through the
 * service.
 * @param now milliseconds of a monotonic clock
 */
export function createS3Storage(settings: S3Settings, now = () => performance.now(), limits: S3Limits = {}): Storage {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = settings
  const client = new S3Client({ endpoint, bucket, region, accessKeyId, secretAccessKey })
  const signer = new AwsClient({ region, accessKeyId, secretAccessKey, service: 's3' })

  const requests = createS3Requests(settings, limits)

  const prober = new AwsClient({ region, accessKeyId, secretAccessKey, service: 's3', retries: 0 })
  let checkedWriteMs: number | null = null

  /** @throws Error with the status as its code */
  const requestCheckObject = async (method: 'HEAD' | 'PUT'): Promise<number> => {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS)
    const { status, ok } = await prober.fetch(`${endpoint}/${bucket}/${CHECK_KEY}`, { method, signal })
    if (ok || (method === 'HEAD' && status === 404)) return status
    throw Object.assign(new Error(`${method} ${CHECK_KEY}: the bucket answers ${status}`), { code: `HTTP_${status}` })
  }
  const hasCheckObject = async () => (await requestCheckObject('HEAD')) !== 404

  const upload = async (key: string, source: AsyncIterable<Uint8Array>, contentType: string) => {
    const writer = client.file(key).writer({ type: contentType, partSize: PART_BYTES, queueSize: 4, retry: 3 })
    for await (const chunk of source) {
      // Guards only the write: an error of the source is not an error of storage.
      await guardStorage('write', key, async () => {
        writer.write(chunk)
        await writer.flush()
      })
    }
    await guardStorage('write', key, async () => writer.end())
  }

  const sizeOf = async (key: string): Promise<number | null> => {
    const file = client.file(key)
    return (await file.exists()) ? (await file.stat()).size : null
  }

  return {
    async receive(body, maxBytes) {
      const temporary = `incoming/${crypto.randomUUID()}`
      const hash = createHash('sha256')
      let bytes = 0
      async function* counted() {
        for await (const chunk of body) {
          bytes += chunk.byteLength
          if (bytes > maxBytes) throw new TooLargeError(`more than ${maxBytes} bytes`)
          hash.update(chunk)
          yield chunk
        }
      }
      const discard = async () => {
        await client.delete(temporary).catch(() => {})
      }
      try {
        await upload(temporary, counted(), 'application/octet-stream')
      } catch (error) {
        await discard()
        throw error
      }
      return {
        bytes,
        sha256: hash.digest('hex'),
        commit: (key) => this.copy(temporary, key),
        discard,
      }
    },

    put: (key, localFile, contentType) => upload(key, Bun.file(localFile).stream(), contentType),

    copy: (from, to) =>
      guardStorage('copy', from, async () => {
        // Bun's client has no server-side copy.
        const headers = { 'x-amz-copy-source': `/${bucket}/${from}` }
        const response = await signer.fetch(`${endpoint}/${bucket}/${to}`, { method: 'PUT', headers })
        const answer = await response.text()
        // S3 may fail after it has answered 200.
        if (!response.ok || answer.includes('<Error>')) throw new Error(`${response.status} ${answer}`)
      }),

    fetch: (key, folder) =>
      guardStorage('fetch', key, async () => {
        const local = join(folder, `${crypto.randomUUID()}-${key.split('/').at(-1) ?? 'object'}`)
        const expected = await sizeOf(key)
        const sink = Bun.file(local).writer()
        for await (const chunk of client.file(key).stream()) {
          sink.write(chunk)
          await sink.flush()
        }
        await sink.end()
        const { size } = Bun.file(local)
        if (size !== expected) throw new Error(`${size} of ${expected} bytes were received`)
        return local
      }),

    read: (key, start, end) =>
      guardStorage('read', key, async () => {
        const file = client.file(key)
        return (await file.exists()) ? file.slice(start, end).stream() : null
      }),

    size: (key) => guardStorage('size', key, () => sizeOf(key)),

    remove: (keys) =>
      guardStorage('remove', null, async () => {
        for (const key of keys) await client.delete(key)
      }),

    // Objects exist only when they are complete.
    removeUnfinished: async () => {},

    async check() {
      if (checkedWriteMs === null || now() - checkedWriteMs >= WRITE_CHECK_MS || !(await hasCheckObject())) {
        await requestCheckObject('PUT')
        checkedWriteMs = now()
      }
    },

    freeBytes: async () => null,

    presign: {
      putUrl: (key, seconds) => client.presign(key, { method: 'PUT', expiresIn: seconds }),

      async list(prefix, token, signal) {
        const query = { 'list-type': '2', prefix, ...(token !== null && { 'continuation-token': token }) }
        const { text } = await requests.send({ operation: 'list', method: 'GET', key: null, query, signal })
        const times = elementsOf(text, 'LastModified')
        const objects = elementsOf(text, 'Key').map((key, i) => ({ key, modified: new Date(times[i] ?? 0) }))
        return { objects, next: elementsOf(text, 'NextContinuationToken')[0] ?? null }
      },

      async find(key, signal) {
        const { status, headers } = await requests.send({
          operation: 'find',
          method: 'HEAD',
          key,
          accepts: [404],
          signal,
        })
        if (status === 404) return null
        return { bytes: Number(headers.get('content-length')), etag: headers.get('etag') ?? '' }
      },
    },
  }
}
