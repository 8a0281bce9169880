import { readListeningGrant } from '../../domain/playback/listening/address.ts'
import { reportInput } from '../../domain/playback/listening/record.ts'
import { createListeningReports, type ReportClient } from '../../domain/playback/listening/report.ts'
import type { Services } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { corsHeaders, readQuery } from '../../platform/http/rest.ts'
import { currentRequestId } from '../../platform/origin.ts'
import { parse } from '../../platform/schema/parse.ts'

/** Reports of what is heard of a track. The grant was given to its player. */
export const LISTENING_PATH = '/v1/listening/:trackId/:grant'

/**
 * Creates a function that answers the reports of players. They have no body and no header of their own, so that a page of another
 * site sends them without a preflight, also while it closes.
 * @throws AppError `not_found` for an address that was not issued here, and after its end; `invalid_input`
 */
export function createListeningRoute(services: Services) {
  const report = createListeningReports(services)
  return async (trackId: string, grantText: string, request: Request, client: ReportClient): Promise<Response> => {
    const grant = readListeningGrant(services, trackId, grantText)
    if (!grant) throw notFound('grant')
    const { ranges } = parse(reportInput, readQuery(new URL(request.url)))
    await report(grant, ranges, client)
    return new Response(null, { status: 204, headers: { ...corsHeaders, 'x-request-id': currentRequestId() } })
  }
}
