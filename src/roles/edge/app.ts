import type { Server } from 'bun'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { addressBlock, clientAddress } from '../../platform/http/client-address.ts'
import { newExchange } from '../../platform/http/exchange.ts'
import { withFailurePage } from '../../platform/http/failure-page.ts'
import { createObserver } from '../../platform/http/observe.ts'
import { corsHeaders, errorResponse, preflight } from '../../platform/http/rest.ts'
import { currentRequestId } from '../../platform/origin.ts'
import { type BodyMemory, type BodyOrigin, bodyMemory, createBodyLimit } from './bodies.ts'
import type { EdgeConnection } from './connection.ts'
import { createDeliver } from './deliver.ts'
import { type DeliveryPlaces, deliveryPlaces } from './deliveries.ts'
import { NOTIFICATION_PATH, notify } from './notification.ts'
import { receiveInParts } from './parts.ts'
import { receive } from './receive.ts'
import { resume } from './resume.ts'
import { abilities, exposedHeaders, isTus, TUS_METHODS, TUS_VERSION } from './tus.ts'

const TRACK_UPLOADS = '/upload/track/'
const PARTS_UPLOADS = '/upload/track-parts/'

/** @param sentPath the raw path, if known; `request.url` has its dot segments resolved */
export type Edge = (request: Request, connection?: EdgeConnection, sentPath?: string) => Response | Promise<Response>

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
    edge(request, toEdgeConnection(request, server), `/${Object.values(request.params).join('/')}`)
  return {
    routes: Object.fromEntries(patterns.map((pattern) => [pattern, route])),
    /** Paths with more segments than the edge serves, or none. */
    fetch: (request: Request, server: Server<undefined>) => edge(request, toEdgeConnection(request, server), ''),
  }
}

const toEdgeConnection = (request: Request, server: Server<undefined>): EdgeConnection => ({
  peer: () => server.requestIP(request)?.address,
  setIdle: (seconds) => server.timeout(request, seconds),
})

/** The edge: takes uploads, delivers files. Its own port, so that user content never shares the API's origin. */
export function createEdge(
  services: Services,
  memory: BodyMemory = bodyMemory[services.config.storage.kind],
  places: DeliveryPlaces = deliveryPlaces,
): Edge {
  const withBody = createBodyLimit(memory)
  const findClient = ({ headers }: Request, connection?: EdgeConnection): string | null => {
    const peer = connection?.peer()
    return peer ? addressBlock(clientAddress(headers, peer, services.config.trustedProxies)) : null
  }
  const findOrigin = (request: Request, url: URL, connection?: EdgeConnection): BodyOrigin => {
    const client = findClient(request, connection)
    // One client sends all notifications, to one path.
    const isUpload = url.pathname.startsWith('/upload/') && url.pathname !== NOTIFICATION_PATH
    const length = request.body ? request.headers.get('content-length') : '0'
    return {
      address: isUpload ? url.pathname : null,
      client: isUpload ? client : null,
      organization: isUpload ? (services.signing.readUploadPath(url)?.organizationId ?? null) : null,
      bytes: length === null ? null : Number(length),
    }
  }
  const { edgeRequests: requests, edgeSeconds: seconds } = services.metrics
  const observe = createObserver(services, { requests, seconds })
  const observeFile = createObserver(services, { requests, seconds, isSampled: true })
  const deliver = createDeliver(services, places)

  function fail(request: Request, error: unknown, extraHeaders: Record<string, string> = {}): Response {
    const context = { accept: request.headers.get('accept'), requestId: currentRequestId(), log: services.log }
    const failure = errorResponse(error, context, { 'cache-control': 'no-store', ...extraHeaders })
    return withFailurePage(request, failure, { hasFont: false })
  }

  /** Answers without waiting if `deliver` does. */
  function answerFile(request: Request, connection?: EdgeConnection, sentPath?: string): Response | Promise<Response> {
    try {
      const requestId = currentRequestId()
      if (request.method === 'OPTIONS') return preflight(request, [...FILE_METHODS, 'OPTIONS'], requestId)
      checkMethod(request, FILE_METHODS)
      const sender = {
        commonHeaders: { ...corsHeaders, 'x-request-id': requestId },
        client: () => findClient(request, connection),
      }
      const answer = () => deliver(request, sentPath, sender)
      const answered = request.body
        ? withBody(findOrigin(request, new URL(request.url), connection), async () => answer())
        : answer()
      return answered instanceof Promise ? answered.catch((error) => fail(request, error)) : answered
    } catch (error) {
      return fail(request, error)
    }
  }

  async function answerUpload(request: Request, connection?: EdgeConnection): Promise<Response> {
    const requestId = currentRequestId()
    let tusHeaders: Record<string, string> = {}
    try {
      const url = new URL(request.url)
      const methods = findMethods(url)
      const isResumable = methods.includes('PUT') && services.storage.pieces !== undefined
      tusHeaders = isResumable ? { 'tus-resumable': TUS_VERSION, ...exposedHeaders } : {}
      if (request.method === 'OPTIONS') {
        const response = isResumable
          ? withHeaders(preflight(request, TUS_METHODS, requestId), abilities(services))
          : preflight(request, [...methods, 'OPTIONS'], requestId)
        return withHeaders(response, tusHeaders)
      }
      const handle = isResumable && isTus(request) ? resume : selectHandler(url)
      if (handle !== resume) checkMethod(request, methods)
      const answer = () => handle(services, request, url, connection)
      const isLimited = request.body !== null || handle === receiveInParts
      const response = await (isLimited ? withBody(findOrigin(request, url, connection), answer) : answer())
      return withHeaders(response, { ...corsHeaders, ...tusHeaders, 'x-request-id': requestId })
    } catch (error) {
      return fail(request, error, tusHeaders)
    }
  }

  return (request, connection, sentPath) => {
    const exchange = newExchange(findPattern(request.url))
    return exchange.route === FILE_PATTERN
      ? observeFile(request, exchange, () => answerFile(request, connection, sentPath))
      : observe(request, exchange, () => answerUpload(request, connection))
  }
}

const FILE_METHODS = ['GET', 'HEAD']
const FILE_PATTERN = '/:file'

/** Returns the pattern of a path of the edge, for metrics and logs. */
function findPattern(url: string): string {
  // Nearly all requests.
  if (!url.includes('/upload/')) return FILE_PATTERN
  const [, path = ''] = /^https?:\/\/[^/]*(\/[^?]*)/.exec(url) ?? []
  if (!path.startsWith('/upload/')) return FILE_PATTERN
  if (path === NOTIFICATION_PATH) return NOTIFICATION_PATH
  for (const uploads of [TRACK_UPLOADS, PARTS_UPLOADS]) if (path.startsWith(uploads)) return `${uploads}:id`
  return '/upload/:cover/:id'
}

function findMethods({ pathname }: URL): string[] {
  if (pathname.startsWith(TRACK_UPLOADS)) return ['PUT']
  return pathname.startsWith(PARTS_UPLOADS) ? ['POST', 'DELETE'] : ['POST']
}

function selectHandler({ pathname }: URL) {
  if (pathname === NOTIFICATION_PATH) return notify
  return pathname.startsWith(PARTS_UPLOADS) ? receiveInParts : receive
}

/** @throws AppError `method_not_allowed` */
function checkMethod({ method }: Request, methods: readonly string[]): void {
  if (methods.includes(method)) return
  const allow = methods.join(', ')
  throw new AppError('method_not_allowed', `method: must be one of ${allow}`, { headers: { allow } })
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
