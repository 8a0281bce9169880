import type { Server } from 'bun'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { ALLOWED_HEADERS, corsHeaders, errorResponse, preflight } from '../../platform/rest.ts'
import { deliver } from './deliver.ts'
import { NOTIFICATION_PATH, notify } from './notification.ts'
import { receive } from './receive.ts'
import { resume } from './resume.ts'
import { abilities, exposedHeaders, isTus, requestHeaders, TUS_METHODS, TUS_VERSION } from './tus.ts'

const EDGE_HEADERS = `${ALLOWED_HEADERS}, Content-Length, If-Range, If-None-Match`
const TUS_ALLOWED_HEADERS = `${EDGE_HEADERS}, ${requestHeaders}`
const TRACK_UPLOADS = '/upload/track/'

/** The edge: takes uploads, delivers files. Its own port, so that user content never shares the API's origin. */
export function createEdge(services: Services) {
  return async (request: Request, server?: Server<undefined>): Promise<Response> => {
    const requestId = Bun.randomUUIDv7()
    let own: Record<string, string> = {}
    try {
      const url = new URL(request.url)
      const isResumable = url.pathname.startsWith(TRACK_UPLOADS) && services.storage.pieces !== undefined
      own = isResumable ? { 'tus-resumable': TUS_VERSION, ...exposedHeaders } : {}
      if (request.method === 'OPTIONS') {
        const response = isResumable
          ? withHeaders(preflight(TUS_METHODS.join(', '), TUS_ALLOWED_HEADERS, requestId), abilities(services))
          : preflight([...methodsOf(url), 'OPTIONS'].join(', '), EDGE_HEADERS, requestId)
        return withHeaders(response, own)
      }
      const handle = isResumable && isTus(request) ? resume : handlerOf(url, request.method)
      const response = await handle(services, request, url, server)
      return withHeaders(response, { ...corsHeaders, ...own, 'x-request-id': requestId })
    } catch (error) {
      const asked = { accept: request.headers.get('accept'), requestId, log: services.log }
      return errorResponse(error, asked, { 'cache-control': 'no-store', ...own })
    }
  }
}

type Handler = (services: Services, request: Request, url: URL, server?: Server<undefined>) => Promise<Response>

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
