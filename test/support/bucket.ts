import type { S3Settings } from '../../src/platform/storage/s3-client.ts'
import { s3Origin } from './s3-server.ts'

/** The only key that s3rver accepts. */
const KEY = 'S3RVER'

/** Answers a request in place of the server. Null passes it on. */
type Intercept = (request: Request, key: string) => Response | null | undefined | Promise<Response | null | undefined>

/** A part of an unfinished upload. */
interface StoredPart {
  bytes: number
  etag: string
}

export type Bucket = Awaited<ReturnType<typeof startBucket>>

let buckets = 0

/**
 * Creates a bucket of the S3 server of this process (s3rver), behind a proxy that records requests as
 * `METHOD key?query`. The proxy implements what s3rver lacks: `x-amz-copy-source-if-match` of a copy,
 * AbortMultipartUpload, ListParts, and pages of lists, which s3rver does not sort under Bun.
 */
export async function startBucket() {
  const origin = await s3Origin()
  buckets += 1
  const name = `bucket-${buckets}`
  const created = await fetch(`${origin}/${name}`, { method: 'PUT' })
  if (!created.ok) throw new Error(`the S3 server refused ${name}: ${created.status}`)
  const requests: string[] = []
  const unfinished = new Map<string, Map<number, StoredPart>>()
  let intercept: Intercept | null = null
  let pageKeys = 1000

  let last: Promise<unknown> = Promise.resolve()
  /** One request at a time reaches the server, which does not replace objects atomically. */
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run, run)
    last = result.catch(() => {})
    return result
  }

  /** The objects with a prefix as XML, by key. */
  const listAll = async (prefix: string): Promise<[key: string, xml: string][]> => {
    const text = await (await fetch(`${origin}/${name}?max-keys=1000000&prefix=${encodeURIComponent(prefix)}`)).text()
    const objects = text.match(/<Contents>.*?<\/Contents>/gs) ?? []
    const keyed = objects.map((xml): [string, string] => [/<Key>([^<]*)</.exec(xml)?.[1] ?? '', xml])
    return keyed.sort(([a], [b]) => (a < b ? -1 : 1))
  }

  /** Answers one page of a list. Its tokens are keys. */
  const list = async (query: URLSearchParams) => {
    const after = query.get('continuation-token') ?? ''
    const objects = (await listAll(query.get('prefix') ?? '')).filter(([key]) => key > after)
    const page = objects.slice(0, pageKeys)
    const token = `<NextContinuationToken>${page.at(-1)?.[0]}</NextContinuationToken>`
    const next = page.length < objects.length ? token : ''
    return new Response(`<ListBucketResult>${next}${page.map(([, xml]) => xml).join('')}</ListBucketResult>`)
  }

  /** Answers one page of the parts of an upload. */
  const listParts = (uploadId: string, query: URLSearchParams) => {
    const parts = unfinished.get(uploadId)
    if (!parts) return refusal('NoSuchUpload', 404)
    const after = Number(query.get('part-number-marker') ?? 0)
    const numbers = [...parts.keys()].filter((number) => number > after).sort((a, b) => a - b)
    const page = numbers.slice(0, pageKeys)
    const elements = page.map((number) => {
      const { bytes, etag } = parts.get(number) ?? { bytes: 0, etag: '' }
      const size = `<Size>${bytes}</Size>`
      return `<Part><PartNumber>${number}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag>${size}</Part>`
    })
    const more = `<IsTruncated>${page.length < numbers.length}</IsTruncated>`
    const next = `<NextPartNumberMarker>${page.at(-1) ?? 0}</NextPartNumberMarker>`
    return new Response(`<ListPartsResult>${more}${next}${elements.join('')}</ListPartsResult>`)
  }

  /** The refusal of a request that s3rver would accept. */
  const refusalOf = async (request: Request, uploadId: string | null): Promise<Response | null> => {
    if (uploadId !== null && !unfinished.has(uploadId)) return refusal('NoSuchUpload', 404)
    const source = request.headers.get('x-amz-copy-source')
    const etag = request.headers.get('x-amz-copy-source-if-match')
    if (source === null || etag === null) return null
    const head = await fetch(`${origin}${source}`, { method: 'HEAD' })
    return head.ok && head.headers.get('etag') !== etag ? refusal('PreconditionFailed', 412) : null
  }

  /** Remembers an upload that has begun, or its part. */
  const remember = (query: URLSearchParams, content: ArrayBuffer | null, part: StoredPart) => {
    if (query.has('uploads')) unfinished.set(uploadIdIn(content), new Map())
    const parts = unfinished.get(query.get('uploadId') ?? '')
    parts?.set(Number(query.get('partNumber')), part)
  }

  const pass = async (request: Request, { pathname, search, searchParams }: URL, body?: ArrayBuffer) => {
    const { method, headers } = request
    const uploadId = searchParams.get('uploadId')
    const refused = await refusalOf(request, uploadId)
    if (refused) return refused
    if (uploadId !== null && (method === 'POST' || method === 'DELETE')) unfinished.delete(uploadId)
    if (uploadId !== null && method === 'DELETE') return new Response(null, { status: 204 })
    if (uploadId !== null && method === 'GET') return listParts(uploadId, searchParams)
    const answer = await fetch(`${origin}${pathname}${search}`, { method, headers, body })
    const content = method === 'HEAD' ? null : await answer.arrayBuffer()
    if (answer.ok)
      remember(searchParams, content, { bytes: body?.byteLength ?? 0, etag: answer.headers.get('etag') ?? '' })
    return new Response(content, { status: answer.status, headers: answer.headers })
  }

  const proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    idleTimeout: 0,
    fetch: async (request) => {
      const url = new URL(request.url)
      const key = decodeURIComponent(url.pathname.slice(name.length + 2))
      requests.push(`${request.method} ${key}${url.search}`)
      const answered = await intercept?.(request, key)
      if (answered) return answered
      if (request.method === 'OPTIONS') return new Response(null, { headers: cors })
      const body = request.body ? await request.arrayBuffer() : undefined
      const isList = url.searchParams.get('list-type') === '2'
      const answer = await inTurn(() => (isList ? list(url.searchParams) : pass(request, url, body)))
      for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value)
      return answer
    },
  })
  const endpoint = `http://127.0.0.1:${proxy.port}`
  const settings: S3Settings = { endpoint, bucket: name, region: 'r', accessKeyId: KEY, secretAccessKey: KEY }

  const direct = (method: string, key: string, body?: Uint8Array<ArrayBuffer>) =>
    inTurn(() => fetch(`${origin}/${name}/${key}`, { method, body }))
  return {
    settings,
    /** Requests since the start or the last `reset`. */
    requests,
    /** Parts of multipart uploads that are neither complete nor aborted. */
    unfinished,
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
    /** Removes an object past the service. */
    remove: async (key: string) => void (await direct('DELETE', key)),
    /** Keys of all objects with a prefix, sorted. */
    keys: async (prefix: string) => (await inTurn(() => listAll(prefix))).map(([key]) => key),
    stop: () => proxy.stop(true),
  }
}

/** As the guide "Run in production" sets them, for all origins. */
const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'PUT',
  'access-control-allow-headers': '*',
}

const refusal = (code: string, status: number) => new Response(`<Error><Code>${code}</Code></Error>`, { status })

const uploadIdIn = (content: ArrayBuffer | null) =>
  /<UploadId>([^<]*)</.exec(Buffer.from(content ?? new ArrayBuffer()).toString())?.[1] ?? ''
