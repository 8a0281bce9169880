import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { EgressError } from './error.ts'
import type { EgressTarget } from './target.ts'

export interface EgressExchange {
  method: 'GET' | 'HEAD' | 'POST'
  headers: Record<string, string>
  body?: string | Uint8Array
  /** Timeout of the connection, TLS included. */
  connectTimeoutMs: number
  /** Aborts the request with its reason as the error. */
  signal: AbortSignal
  /** Trusted CA certificates in place of the system's, PEM. */
  ca?: string
}

/**
 * Sends one request on a new connection to a checked address. The name is not resolved again, but used for SNI, the
 * certificate check and `Host`. Without an agent, so there is no connection reuse and no proxy of the environment.
 * Bodies are not decompressed.
 * @returns the answer when its headers have arrived
 * @throws EgressError, or the signal's reason
 */
export function exchange(target: EgressTarget, options: EgressExchange): Promise<IncomingMessage> {
  const { url, hostname, addresses } = target
  const { method, headers, body, ca, signal, connectTimeoutMs } = options
  const isSecure = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  if (signal.aborted) return Promise.reject(signal.reason)

  const pinned: LookupFunction = (_, { all }, callback) => {
    const [first] = addresses
    if (all) callback(null, addresses)
    else callback(null, first?.address ?? '', first?.family)
  }
  // `autoSelectFamily` is missing in the types.
  const connection = { agent: false, lookup: pinned, autoSelectFamily: true, ca, rejectUnauthorized: true }
  const request = (isSecure ? httpsRequest : httpRequest)({
    protocol: url.protocol,
    hostname,
    port: url.port || undefined,
    path: url.pathname + url.search,
    method,
    ...connection,
    headers: { ...headers, ...toLengthHeader(body), host: toHostHeader(url), connection: 'close' },
  })
  const ready = watchConnection(request, isSecure, connectTimeoutMs)
  const abort = () => request.destroy()
  signal.addEventListener('abort', abort, { once: true })
  // Registered for the whole answer: an interrupted body also emits an error on the request.
  request.on('error', (error) => reject(signal.aborted ? signal.reason : ready.failure(error)))
  request.on('close', () => {
    signal.removeEventListener('abort', abort)
    reject(signal.aborted ? signal.reason : ready.failure(undefined))
  })
  request.on('response', resolve)
  request.end(body)
  return promise
}

/** Classifies a failure by the stage of the connection, and ends a connection that is not established in time. */
function watchConnection(request: ClientRequest, isSecure: boolean, timeoutMs: number) {
  let stage: 'unreachable' | 'tls_failed' | 'broken_answer' | 'timed_out' = 'unreachable'
  const timer = setTimeout(() => {
    stage = 'timed_out'
    request.destroy()
  }, timeoutMs)
  const connected = () => {
    stage = 'broken_answer'
    clearTimeout(timer)
  }
  request.on('close', () => clearTimeout(timer))
  request.on('socket', (socket) => {
    socket.once('connect', () => {
      if (isSecure) stage = 'tls_failed'
      else connected()
    })
    socket.once('secureConnect', connected)
  })
  return { failure: (cause: unknown) => new EgressError(stage, cause) }
}

/** Without the trailing dot of the root, which servers do not expect. */
const toHostHeader = ({ hostname, port }: URL) => hostname.replace(/\.$/, '') + (port && `:${port}`)

const toLengthHeader = (body: EgressExchange['body']) =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
