import { createHash } from 'node:crypto'
import { open, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { S3Client } from 'bun'
import { removeEach } from './remove-each.ts'
import { createS3Requests, findElements, type S3Limits, type S3Settings } from './s3-client.ts'
import { copyInBucket } from './s3-copy.ts'
import { createS3Upload, PART_BYTES } from './s3-multipart.ts'
import { createS3Parts } from './s3-parts.ts'
import { guardStorage, type Storage, StorageError, TooLargeError, type UploadedObject } from './storage.ts'

/** An empty object that the check of the bucket writes. */
export const CHECK_KEY = '.tonearm-check'
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
  const { endpoint, publicEndpoint = endpoint, bucket, region, accessKeyId, secretAccessKey } = settings
  // Only presigns, which needs no request. Its requests have no time limit and no signal.
  const client = new S3Client({ endpoint: publicEndpoint, bucket, region, accessKeyId, secretAccessKey })
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

  const find = async (key: string, signal?: AbortSignal) => {
    const request = { operation: 'find', method: 'HEAD', key, accepts: [404], signal } as const
    const { status, headers } = await requests.send(request)
    if (status === 404) return null
    return { bytes: Number(headers.get('content-length')), etag: headers.get('etag') ?? '' }
  }

  const copy = (from: string, to: string, version: Partial<UploadedObject> & { bytes: number }, signal?: AbortSignal) =>
    copyInBucket(requests, { bucket, from, to, ...version, partBytes: limits.copyPartBytes, signal })

  const putBytes = async (key: string, body: Uint8Array<ArrayBuffer>, type: string, signal?: AbortSignal) => {
    const common = { operation: 'put', method: 'PUT', key, signal } as const
    await requests.send({ ...common, headers: { 'content-type': type }, body })
  }

  const download = async (key: string, local: string, signal?: AbortSignal): Promise<void> => {
    const body = await requests.open({ operation: 'fetch', method: 'GET', key, signal })
    if (!body) throw new StorageError('fetch', key, new Error('the object does not exist'))
    await guardStorage('fetch', key, async () => {
      await using file = await open(local, 'wx', 0o600)
      for await (const chunk of body.chunks) await file.writeFile(chunk)
    })
    const { size } = await stat(local)
    if (body.bytes !== null && size !== body.bytes)
      throw new StorageError('fetch', key, new Error(`${size} of ${body.bytes} bytes arrived`))
  }

  return {
    async receive(key, body, { maxBytes, signal }) {
      const upload = createS3Upload(requests, key, 'application/octet-stream', signal)
      const hash = createHash('sha256')
      let bytes = 0
      try {
        for await (const chunk of body) {
          bytes += chunk.byteLength
          if (bytes > maxBytes) throw new TooLargeError(`more than ${maxBytes} bytes`)
          hash.update(chunk)
          await upload.write(chunk)
        }
      } catch (error) {
        await upload.abort()
        throw error
      }
      return { key, bytes, sha256: hash.digest('hex'), commit: upload.complete, discard: upload.abort }
    },

    async put(key, localFile, contentType, signal) {
      const file = Bun.file(localFile)
      if (file.size < PART_BYTES) return putBytes(key, await file.bytes(), contentType, signal)
      const upload = createS3Upload(requests, key, contentType, signal)
      try {
        for await (const chunk of file.stream()) await upload.write(chunk)
        await upload.complete()
      } catch (error) {
        await upload.abort()
        throw error
      }
    },

    async copy(from, to, signal) {
      const source = await find(from, signal)
      if (source && (await copy(from, to, { bytes: source.bytes }, signal))) return
      throw new StorageError('copy', from, new Error('the object does not exist'))
    },

    async fetch(key, folder, signal) {
      const local = join(folder, `${crypto.randomUUID()}-${basename(key)}`)
      try {
        await download(key, local, signal)
      } catch (error) {
        await rm(local, { force: true })
        throw error
      }
      return local
    },

    async read(key, start, end) {
      const headers = { range: `bytes=${start}-${end - 1}` }
      // An empty range cannot be requested.
      if (start >= end) return (await find(key)) && new Blob()
      const body = await requests.open({ operation: 'read', method: 'GET', key, headers })
      if (!body) return null
      const { status, bytes, chunks, close } = body
      // A proxy that drops Range answers 200 with the whole object.
      if (status !== 206 && bytes !== end - start) {
        close()
        throw new StorageError('read', key, new Error(`the bucket answered a range with ${status} and ${bytes} bytes`))
      }
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await chunks.next()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: close,
      })
    },

    size: async (key, signal) => (await find(key, signal))?.bytes ?? null,

    remove: (keys, signal) =>
      removeEach(keys, (key) => requests.send({ operation: 'remove', method: 'DELETE', key, accepts: [404], signal })),

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
        const times = findElements(text, 'LastModified')
        const sizes = findElements(text, 'Size')
        const objects = findElements(text, 'Key').map((key, i) => ({
          key,
          bytes: Number(sizes[i]),
          modified: new Date(times[i] ?? 0),
        }))
        return { objects, next: findElements(text, 'NextContinuationToken')[0] ?? null }
      },

      find,

      copyVersion: copy,

      parts: createS3Parts(requests, settings),
    },
  }
}
