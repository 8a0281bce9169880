import { AwsClient } from 'aws4fetch'
import { findElements, type S3Requests, type S3Settings } from './s3-client.ts'
import { abortMultipart, beginMultipart, completeMultipart } from './s3-multipart.ts'
import type { MultipartUpload, MultipartUploads, StoredPart } from './storage.ts'

/** Pages of 1,000 parts: more than an upload has (10,000). */
const MAX_PAGES = 11

/** Uploads to a bucket in parts that a client sends. */
export function createS3Parts(requests: S3Requests, settings: S3Settings): MultipartUploads {
  const { endpoint, publicEndpoint = endpoint, bucket, region, accessKeyId, secretAccessKey } = settings
  const signer = new AwsClient({ region, accessKeyId, secretAccessKey, service: 's3' })

  return {
    begin: (key) => beginMultipart(requests, key, 'application/octet-stream'),

    putUrls: ({ key, uploadId }, parts, seconds) =>
      Promise.all(
        parts.map(async ({ number, bytes }) => {
          const query = new URLSearchParams({ partNumber: String(number), uploadId, 'X-Amz-Expires': String(seconds) })
          const signed = await signer.sign(`${publicEndpoint}/${bucket}/${key}?${query}`, {
            method: 'PUT',
            // A signed length: an address for a part of another size would be one for any number of bytes.
            headers: { 'content-length': String(bytes) },
            aws: { signQuery: true, allHeaders: true },
          })
          return signed.url
        }),
      ),

    async list({ key, uploadId }) {
      const parts: StoredPart[] = []
      let marker = '0'
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const query = { uploadId, 'part-number-marker': marker }
        const { status, text } = await requests.send({
          operation: 'list parts',
          method: 'GET',
          key,
          query,
          accepts: [404],
        })
        if (status === 404) return null
        parts.push(...readParts(text))
        if (findElements(text, 'IsTruncated')[0] !== 'true') break
        marker = findElements(text, 'NextPartNumberMarker')[0] ?? marker
      }
      return parts.sort((a, b) => a.number - b.number)
    },

    complete: (upload: MultipartUpload, parts) => completeMultipart(requests, upload, parts),
    abort: (upload: MultipartUpload) => abortMultipart(requests, upload),
  }
}

function readParts(xml: string): StoredPart[] {
  return [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(findElements(part, 'PartNumber')[0]),
    bytes: Number(findElements(part, 'Size')[0]),
    etag: findElements(part, 'ETag')[0] ?? '',
  }))
}
