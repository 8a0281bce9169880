import { findElements, type S3Answer, type S3Request, type S3Requests } from './s3-client.ts'
import { type MultipartUpload, StorageError, type StoredPart } from './storage.ts'

/** Bytes of a part: at most 10,000 parts are allowed, and 5 MiB is the smallest part. */
export const PART_BYTES = 8 << 20
/** Parts that are sent or copied at once. The memory of an upload is one part more. */
const PARALLEL = 3

/** Begins an upload in parts. It has no end by itself. @throws StorageError */
export async function beginMultipart(
  requests: S3Requests,
  key: string,
  contentType: string,
  signal?: AbortSignal,
): Promise<MultipartUpload> {
  const common = { operation: 'begin upload', method: 'POST', key, query: { uploads: '' }, signal } as const
  const { text } = await requests.send({ ...common, headers: { 'content-type': contentType } })
  const [uploadId] = findElements(text, 'UploadId')
  if (!uploadId) throw new Error(`the bucket began no upload of ${key}`)
  return { key, uploadId }
}

/**
 * Makes the object of an upload exist.
 * @param parts in order
 * @returns false if the upload does not exist any more
 * @throws StorageError
 */
export async function completeMultipart(
  requests: S3Requests,
  { key, uploadId }: MultipartUpload,
  parts: readonly Pick<StoredPart, 'number' | 'etag'>[],
  signal?: AbortSignal,
): Promise<boolean> {
  const elements = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${elements.join('')}</CompleteMultipartUpload>`
  const common = { operation: 'complete upload', key, query: { uploadId }, accepts: [404], signal } as const
  return (await requests.send({ ...common, method: 'POST', body })).status !== 404
}

/** Removes the parts of an upload. One that does not exist is ignored. @throws StorageError */
export async function abortMultipart(requests: S3Requests, { key, uploadId }: MultipartUpload): Promise<void> {
  await requests.send({ operation: 'abort upload', method: 'DELETE', key, query: { uploadId }, accepts: [404] })
}

/** The request for a part, without the parameters of its upload. */
type Part = Pick<S3Request, 'operation' | 'headers' | 'body' | 'timeoutMs'>

/**
 * Makes one object of parts that are sent a few at once. It exists when `complete` has returned, and never partially.
 * `abort` must be called unless `complete` has returned.
 * @param etagOf returns the ETag of a part
 */
export function createParts(
  requests: S3Requests,
  key: string,
  { contentType, etagOf, signal }: { contentType: string; etagOf: (answer: S3Answer) => string; signal?: AbortSignal },
) {
  const ending = new AbortController()
  const signals = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
  const etags: string[] = []
  const sending = new Set<Promise<void>>()
  let failure: { error: unknown } | null = null
  let upload: MultipartUpload | null = null
  let isComplete = false

  return {
    /** Sends the next part. Waits while the allowed number of parts is being sent. @throws the failure of any part */
    async add(part: Part): Promise<void> {
      upload ??= await beginMultipart(requests, key, contentType, signals)
      while (sending.size >= PARALLEL) await Promise.race(sending)
      if (failure) throw failure.error
      const number = etags.push('')
      const query = { partNumber: String(number), uploadId: upload.uploadId }
      const sent = requests
        .send({ ...part, method: 'PUT', key, query, signal: signals })
        .then((answer) => {
          etags[number - 1] = etagOf(answer)
        })
        .catch((error) => {
          failure ??= { error }
          // The other parts are of no use.
          ending.abort()
        })
        .finally(() => sending.delete(sent))
      sending.add(sent)
    },

    /** Makes the object exist. @throws the failure of any part */
    async complete(): Promise<void> {
      await Promise.all(sending)
      if (failure) throw failure.error
      if (upload === null) throw new Error(`an upload of ${key} has no part`)
      const parts = etags.map((etag, i) => ({ number: i + 1, etag }))
      if (!(await completeMultipart(requests, upload, parts, signals))) {
        throw new StorageError('complete upload', key, new Error('the bucket has removed its parts'))
      }
      isComplete = true
    },

    /** Removes the parts of an incomplete object. Never throws: a lifecycle rule removes what remains. */
    async abort(): Promise<void> {
      if (isComplete) return
      ending.abort()
      // A part that arrives after the abort would remain.
      await Promise.all(sending)
      if (upload) await abortMultipart(requests, upload).catch(() => {})
    },
  }
}

/**
 * Writes one object. An object smaller than one part is sent by a single request of `complete`. `abort` or `complete`
 * must be called.
 */
export function createS3Upload(requests: S3Requests, key: string, contentType: string, signal?: AbortSignal) {
  const readEtag = ({ headers }: S3Answer) => headers.get('etag') ?? ''
  const parts = createParts(requests, key, { contentType, etagOf: readEtag, signal })
  let isInParts = false
  let part = Buffer.allocUnsafeSlow(PART_BYTES)
  let filled = 0

  const flush = async () => {
    isInParts = true
    await parts.add({ operation: 'upload part', body: part.subarray(0, filled) })
    part = Buffer.allocUnsafeSlow(PART_BYTES)
    filled = 0
  }

  return {
    /** @throws StorageError, also one of an earlier part */
    async write(chunk: Uint8Array): Promise<void> {
      for (let offset = 0; offset < chunk.byteLength; ) {
        const bytes = chunk.subarray(offset, offset + PART_BYTES - filled)
        part.set(bytes, filled)
        filled += bytes.byteLength
        offset += bytes.byteLength
        if (filled === PART_BYTES) await flush()
      }
    },

    /** Makes the object exist. @throws StorageError */
    async complete(): Promise<void> {
      if (isInParts) {
        if (filled > 0) await flush()
        return parts.complete()
      }
      const headers = { 'content-type': contentType }
      await requests.send({ operation: 'put', method: 'PUT', key, headers, body: part.subarray(0, filled), signal })
    },

    /** Removes the parts of an incomplete object. Never throws. */
    abort: parts.abort,
  }
}
