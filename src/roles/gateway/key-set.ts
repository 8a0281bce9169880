import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { corsHeaders, errorResponse, preflight } from '../../platform/http/rest.ts'
import { currentRequestId } from '../../platform/origin.ts'

export const KEY_SET_PATH = '/.well-known/jwks.json'
const METHODS = ['GET', 'HEAD']

/** Serves the public keys of administrators' tokens (RFC 7517). A new key is published an hour before it signs. */
export async function publishKeySet(services: Services, request: Request): Promise<Response> {
  const requestId = currentRequestId()
  try {
    if (request.method === 'OPTIONS') return preflight(request, [...METHODS, 'OPTIONS'], requestId)
    if (!METHODS.includes(request.method)) {
      const allow = METHODS.join(', ')
      throw new AppError('method_not_allowed', `method: must be one of ${allow}`, { headers: { allow } })
    }
    // Bun omits the body of an answer to HEAD.
    return new Response(JSON.stringify(await services.tokenKeys.published()), {
      headers: {
        ...corsHeaders,
        'content-type': 'application/jwk-set+json',
        'cache-control': 'public, max-age=300',
        'x-request-id': requestId,
      },
    })
  } catch (error) {
    return errorResponse(error, { accept: request.headers.get('accept'), requestId, log: services.log })
  }
}
