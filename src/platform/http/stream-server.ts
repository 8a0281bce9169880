import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { HOUR_MS } from '../time.ts'
import { answerInvalidHost, isValidHost } from './host.ts'
import { answerUnread, type RestLimits } from './unread-body.ts'

/** Time in milliseconds without data after which a sender is disconnected. */
const STALL_MS = 120_000
/** Longest time in milliseconds for a request and its body. Stalled senders are disconnected earlier. */
const REQUEST_MS = HOUR_MS
/** Time in milliseconds after which a receiver that reads nothing is disconnected. */
const RECEIVE_MS = 120_000

/**
 * @param sentPath the raw path, as the client sent it
 * @param peer address of the connection
 */
type Handle = (request: Request, sentPath: string, peer: string | undefined) => Promise<Response>

/** A server that keeps the Content-Length of streamed bodies. */
export interface StreamServer {
  port: number
  /** Stops listening. @param isForced close open connections, too. Otherwise waits for requests in flight */
  stop: (isForced?: boolean) => Promise<void>
}

interface StreamListener {
  hostname: string
  port: number
  /** For bodies of refused requests. */
  restLimits?: RestLimits
  /** Time in milliseconds after which a receiver that reads nothing is disconnected. Defaults to 120,000. */
  receiveMs?: number
}

/**
 * Listens with node:http. `Bun.serve` sends every streamed body in chunks, without its Content-Length
 * (oven-sh/bun#10507).
 * @throws the error of the socket, such as EADDRINUSE
 */
export async function serveStreams(
  handle: Handle,
  { restLimits, receiveMs = RECEIVE_MS, ...address }: StreamListener,
): Promise<StreamServer> {
  const server = createServer({ requestTimeout: REQUEST_MS }, (incoming, outgoing) => {
    answer(handle, { incoming, outgoing, receiveMs }, restLimits).catch(() => outgoing.destroy())
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(address.port, address.hostname, resolve)
  await promise
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound ? bound.port : address.port,
    stop: (isForced = false) => close(server, isForced),
  }
}

function close(server: Server, isForced: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  if (isForced) server.closeAllConnections()
  else server.closeIdleConnections()
  return isForced ? Promise.resolve() : promise
}

async function answer(
  handle: Handle,
  { incoming, outgoing, receiveMs }: { incoming: IncomingMessage; outgoing: ServerResponse; receiveMs: number },
  limits?: RestLimits,
): Promise<void> {
  const target = incoming.url ?? ''
  if (!target.startsWith('/')) {
    outgoing.writeHead(400, { 'content-length': '0' }).end()
    return
  }
  // `headers` has the first of several.
  const hosts = incoming.headersDistinct.host ?? []
  if (hosts.length !== 1 || !isValidHost(hosts[0] ?? null)) {
    const answer = answerInvalidHost(incoming.method ?? '', hosts.length === 0 ? null : hosts.join(','))
    await send(answer, { isHead: incoming.method === 'HEAD', outgoing, receiveMs })
    return
  }
  const closing = new AbortController()
  outgoing.once('close', () => closing.abort())
  const peer = incoming.socket.remoteAddress
  const request = toRequest(incoming, target, closing.signal)
  const answered = await handle(request, target.split('?', 1)[0] ?? '', peer)
  await send(await answerUnread(request, answered, null, limits), {
    isHead: incoming.method === 'HEAD',
    outgoing,
    receiveMs,
  })
}

function toRequest(incoming: IncomingMessage, target: string, signal: AbortSignal): Request {
  const { method = 'GET', headers } = incoming
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  )
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const body = hasBody && method !== 'GET' && method !== 'HEAD' ? streamBody(incoming) : undefined
  // The host is not used: odd Host headers must not make an invalid URL.
  return new Request(`http://edge${target}`, { method, headers: sent, body, signal })
}

/** The body of a request. A sender that stalls is disconnected. */
function streamBody(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const stalled = setTimeout(() => incoming.destroy(new Error('the connection was closed: no data')), STALL_MS)
        try {
          const { done, value } = await chunks.next()
          if (done) controller.close()
          else controller.enqueue(value)
        } finally {
          clearTimeout(stalled)
        }
      },
    },
    { highWaterMark: 0 },
  )
}

interface Receiver {
  outgoing: ServerResponse
  isHead: boolean
  receiveMs: number
}

async function send(response: Response, { outgoing, isHead, receiveMs }: Receiver): Promise<void> {
  const { status, headers, body } = response
  const head = Object.fromEntries(headers)
  if (isHead || body === null) {
    if (status !== 304 && head['content-length'] === undefined) head['content-length'] = '0'
    outgoing.writeHead(status, head).end()
    return
  }
  if (head['content-length'] === undefined) {
    // Only files are streamed; other answers are short.
    const bytes = await response.bytes()
    outgoing.writeHead(status, { ...head, 'content-length': String(bytes.byteLength) }).end(bytes)
    return
  }
  outgoing.writeHead(status, head)
  const reader = body.getReader()
  // Ends the request to storage when the client leaves, also while it reads nothing.
  outgoing.once('close', () => reader.cancel().catch(() => {}))
  while (!outgoing.destroyed) {
    const { done, value } = await reader.read()
    if (done) {
      outgoing.end()
      return
    }
    if (!outgoing.write(value)) await drained(outgoing, receiveMs)
  }
  await reader.cancel()
}

async function drained(outgoing: ServerResponse, receiveMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stalled = setTimeout(() => outgoing.destroy(), receiveMs)
  outgoing.once('drain', resolve)
  outgoing.once('close', resolve)
  await promise
  clearTimeout(stalled)
  outgoing.off('drain', resolve)
  outgoing.off('close', resolve)
}
