import { createStreamResolver } from '../../domain/playback/stream.ts'
import type { Services } from '../../platform/context.ts'
import { toAppError } from '../../platform/errors.ts'
import { clientAddress } from '../../platform/http/client-address.ts'
import { withFailurePage } from '../../platform/http/failure-page.ts'
import { corsHeaders } from '../../platform/http/rest.ts'

export const STREAM_PATH = '/v1/stream/:trackId/:apiKey'

const streamHeaders = { ...corsHeaders, 'cache-control': 'no-store' }

/** Opens a stream link: the one answer of the gateway that is no JSON. `peer` is the address of who connected. */
export type Stream = (trackId: string, apiKey: string, request: Request, peer?: string) => Promise<Response>

/** One for a process: requests share their statements. */
export function createStream(services: Services): Stream {
  const { trustedProxies } = services.config
  const resolver = createStreamResolver(services)
  const opened = services.metrics.streams.labels('redirect')
  const refused = services.metrics.streams.labels('refused')
  // A copy takes less than half the time that it takes to read the same headers anew.
  const redirect = new Response(null, { status: 302, headers: streamHeaders })
  return async (trackId, apiKey, request, peer) => {
    const id = Bun.randomUUIDv7()
    try {
      const { headers } = request
      const location = await resolver.open(trackId, apiKey, {
        id,
        // Reading what proxies say takes longer than all the rest; who listens is asked for its block anyway.
        address: trustedProxies > 0 ? clientAddress(headers, peer, trustedProxies) : (peer ?? null),
        userAgent: headers.get('user-agent'),
        referrer: headers.get('referer'),
        range: headers.get('range'),
        purpose: headers.get('sec-purpose') ?? headers.get('purpose') ?? headers.get('x-moz'),
        isHead: request.method === 'HEAD',
      })
      if (location) {
        opened.inc()
        const response = redirect.clone()
        response.headers.set('location', location)
        response.headers.set('x-request-id', id)
        return response
      }
      refused.inc()
      const text = { ...streamHeaders, 'content-type': 'text/plain', 'x-request-id': id }
      // The same body for every cause (contract, section 6).
      return withFailurePage(request, new Response('Not found', { status: 404, headers: text }))
    } catch (error) {
      const { status, message, retryAfterSeconds } = toAppError(error)
      services.log.error({ err: error, requestId: id }, 'a stream link could not be opened')
      const retry = retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : undefined
      const headers = { ...streamHeaders, ...retry, 'content-type': 'text/plain', 'x-request-id': id }
      return withFailurePage(request, new Response(message, { status, headers }))
    }
  }
}
