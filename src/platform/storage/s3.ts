import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { S3Client } from 'bun'
import { type Storage, TooLargeError } from './storage.ts'

export interface S3Settings {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

const PART_BYTES = 8 << 20
const CHECK_KEY = '.tonearm-check'

/** Storage in an S3 bucket. Tracks are uploaded by presigned addresses; covers and results come through us. */
export function createS3Storage(settings: S3Settings): Storage {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = settings
  const client = new S3Client({ endpoint, bucket, region, accessKeyId, secretAccessKey })
  const signer = new AwsClient({ region, accessKeyId, secretAccessKey, service: 's3' })

  const upload = async (key: string, source: AsyncIterable<Uint8Array>, contentType: string) => {
    const writer = client.file(key).writer({ type: contentType, partSize: PART_BYTES, queueSize: 4, retry: 3 })
    for await (const chunk of source) {
      writer.write(chunk)
      await writer.flush()
    }
    await writer.end()
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

    async copy(from, to) {
      // Bun's client has no server-side copy; the bytes must not take the way through us.
      const headers = { 'x-amz-copy-source': `/${bucket}/${from}` }
      const response = await signer.fetch(`${endpoint}/${bucket}/${to}`, { method: 'PUT', headers })
      const answer = await response.text()
      // S3 may fail after it has begun to answer 200.
      if (!response.ok || answer.includes('<Error>')) throw new Error(`copy ${from}: ${response.status} ${answer}`)
    },

    async fetch(key, folder) {
      const local = join(folder, key.split('/').at(-1) ?? 'object')
      const sink = Bun.file(local).writer()
      for await (const chunk of client.file(key).stream()) {
        sink.write(chunk)
        await sink.flush()
      }
      await sink.end()
      return local
    },

    async read(key, start, end) {
      const file = client.file(key)
      if (!(await file.exists())) return null
      return file.slice(start, end).stream()
    },

    async size(key) {
      const file = client.file(key)
      return (await file.exists()) ? (await file.stat()).size : null
    },

    async remove(keys) {
      for (const key of keys) await client.delete(key)
    },

    async removeUnfinished(before) {
      let startAfter: string | undefined
      do {
        const { contents = [], isTruncated } = await client.list({ prefix: 'incoming/', startAfter })
        for (const { key, lastModified } of contents) {
          if (lastModified && new Date(lastModified) < before) await client.delete(key)
        }
        startAfter = isTruncated ? contents.at(-1)?.key : undefined
      } while (startAfter)
    },

    async check() {
      await client.write(CHECK_KEY, '')
    },

    presign: {
      putUrl: (key, seconds) => client.presign(key, { method: 'PUT', expiresIn: seconds }),
    },
  }
}
