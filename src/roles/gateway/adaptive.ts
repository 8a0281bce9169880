import { createAdaptiveStreams } from '../../domain/playback/adaptive/stream.ts'
import { readAdaptiveGrant } from '../../domain/playback/adaptive-grant.ts'
import type { Services } from '../../platform/context.ts'
import { withFailurePage } from '../../platform/http/failure-page.ts'
import { corsHeaders } from '../../platform/http/rest.ts'
import { currentRequestId } from '../../platform/origin.ts'

/** Playlists and files of an adaptive stream. The grant is in the address of its playlist. */
export const ADAPTIVE_PATH = '/v1/adaptive/:trackId/:grant/:file'

const headers = { ...corsHeaders, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/**
 * Creates a function that answers requests for the parts of an adaptive stream: playlists, and redirects to its files. Nothing
 * here counts a play: that is the stream link (decision 0085).
 */
export function createAdaptiveRoute(services: Services, streams = createAdaptiveStreams(services)) {
  return async (trackId: string, grantText: string, name: string, request: Request): Promise<Response> => {
    const common = { ...headers, 'x-request-id': currentRequestId() }
    const grant = readAdaptiveGrant(services, trackId, grantText)
    const part = grant && (await streams.read(grant, name))
    if (!part) {
      const text = { ...common, 'content-type': 'text/plain' }
      return withFailurePage(request, new Response('Not found', { status: 404, headers: text }))
    }
    if ('location' in part) return new Response(null, { status: 302, headers: { ...common, location: part.location } })
    return new Response(part.text, { headers: { ...common, 'content-type': part.contentType } })
  }
}
