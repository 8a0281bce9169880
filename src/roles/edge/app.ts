import type { Server } from 'bun'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { ALLOWED_HEADERS, corsHeaders, errorResponse, preflight } from '../../platform/rest.ts'
import { deliver } from './deliver.ts'
import { NOTIFICATION_PATH, notify } from './notification.ts'
import { receive } from './receive.ts'

const EDGE_HEADERS = `${ALLOWED_HEADERS}, Content-Length, If-Range, If-None-Match`

/** The edge: takes uploads, delivers files. Its own port, so that user content never shares the API's origin. */
export function createEdge(services: Services) {
  return async (request: Request, server?: Server<undefined>): Promise<Response> => {
    const requestId = Bun.randomUUIDv7()
    const failed = (error: unknown, headers?: Record<string, string>) =>
      errorResponse(error, { accept: request.headers.get('accept'), requestId, log: services.log }, headers)
    try {
      const url = new URL(request.url)
      const isUpload = url.pathname.startsWith('/upload/')
      const methods = isUpload ? uploadMethods(url.pathname) : ['GET', 'HEAD']
      if (request.method === 'OPTIONS') return preflight([...methods, 'OPTIONS'].join(', '), EDGE_HEADERS, requestId)
      if (!methods.includes(request.method)) {
        const allow = methods.join(', ')
        return failed(new AppError('method_not_allowed', `method: must be one of ${allow}`), { allow })
      }
      const response =
        url.pathname === NOTIFICATION_PATH
          ? await notify(services, request)
          : await (isUpload ? receive(services, request, url, server) : deliver(services, request, url))
      for (const [name, value] of Object.entries(corsHeaders)) response.headers.set(name, value)
      response.headers.set('x-request-id', requestId)
      return response
    } catch (error) {
      return failed(error, { 'cache-control': 'no-store' })
    }
  }
}

const uploadMethods = (pathname: string) => (pathname.startsWith('/upload/track/') ? ['PUT'] : ['POST'])
