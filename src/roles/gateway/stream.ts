import { createAdaptiveStreams } from '../../domain/playback/adaptive/stream.ts'
import { type PlaylistForm, playlistNames } from '../../domain/playback/adaptive-grant.ts'
import { findForeignSite } from '../../domain/playback/referrer.ts'
import { createStreamResolver } from '../../domain/playback/stream.ts'
import type { Services } from '../../platform/context.ts'
import { toAppError } from '../../platform/errors.ts'
import { forwardedAddress } from '../../platform/http/client-address.ts'
import { readCountry } from '../../platform/http/country.ts'
import type { Exchange } from '../../platform/http/exchange.ts'
import { logFailure } from '../../platform/http/failure-log.ts'
import { withFailurePage } from '../../platform/http/failure-page.ts'
import { createObserver, createRequestRecorder } from '../../platform/http/observe.ts'
import { corsHeaders } from '../../platform/http/rest.ts'
import { REFUSAL_HEADER, refusalNotices } from './refusal.ts'

export const STREAM_PATH = '/v1/stream/:trackId/:apiKey'

const streamHeaders = { ...corsHeaders, 'cache-control': 'no-store' }

/** Opens a stream link. `peer` returns the address of the connection. */
export type Stream = (trackId: string, apiKey: string, request: Request, peer?: Peer) => Promise<Response>
type Peer = () => string | undefined

/**
 * Feeds write an extension after the key, because podcast apps read the type of a file from it. That of a playlist asks for
 * one. A key contains no dot.
 */
function splitExtension(keyInAddress: string): { apiKey: string; form: PlaylistForm | null } {
  const [apiKey = '', extension = ''] = keyInAddress.split('.', 2)
  return { apiKey, form: Object.hasOwn(playlistNames, extension) ? (extension as PlaylistForm) : null }
}

/** One per process, because requests share their statements. */
export function createStream(services: Services): Stream {
  const { tracing, config } = services
  const { trustedProxies, countryHeader } = config
  const ownHost = new URL(config.publicUrl).host
  const resolver = createStreamResolver(services)
  const adaptive = createAdaptiveStreams(services)
  const { streams, requests, requestSeconds: seconds } = services.metrics
  const opened = streams.labels('redirect')
  const refused = streams.labels('refused')
  const instruments = { requests, seconds, isSampled: true }
  const observe = createObserver(services, instruments)
  // Recorded where the answer is made: another asynchronous function around it takes 5 % of the requests per second.
  const record = tracing.isOn ? null : createRequestRecorder(services, instruments)
  // Cloning takes less than half the time of parsing the same headers again.
  const redirect = new Response(null, { status: 302, headers: streamHeaders })
  async function open(
    trackId: string,
    { apiKey, form }: ReturnType<typeof splitExtension>,
    request: Request,
    exchange: Exchange,
    peer?: Peer,
  ): Promise<Response> {
    const began = performance.now()
    const id = exchange.requestId
    const recorded = (response: Response) => record?.(request, exchange, response, began) ?? response
    try {
      const { headers } = request
      const opening = await resolver.open(trackId, apiKey, {
        id,
        // The address of the connection takes a system call.
        address: forwardedAddress(headers, trustedProxies) ?? peer?.() ?? null,
        userAgent: headers.get('user-agent'),
        referrer: headers.get('referer'),
        site: findForeignSite(headers, [ownHost, headers.get('host')]),
        range: headers.get('range'),
        purpose: headers.get('sec-purpose') ?? headers.get('purpose') ?? headers.get('x-moz'),
        isHead: request.method === 'HEAD',
        country: readCountry(headers, countryHeader),
        cookie: headers.get('cookie'),
      })
      if (typeof opening === 'string') {
        opened.inc()
        const playlist = form && (await adaptive.openPlaylist(trackId, apiKey, form))
        const response = redirect.clone()
        response.headers.set('location', playlist ?? opening)
        response.headers.set('x-request-id', id)
        return recorded(response)
      }
      refused.inc()
      const text = { ...streamHeaders, 'content-type': 'text/plain', 'x-request-id': id }
      if (opening) {
        const { refusal } = opening
        const notice = refusalNotices[refusal]
        const [title, reason] = notice.en
        const refusalHeaders = { ...text, [REFUSAL_HEADER]: refusal }
        const response = new Response(`${title}. ${reason}`, { status: 403, headers: refusalHeaders })
        return recorded(withFailurePage(request, response, { notice }))
      }
      // The same body for every cause (contract, section 6).
      return recorded(withFailurePage(request, new Response('Not found', { status: 404, headers: text })))
    } catch (error) {
      const shownError = toAppError(error)
      const { status, message, retryAfterSeconds } = shownError
      logFailure(services.log, shownError, { err: error, requestId: id }, 'a stream link could not be opened')
      const retry = retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : undefined
      const headers = { ...streamHeaders, ...retry, 'content-type': 'text/plain', 'x-request-id': id }
      services.metrics.streams.inc({ outcome: 'failed' })
      return recorded(withFailurePage(request, new Response(message, { status, headers })))
    }
  }
  return (trackId, keyInAddress, request, peer) => {
    const key = splitExtension(keyInAddress)
    const exchange = { requestId: Bun.randomUUIDv7(), route: STREAM_PATH, viewer: null }
    // Without traces, nothing that a stream link does needs its origin.
    if (!tracing.isOn) return open(trackId, key, request, exchange, peer)
    return observe(request, exchange, () => open(trackId, key, request, exchange, peer))
  }
}
