import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { deadline, type EgressDeadline, orAborted } from './deadline.ts'
import { EgressError } from './error.ts'
import { exchange } from './exchange.ts'
import { findTarget, type Resolve, systemResolve } from './target.ts'

export { EgressError, type EgressFailure } from './error.ts'

export interface GuardedRequest {
  method?: 'GET' | 'HEAD' | 'POST'
  /** `host`, `connection` and `content-length` are set internally. */
  headers?: Record<string, string>
  body?: string | Uint8Array
  /**
   * Maximum number of bytes of the answer's body as transmitted; not decompressed. A longer body is read up to this
   * limit.
   */
  maxBytes: number
  /** Timeout from name resolution to the last byte of the body. */
  timeoutMs: number
  /** Timeout of each connection, TLS included. Defaults to 10 seconds. */
  connectTimeoutMs?: number
  /** Maximum time between two chunks while the body is read. */
  idleTimeoutMs?: number
  /** Also allows http and addresses outside the public internet. */
  allowPrivate: boolean
  /** Maximum number of redirects of a GET or HEAD, each checked like the first address. Defaults to 0. */
  redirects?: number
  signal?: AbortSignal
}

/** Name resolution and trusted CA certificates. Default to the system's. */
export interface Network {
  resolve: Resolve
  ca?: string
}

export interface GuardedAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** Address of the answer, after redirects. */
  url: string
  /** To be read once. Ending the iteration early closes the connection. If it never starts, the deadline closes it. */
  body: AsyncIterable<Uint8Array>
}

const CONNECT_TIMEOUT_MS = 10_000
const REDIRECTS = [301, 302, 303, 307, 308]
/** Headers that are only sent to the origin that they were meant for. */
const OF_ONE_ORIGIN = /^(authorization|cookie|proxy-authorization)$/i

/**
 * Sends a request to an untrusted address. The host is resolved once, all its addresses are checked, and only checked
 * addresses are connected to, even if the name changes.
 * @throws EgressError also while the body is read; the signal's reason when it fired
 * @see contract, section 7
 */
export async function guardedRequest(
  address: string,
  options: GuardedRequest,
  network: Network = { resolve: systemResolve },
): Promise<GuardedAnswer> {
  const limits = deadline(options)
  try {
    return await follow(address, options, network, limits)
  } catch (error) {
    limits.end()
    throw error
  }
}

async function follow(
  address: string,
  options: GuardedRequest,
  network: Network,
  limits: EgressDeadline,
): Promise<GuardedAnswer> {
  const { method = 'GET', body, allowPrivate, redirects = 0, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
  const { signal } = limits
  let headers = options.headers ?? {}
  for (let next = address, count = 0; ; count++) {
    const target = await orAborted(findTarget(next, allowPrivate, network.resolve), signal)
    const answer = await exchange(target, { method, headers, body, connectTimeoutMs, signal, ca: network.ca })
    const { statusCode: status = 0 } = answer
    const location = redirects > 0 && method !== 'POST' && REDIRECTS.includes(status) && answer.headers.location
    if (!location) {
      return { status, headers: answer.headers, url: target.url.href, body: read(answer, options, limits) }
    }
    answer.on('error', () => {}).destroy()
    if (count >= redirects) throw new EgressError('too_many_redirects')
    const redirect = URL.parse(location, target.url)
    if (!redirect) throw new EgressError('forbidden_address')
    if (redirect.origin !== target.url.origin) {
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_ORIGIN.test(name)))
    }
    next = redirect.href
  }
}

function read(answer: IncomingMessage, { maxBytes, idleTimeoutMs }: GuardedRequest, limits: EgressDeadline) {
  // The body may fail without a reader.
  answer.on('error', () => {})
  answer.on('close', limits.end)
  return chunks(answer, maxBytes, idleTimeoutMs, limits)
}

async function* chunks(
  answer: IncomingMessage,
  maxBytes: number,
  idleTimeoutMs: number | undefined,
  { signal, fail, end }: EgressDeadline,
): AsyncGenerator<Uint8Array, void> {
  const source: AsyncIterator<Uint8Array> = answer[Symbol.asyncIterator]()
  let count = 0
  try {
    while (true) {
      const idle = idleTimeoutMs && setTimeout(() => fail(new EgressError('timed_out')), idleTimeoutMs)
      const { done, value } = await orAborted(source.next(), signal).finally(() => clearTimeout(idle || undefined))
      if (done) return
      const allowed = value.subarray(0, maxBytes - count)
      if (allowed.length > 0) yield allowed
      if (allowed.length < value.length) throw new EgressError('too_large')
      count += value.length
    }
  } catch (error) {
    throw signal.aborted
      ? signal.reason
      : error instanceof EgressError
        ? error
        : new EgressError('broken_answer', error)
  } finally {
    end()
    answer.destroy()
  }
}
