import type { Server } from 'bun'
import { forbidden } from '../../domain/delivery/find.ts'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { addressBlock, clientAddress } from '../../platform/http/client-address.ts'
import { newExchange } from '../../platform/http/exchange.ts'
import { withFailurePage } from '../../platform/http/failure-page.ts'
import { createObserver } from '../../platform/http/observe.ts'
import { corsHeaders, errorResponse, preflight } from '../../platform/http/rest.ts'
import { currentRequestId } from '../../platform/origin.ts'
import { type BodyMemory, type BodyOrigin, bodyMemory, createBodyLimit } from './bodies.ts'
import type { Connection } from './connection.ts'
import { deliver } from './deliver.ts'
import { discardUnread } from './linger.ts'
import { NOTIFICATION_PATH, notify } from './notification.ts'
import { receive } from './receive.ts'
import { resume } from './resume.ts'
import { abilities, exposedHeaders, isTus, TUS_METHODS, TUS_VERSION } from './tus.ts'

const TRACK_UPLOADS = '/upload/track/'

/** @param sentPath the raw path, if known; `request.url` has its dot segments resolved */
export type Edge = (request: Request, connection?: Connection, sentPath?: string) => Promise<Response>

const MAX_SEGMENTS = 4

/**
 * Routes and handler of the edge for `Bun.serve`. Bun resolves dot segments, also percent-encoded ones, before a
 * handler sees the URL. Its router matches the raw path, so the parameters contain it.
 */
export function edgeRoutes(edge: Edge) {
  const patterns = Array.from({ length: MAX_SEGMENTS }, (_, last) =>
    Array.from({ length: last + 1 }, (_, at) => `/:s${at}`).join(''),
  )
  const route = (request: Bun.BunRequest, server: Server<undefined>) =>
    edge(request, connectionOf(request, server), `/${Object.values(request.params).join('/')}`)
  return {
    routes: Object.fromEntries(patterns.map((pattern) => [pattern, route])),
    /** Paths with more segments than the edge serves, or none. */
    fetch: (request: Request, server: Server<undefined>) => edge(request, connectionOf(request, server), ''),
  }
}

const connectionOf = (request: Request, server: Server<undefined>): Connection => ({
  peer: () => server.requestIP(request)?.address,
  setIdle: (seconds) => server.timeout(request, seconds),
})

/** The edge: takes uploads, delivers files. Its own port, so that user content never shares the API's origin. */
export function createEdge(services: Services, memory: BodyMemory = bodyMemory[services.config.storage.kind]): Edge {
  const withBody = createBodyLimit(memory)
  const originOf = (request: Request, url: URL, connection?: Connection): BodyOrigin => {
    const peer = connection?.peer()
    const client = peer && addressBlock(clientAddress(request.headers, peer, services.config.trustedProxies))
    // One client sends all notifications, to one path.
    const isUpload = url.pathname.startsWith('/upload/') && url.pathname !== NOTIFICATION_PATH
    const length = request.headers.get('content-length')
    return {
      address: isUpload ? url.pathname : null,
      client: (isUpload && client) || null,
      bytes: length === null ? null : Number(length),
    }
  }
  const { edgeRequests: requests, edgeSeconds: seconds } = services.metrics
  const observe = createObserver(services, { requests, seconds })
  const observeFile = createObserver(services, { requests, seconds, isSampled: true })
  async function answerOf(request: Request, connection?: Connection, sentPath?: string): Promise<Response> {
    const requestId = currentRequestId()
    let own: Record<string, string> = {}
    try {
      const url = new URL(request.url)
      const isResumable = url.pathname.startsWith(TRACK_UPLOADS) && services.storage.pieces !== undefined
      own = isResumable ? { 'tus-resumable': TUS_VERSION, ...exposedHeaders } : {}
      if (request.method === 'OPTIONS') {
        const response = isResumable
          ? withHeaders(preflight(request, TUS_METHODS, requestId), abilities(services))
          : preflight(request, [...methodsOf(url), 'OPTIONS'], requestId)
        return withHeaders(response, own)
      }
      const handle = isResumable && isTus(request) ? resume : handlerOf(url, request.method)
      // The path of a file is signed exactly as in the URL (contract, section 6).
      if (handle === deliver && sentPath !== undefined && sentPath !== url.pathname) throw forbidden()
      const answer = () => handle(services, request, url, connection)
      const response = await (request.body ? withBody(originOf(request, url, connection), answer) : answer())
      return withHeaders(response, { ...corsHeaders, ...own, 'x-request-id': requestId })
    } catch (error) {
      await discardUnread(request)
      const asked = { accept: request.headers.get('accept'), requestId, log: services.log }
      const failure = errorResponse(error, asked, { 'cache-control': 'no-store', ...own })
      return withFailurePage(request, failure)
    }
  }
  return (request, connection, sentPath) => {
    const exchange = { ...newExchange(), route: patternOf(request.url) }
    const isOfFile = exchange.route === FILE_PATTERN
    return (isOfFile ? observeFile : observe)(request, exchange, () => answerOf(request, connection, sentPath))
  }
}

const FILE_PATTERN = '/:file'

/** Returns the pattern of a path of the edge, for metrics and logs. */
function patternOf(url: string): string {
  const [, path = ''] = /^https?:\/\/[^/]*(\/[^?]*)/.exec(url) ?? []
  if (!path.startsWith('/upload/')) return FILE_PATTERN
  if (path === NOTIFICATION_PATH) return NOTIFICATION_PATH
  return path.startsWith(TRACK_UPLOADS) ? `${TRACK_UPLOADS}:id` : '/upload/:cover/:id'
}

type Handler = (services: Services, request: Request, url: URL, connection?: Connection) => Promise<Response>

/** @throws AppError `method_not_allowed` */
function handlerOf(url: URL, method: string): Handler {
  const methods = methodsOf(url)
  if (!methods.includes(method)) {
    const allow = methods.join(', ')
    throw new AppError('method_not_allowed', `method: must be one of ${allow}`, { headers: { allow } })
  }
  if (url.pathname === NOTIFICATION_PATH) return notify
  return url.pathname.startsWith('/upload/') ? receive : deliver
}

function methodsOf({ pathname }: URL): string[] {
  if (!pathname.startsWith('/upload/')) return ['GET', 'HEAD']
  return pathname.startsWith(TRACK_UPLOADS) ? ['PUT'] : ['POST']
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
