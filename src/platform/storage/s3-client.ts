import type { IncomingMessage } from 'node:http'
import { AwsClient } from 'aws4fetch'
import { createObjectRequests } from './s3-object.ts'
import { StorageError } from './storage.ts'

export interface S3Settings {
  endpoint: string
  /** Origin of presigned addresses, where clients reach the bucket. Defaults to `endpoint`. */
  publicEndpoint?: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** Time limit in milliseconds for the answer to a request without a body. */
const ANSWER_MS = 20_000
/** Lowest rate at which a body is sent, in bytes per millisecond. */
const BYTES_PER_MS = 70
/** Time limit in milliseconds between two chunks of an object. */
const IDLE_MS = 30_000
/** Requests that the bucket refuses for the moment are sent this many times. */
const TRIES = 3
/** Pause in milliseconds before the second try. It doubles. */
const PAUSE_MS = 200

const temporaryStatuses = new Set([429, 500, 502, 503, 504])
/** The bucket has received other bytes than were sent. */
const damagedCodes = new Set(['XAmzContentSHA256Mismatch', 'BadDigest'])

export interface S3Request {
  /** Name of the operation, for errors. */
  operation: string
  method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** Null for a request to the bucket. */
  key: string | null
  query?: Record<string, string>
  headers?: Record<string, string>
  /** Complete, so that a request can be sent again. */
  body?: Uint8Array<ArrayBuffer> | string
  /** Time limit in milliseconds of one try. Defaults to 20 s, and more for a body. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Statuses other than 2xx that are not failures. */
  accepts?: readonly number[]
}

export interface S3Answer {
  status: number
  headers: Headers
  text: string
}

/** Limits, which tests lower. */
export interface S3Limits {
  answerMs?: number
  idleMs?: number
  pauseMs?: number
  /** Bytes above which an object is copied in parts. */
  copyPartBytes?: number
}

export type S3Requests = ReturnType<typeof createS3Requests>

/**
 * Signed requests to one bucket. Each try has a time limit. A request that is refused for the moment, or whose
 * connection fails, is sent three times; one that is not answered in time, once.
 */
export function createS3Requests({ endpoint, bucket, ...keys }: S3Settings, limits: S3Limits = {}) {
  const { answerMs = ANSWER_MS, idleMs = IDLE_MS, pauseMs = PAUSE_MS } = limits
  const signer = new AwsClient({ ...keys, service: 's3', retries: 0 })

  const requestObject = createObjectRequests(endpoint)

  const sign = ({ method, key, query, headers: givenHeaders, body }: S3Request): Promise<Request> => {
    // Without it the signature covers no body, and the bucket stores any that arrives.
    const headers = { ...givenHeaders, ...(body !== undefined && { 'x-amz-content-sha256': hash(body) }) }
    const path = key === null ? '' : `/${key.split('/').map(encodeURIComponent).join('/')}`
    const search = query ? `?${new URLSearchParams(query)}` : ''
    return signer.sign(`${endpoint}/${bucket}${path}${search}`, { method, headers, body })
  }

  /** @throws StorageError */
  async function attempt<T>(request: S3Request, run: (signed: Request) => Promise<T | S3Failure>): Promise<T> {
    const { operation, key, signal } = request
    for (let tries = 1; ; tries++) {
      const result = await sign(request)
        .then(run)
        .catch((error: unknown) => toFailure(error, signal))
      if (!(result instanceof S3Failure)) return result
      if (!result.isTemporary || tries === TRIES || signal?.aborted) throw new StorageError(operation, key, result)
      await Bun.sleep(pauseMs * 2 ** (tries - 1))
    }
  }

  return {
    /**
     * Sends a request and reads its whole answer.
     * @throws StorageError for any status but 2xx and the accepted ones
     */
    send: (request: S3Request): Promise<S3Answer> =>
      attempt(request, async (signed) => {
        const limit = AbortSignal.timeout(request.timeoutMs ?? answerMs + (request.body?.length ?? 0) / BYTES_PER_MS)
        const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit
        const response = await fetch(signed, { signal })
        const text = await response.text()
        const { status, headers } = response
        // S3 may fail after it has answered 200.
        const isDone = (response.ok && !text.includes('<Error>')) || request.accepts?.includes(status)
        return isDone ? { status, headers, text } : new S3Failure(status, errorCodeOf(text))
      }),

    /**
     * Requests the bytes of an object. Null when the bucket answers that it does not exist. The bytes end with a
     * StorageError when none arrive for 30 s.
     * @throws StorageError
     */
    open: (request: S3Request): Promise<S3Body | null> =>
      attempt(request, async (signed) => {
        const closing = new AbortController()
        const signal = request.signal ? AbortSignal.any([closing.signal, request.signal]) : closing.signal
        const message = await within(answerMs, closing, requestObject(signed, signal))
        const { statusCode: status = 0 } = message
        if (status === 404) {
          closing.abort()
          return null
        }
        if (status < 200 || status > 299) {
          const text = readText(message).catch((error) => {
            throw chooseReason(error, closing.signal)
          })
          return new S3Failure(status, errorCodeOf(await within(answerMs, closing, text)))
        }
        const { operation, key } = request
        const length = message.headers['content-length']
        const bytes = length === undefined ? null : Number(length)
        const chunks = readChunks(message, { idleMs, closing, operation, key })
        return { status, bytes, chunks, close: () => closing.abort() }
      }),
  }
}

export interface S3Body {
  status: number
  /** Content-Length of the answer. Null without one. */
  bytes: number | null
  /** Ending the iteration early closes the connection. */
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>
  /** Closes the connection, also while bytes are awaited. */
  close: () => void
}

/** The reason why a try failed. */
class S3Failure extends Error {
  override name = 'S3Failure'
  /** Null without an answer. */
  readonly status: number | null
  readonly code: string
  readonly isTemporary: boolean

  constructor(
    status: number | null,
    code: string,
    isTemporary = (status !== null && temporaryStatuses.has(status)) || damagedCodes.has(code),
  ) {
    super(status === null ? 'the bucket did not answer' : `the bucket answered ${status}`)
    this.status = status
    this.code = code
    this.isTemporary = isTemporary
  }
}

function toFailure(error: unknown, signal: AbortSignal | undefined): S3Failure {
  if (error instanceof S3Failure) return error
  const { name, code, message } = error as { name?: string; code?: unknown; message?: string }
  if (signal?.aborted) return new S3Failure(null, 'ABORTED', false)
  if (name === 'TimeoutError') return new S3Failure(null, 'TIMEOUT', false)
  return new S3Failure(null, typeof code === 'string' ? code : (message ?? 'UNREACHABLE'), true)
}

const errorCodeOf = (text: string) => /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? 'no code'

/** Waits for a promise for a limited time, after which its request is aborted. */
async function within<T>(ms: number, closing: AbortController, promise: Promise<T>): Promise<T> {
  const timer = setTimeout(() => closing.abort(new DOMException(`no answer for ${ms} ms`, 'TimeoutError')), ms)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

/** A body reports that it was ended, but not why. */
const chooseReason = (error: unknown, { aborted, reason }: AbortSignal): unknown => (aborted ? reason : error)

const hash = (body: Uint8Array | string) => new Bun.CryptoHasher('sha256').update(body).digest('hex')

/** Maximum length of the text of an error. */
const MAX_ERROR_CHARS = 65_536

async function readText(message: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of message.setEncoding('utf8')) {
    text += chunk
    if (text.length > MAX_ERROR_CHARS) break
  }
  return text
}

async function* readChunks(
  message: IncomingMessage,
  {
    idleMs,
    closing,
    operation,
    key,
  }: Pick<S3Request, 'operation' | 'key'> & { idleMs: number; closing: AbortController },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = message[Symbol.asyncIterator]()
  try {
    for (;;) {
      // The time during which the consumer does not ask for bytes does not count.
      const { done, value } = await within(idleMs, closing, chunks.next())
      if (done) return
      yield value
    }
  } catch (error) {
    throw new StorageError(operation, key, toFailure(chooseReason(error, closing.signal), undefined))
  } finally {
    closing.abort()
  }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Returns the texts of an element in an answer, in order. */
export function findElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, named) => {
      if (decimal) return String.fromCodePoint(Number(decimal))
      return hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : (entities[named] ?? whole)
    }),
  )
}
