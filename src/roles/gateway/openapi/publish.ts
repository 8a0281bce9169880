import { createHash } from 'node:crypto'
import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { corsHeaders, errorResponse } from '../../../platform/http/rest.ts'
import { currentRequestId } from '../../../platform/origin.ts'
import { composeDocument } from './document.ts'

export const OPENAPI_PATH = '/openapi.json'

/** Serves `GET /openapi.json`, with the addresses of this service. Composed on the first request. */
export function createOpenApi({ config, log }: Services): (request: Request) => Response {
  let published: { body: string; etag: string } | undefined
  const publish = () => {
    const body = JSON.stringify(composeDocument(config))
    return { body, etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"` }
  }
  return (request) => {
    const requestId = currentRequestId()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const error = new AppError('method_not_allowed', 'method: must be GET')
      return errorResponse(error, { accept: null, requestId, log }, { allow: 'GET, HEAD' })
    }
    published ??= publish()
    const { body, etag } = published
    const headers = {
      ...corsHeaders,
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      etag,
      'x-request-id': requestId,
    }
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
    return new Response(request.method === 'HEAD' ? null : body, { headers })
  }
}
