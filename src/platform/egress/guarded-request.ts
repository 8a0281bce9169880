import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Deadline, deadline, orAborted } from './deadline.ts'
import { EgressError } from './error.ts'
import { exchange } from './exchange.ts'
import { findTarget, type Resolve, systemResolve } from './target.ts'

export { EgressError, type EgressFailure } from './error.ts'

export interface GuardedRequest {
  method?: 'GET' | 'HEAD' | 'POST'
  /** `host`, `connection` and `content-length` are set by the request itself. */
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Of the answer's body, as it comes over the wire: nothing is inflated. Of a longer one so much is read. */
  maxBytes: number
  /** For all of it, from resolving the name to the last byte of the body. */
  timeoutMs: number
  /** For each connection, TLS included. */
  connectTimeoutMs?: number
  /** For which the body may stand still while somebody reads it. */
  idleTimeoutMs?: number
  /** Also http, and addresses that are not of the public internet. */
  allowPrivate: boolean
  /** How many redirects of a GET or HEAD are followed, each checked like the first address; none unless told. */
  redirects?: number
  signal?: AbortSignal
}

/** How names are resolved, and whose certificates are believed: the system's unless told. */
export interface Network {
  resolve: Resolve
  ca?: string
}

export interface GuardedAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** Where it came from in the end. */
  url: string
  /** To be read once. Whoever stops early ends the connection; whoever never starts, at the deadline. */
  body: AsyncIterable<Uint8Array>
}

const CONNECT_TIMEOUT_MS = 10_000
const REDIRECTS = [301, 302, 303, 307, 308]
/** Belong to the one that they were meant for. */
const OF_ONE_ORIGIN = /^(authorization|cookie|proxy-authorization)$/i

/**
 * A request to an address that somebody else chose. Its host is resolved once; all it resolved to is checked, and what
 * was checked is what is connected to, whatever the name says a moment later.
 * @throws EgressError also while the body is read; the signal's reason where it fired
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
  limits: Deadline,
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
    const there = URL.parse(location, target.url)
    if (!there) throw new EgressError('forbidden_address')
    if (there.origin !== target.url.origin) {
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_ORIGIN.test(name)))
    }
    next = there.href
  }
}

function read(answer: IncomingMessage, { maxBytes, idleTimeoutMs }: GuardedRequest, limits: Deadline) {
  // Nobody may be reading when it breaks off.
  answer.on('error', () => {})
  answer.on('close', limits.end)
  return chunks(answer, maxBytes, idleTimeoutMs, limits)
}

async function* chunks(
  answer: IncomingMessage,
  maxBytes: number,
  idleTimeoutMs: number | undefined,
  { signal, fail, end }: Deadline,
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
