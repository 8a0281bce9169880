import { findElements, type S3Requests } from './s3-client.ts'
import { createParts } from './s3-multipart.ts'
import { StorageError } from './storage.ts'

/** A larger object is copied in parts of this size. One request copies at most 5 GiB, and takes minutes for these. */
export const COPY_PART_BYTES = 256 << 20
/** Time limit in milliseconds for one request. */
const COPY_MS = 300_000

interface Copy {
  bucket: string
  from: string
  to: string
  bytes: number
  /** ETag of the version to copy. Not for objects that are never replaced: some servers do not compare all ETags. */
  etag?: string
  /** Defaults to 256 MiB. At least 5 MiB. */
  partBytes?: number
  signal?: AbortSignal
}

/**
 * Copies an object inside the bucket. Every request names the version, if it is given, so that parts of two versions
 * are never combined.
 * @returns false if the object has another version, or does not exist any more
 * @throws StorageError
 */
export async function copyInBucket(requests: S3Requests, copy: Copy): Promise<boolean> {
  const { bucket, from, to, bytes, etag, partBytes = COPY_PART_BYTES, signal } = copy
  const source = {
    'x-amz-copy-source': `/${bucket}/${from.split('/').map(encodeURIComponent).join('/')}`,
    ...(etag !== undefined && { 'x-amz-copy-source-if-match': etag }),
  }
  const common = { operation: 'copy', timeoutMs: COPY_MS } as const
  const inParts = async () => {
    // Unlike one request, parts do not keep the content type of the client, which nothing reads.
    const contentType = 'application/octet-stream'
    const readEtag = ({ text }: { text: string }) => findElements(text, 'ETag')[0] ?? ''
    const parts = createParts(requests, to, { contentType, etagOf: readEtag, signal })
    try {
      for (let start = 0; start < bytes; start += partBytes) {
        const end = Math.min(start + partBytes, bytes) - 1
        await parts.add({ ...common, headers: { ...source, 'x-amz-copy-source-range': `bytes=${start}-${end}` } })
      }
      await parts.complete()
    } catch (error) {
      await parts.abort()
      throw error
    }
  }
  try {
    if (bytes > partBytes) await inParts()
    else await requests.send({ ...common, method: 'PUT', key: to, headers: source, signal })
    return true
  } catch (error) {
    const isGone = error instanceof StorageError && error.operation === 'copy' && [404, 412].includes(error.status ?? 0)
    if (isGone) return false
    throw error
  }
}
