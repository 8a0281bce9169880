import { elementsOf, type S3Requests } from './s3-client.ts'

/** Bytes of a part: at most 10,000 parts are allowed, and 5 MiB is the smallest part. */
export const PART_BYTES = 8 << 20
/** Parts that are sent at once. The memory of an upload is one part more. */
const PARALLEL = 3

/**
 * Writes one object in parts. It exists when `complete` has returned, and never partially. An object smaller than one
 * part is sent by a single request of `complete`. `abort` or `complete` must be called.
 */
export function createS3Upload(requests: S3Requests, key: string, contentType: string, signal?: AbortSignal) {
  const ending = new AbortController()
  const signals = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
  const etags: string[] = []
  const sending = new Set<Promise<void>>()
  let failure: { error: unknown } | null = null
  let uploadId: string | null = null
  let isComplete = false
  let part = Buffer.allocUnsafeSlow(PART_BYTES)
  let filled = 0

  const begin = async () => {
    const { text } = await requests.send({
      operation: 'begin upload',
      method: 'POST',
      key,
      query: { uploads: '' },
      headers: { 'content-type': contentType },
      signal: signals,
    })
    const [id] = elementsOf(text, 'UploadId')
    if (!id) throw new Error(`the bucket began no upload of ${key}`)
    return id
  }

  const sendPart = async (body: Uint8Array<ArrayBuffer>, id: string, number: number) => {
    const { headers } = await requests.send({
      operation: 'upload part',
      method: 'PUT',
      key,
      query: { partNumber: String(number), uploadId: id },
      body,
      signal: signals,
    })
    etags[number - 1] = headers.get('etag') ?? ''
  }

  /** Waits while the allowed number of parts is being sent. @throws the failure of any part */
  const flush = async () => {
    uploadId ??= await begin()
    while (sending.size >= PARALLEL) await Promise.race(sending)
    if (failure) throw failure.error
    etags.push('')
    const sent = sendPart(part.subarray(0, filled), uploadId, etags.length)
      .catch((error) => {
        failure ??= { error }
      })
      .finally(() => sending.delete(sent))
    sending.add(sent)
    part = Buffer.allocUnsafeSlow(PART_BYTES)
    filled = 0
  }

  return {
    /** @throws StorageError, also one of an earlier part */
    async write(chunk: Uint8Array): Promise<void> {
      for (let offset = 0; offset < chunk.byteLength; ) {
        const taken = chunk.subarray(offset, offset + PART_BYTES - filled)
        part.set(taken, filled)
        filled += taken.byteLength
        offset += taken.byteLength
        if (filled === PART_BYTES) await flush()
      }
    },

    /** Makes the object exist. @throws StorageError */
    async complete(): Promise<void> {
      if (uploadId === null) {
        const body = part.subarray(0, filled)
        const headers = { 'content-type': contentType }
        const common = { operation: 'put', key, headers, body, signal: signals } as const
        await requests.send({ ...common, method: 'PUT' })
      } else {
        if (filled > 0) await flush()
        await Promise.all(sending)
        if (failure) throw failure.error
        const parts = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`)
        const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
        const query = { uploadId }
        const common = { operation: 'complete upload', key, query, body, signal: signals } as const
        await requests.send({ ...common, method: 'POST' })
      }
      isComplete = true
    },

    /** Removes the sent parts of an incomplete object. Never throws: a lifecycle rule removes what remains. */
    async abort(): Promise<void> {
      if (isComplete) return
      ending.abort()
      // A part that arrives after the abort would remain.
      await Promise.all(sending)
      if (uploadId === null) return
      const query = { uploadId }
      await requests.send({ operation: 'abort upload', method: 'DELETE', key, query, accepts: [404] }).catch(() => {})
    },
  }
}
