import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { EgressError } from './error.ts'
import type { Target } from './target.ts'

export interface Exchange {
  method: 'GET' | 'HEAD' | 'POST'
  headers: Record<string, string>
  body?: string | Uint8Array
  /** For the connection, TLS included. */
  connectTimeoutMs: number
  /** Ends it at once, with its reason as the error. */
  signal: AbortSignal
  /** Certificates of authorities to trust instead of the system's, PEM. */
  ca?: string
}

/**
 * One request on a connection of its own, to an address that was checked: the name is not resolved again, and stands in
 * SNI, in the certificate check and in `Host`. No agent, so no kept connection and no proxy of the environment; bodies
 * are never inflated.
 * @returns the answer as its head is there
 * @throws EgressError, or the signal's reason
 */
export function exchange(target: Target, options: Exchange): Promise<IncomingMessage> {
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
  const request = (isSecure ? httpsRequest : httpRequest)({
    ...{ protocol: url.protocol, hostname, port: url.port || undefined, path: url.pathname + url.search, method },
    ...{ agent: false, lookup: pinned, autoSelectFamily: true, ca, rejectUnauthorized: true },
    headers: { ...headers, ...lengthOf(body), host: hostOf(url), connection: 'close' },
  })
  const ready = watchConnection(request, isSecure, connectTimeoutMs)
  const abort = () => request.destroy()
  signal.addEventListener('abort', abort, { once: true })
  // Stays for as long as the answer is read: breaking off says so on the request, too.
  request.on('error', (error) => reject(signal.aborted ? signal.reason : ready.failure(error)))
  request.on('close', () => {
    signal.removeEventListener('abort', abort)
    reject(signal.aborted ? signal.reason : ready.failure(undefined))
  })
  request.on('response', resolve)
  request.end(body)
  return promise
}

/** Tells a failure by how far the connection had come, and ends one that does not come about. */
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

/** Without the dot of the root: servers know their names without it. */
const hostOf = ({ hostname, port }: URL) => hostname.replace(/\.$/, '') + (port && `:${port}`)

const lengthOf = (body: Exchange['body']) =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
