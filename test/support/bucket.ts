import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import type { S3Settings } from '../../src/platform/storage/s3-client.ts'

const NAME = 'b'
/** The only key that s3rver accepts. */
const KEY = 'S3RVER'

/** Answers a request in place of the server. Null passes it on. */
type Intercept = (request: Request, key: string) => Response | null | undefined | Promise<Response | null | undefined>

export type Bucket = Awaited<ReturnType<typeof startBucket>>

/**
 * Starts an S3 server (s3rver) with one bucket, behind a proxy that records requests as `METHOD key?query`. The proxy
 * implements what s3rver lacks: `x-amz-copy-source-if-match` of a copy; AbortMultipartUpload, which is acknowledged
 * only; and pages of lists: s3rver sorts no keys under Bun.
 */
export async function startBucket() {
  const directory = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
  const configureBuckets = [{ name: NAME, configs: [] }]
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets })
  const { port } = (await server.run()) as AddressInfo
  const requests: string[] = []
  let intercept: Intercept | null = null
  let pageKeys = 1000
  const origin = `http://127.0.0.1:${port}`

  let last: Promise<unknown> = Promise.resolve()
  /** One request at a time reaches the server, which does not replace objects atomically. */
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run, run)
    last = result.catch(() => {})
    return result
  }

  /** Answers one page of a list. Its tokens are keys. */
  const list = async (query: URLSearchParams) => {
    const text = await (await fetch(`${origin}/${NAME}?prefix=${query.get('prefix')}`)).text()
    const keyOf = (object: string) => /<Key>([^<]*)</.exec(object)?.[1] ?? ''
    const objects = (text.match(/<Contents>.*?<\/Contents>/gs) ?? [])
      .filter((object) => keyOf(object) > (query.get('continuation-token') ?? ''))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    const page = objects.slice(0, pageKeys)
    const token = `<NextContinuationToken>${keyOf(page.at(-1) ?? '')}</NextContinuationToken>`
    const next = page.length < objects.length ? token : ''
    return new Response(`<ListBucketResult>${next}${page.join('')}</ListBucketResult>`)
  }

  const proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, search, searchParams } = new URL(request.url)
      const key = decodeURIComponent(pathname.slice(NAME.length + 2))
      requests.push(`${request.method} ${key}${search}`)
      const answered = await intercept?.(request, key)
      if (answered) return answered
      if (request.method === 'DELETE' && searchParams.has('uploadId')) return new Response(null, { status: 204 })
      const body = request.body ? await request.arrayBuffer() : undefined
      return inTurn(async () => {
        if (searchParams.get('list-type') === '2') return list(searchParams)
        const source = request.headers.get('x-amz-copy-source')
        const etag = request.headers.get('x-amz-copy-source-if-match')
        if (source !== null && etag !== null) {
          const found = await fetch(`${origin}${source}`, { method: 'HEAD' })
          if (found.ok && found.headers.get('etag') !== etag) {
            return new Response('<Error><Code>PreconditionFailed</Code></Error>', { status: 412 })
          }
        }
        const { method, headers } = request
        const answer = await fetch(`${origin}${pathname}${search}`, { method, headers, body })
        const content = method === 'HEAD' ? null : await answer.arrayBuffer()
        return new Response(content, { status: answer.status, headers: answer.headers })
      })
    },
  })
  const endpoint = `http://127.0.0.1:${proxy.port}`
  const settings: S3Settings = { endpoint, bucket: NAME, region: 'r', accessKeyId: KEY, secretAccessKey: KEY }

  const direct = (method: string, key: string, body?: Uint8Array<ArrayBuffer>) =>
    inTurn(() => fetch(`${origin}/${NAME}/${key}`, { method, body }))
  return {
    settings,
    /** Requests since the start or the last `reset`. */
    requests,
    /** Answers requests in place of the server until the next call. */
    intercept: (by: Intercept | null) => {
      intercept = by
    },
    /** Sets the number of keys of a page. S3 lists 1,000. */
    listInPagesOf: (keys: number) => {
      pageKeys = keys
    },
    reset: () => {
      intercept = null
      pageKeys = 1000
      requests.length = 0
    },
    /** Writes an object past the service. @returns its ETag */
    put: async (key: string, bytes: Uint8Array<ArrayBuffer>) => {
      const { ok, headers } = await direct('PUT', key, bytes)
      if (!ok) throw new Error(`the bucket refused ${key}`)
      return headers.get('etag') ?? ''
    },
    /** Bytes of an object; null when it does not exist. */
    get: async (key: string) => {
      const answer = await direct('GET', key)
      return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null
    },
    /** Keys of all objects with a prefix. */
    keys: async (prefix: string) => {
      const text = await (await direct('GET', `?list-type=2&prefix=${encodeURIComponent(prefix)}`)).text()
      return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
    },
    stop: async () => {
      await proxy.stop(true)
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
