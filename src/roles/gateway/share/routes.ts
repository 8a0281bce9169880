import type { SharedTrack } from '../../../domain/playback/share.ts'
import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { withFailurePage } from '../../../platform/http/failure-page.ts'
import { corsHeaders, errorResponse } from '../../../platform/http/rest.ts'
import { currentRequestId } from '../../../platform/origin.ts'
import { feedOf } from './feed.ts'
import { OEMBED_PATH, oembed } from './oembed.ts'
import { createListenPage, LISTEN_ASSETS_PATH, playerData } from './page.ts'
import { type Asked, findShared } from './subject.ts'

type Answer = (request: Request) => Promise<Response>

const SHARE_LINK = /^\/(s|embed)\/(collection\/)?([^/]+)\/([^/]+)(?:\/(data|feed\.xml|chapters\.json))?\/?$/

/** The subject and the form that an address asks for; null for another address. */
function parsePath(pathname: string) {
  const [, place, collection, id = '', apiKey = '', form = 'page'] = SHARE_LINK.exec(pathname) ?? []
  if (!place) return null
  const asked: Asked = { kind: collection ? 'collection' : 'track', id: id.toLowerCase(), apiKey }
  return { asked, isEmbedded: place === 'embed', form }
}

/** The part of the subject that each form shows. */
const partOf = (form: string) =>
  form === 'feed.xml' ? ('feed' as const) : form === 'chapters.json' ? ('chapters' as const) : ('page' as const)

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...corsHeaders }

/** Chapters of a track as a file (JSON Chapters 1.2.0 of the Podcast Namespace). */
function chaptersFile({ title, chapters }: SharedTrack): Response {
  const shown = chapters.map(({ startSeconds, endSeconds, url, imageUrl, title }) => ({
    ...{ startTime: startSeconds, endTime: endSeconds, title },
    ...(url && { url }),
    ...(imageUrl && { img: imageUrl }),
  }))
  const type = { 'content-type': 'application/json+chapters' }
  return new Response(JSON.stringify({ version: '1.2.0', title, chapters: shown }), {
    headers: { ...headers, ...type },
  })
}

/**
 * Serves the pages of share links for listeners, their frames for other sites, podcast feeds, chapters and oEmbed. Nothing here
 * counts a play: that is the stream link.
 * @param count counts the request for the rate limit of its address
 */
export function createShareRoutes(services: Services, count: (request: Request) => Promise<unknown>) {
  const { page, asset } = createListenPage(services)
  const base = services.config.publicUrl

  async function answer(request: Request): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new AppError('method_not_allowed', 'method: must be one of GET, HEAD')
    await count(request)
    const asked = parsePath(new URL(request.url).pathname)
    const shared = asked && (await findShared(services, asked.asked, partOf(asked.form)))
    // The same page for every cause (contract, section 6).
    const missing = () => withFailurePage(request, new Response('Not found', { status: 404, headers }))
    if (!asked || !shared) return missing()
    const { form, isEmbedded } = asked
    const { track, collection, apiKey } = shared
    if (form === 'page') return page(request, shared, isEmbedded)
    if (form === 'data' && !isEmbedded && !collection) return Response.json(playerData(track, apiKey), { headers })
    if (form === 'chapters.json' && !isEmbedded && !collection) return chaptersFile(track)
    if (form !== 'feed.xml' || isEmbedded || !collection) return missing()
    const type = { 'content-type': 'application/rss+xml; charset=utf-8' }
    return new Response(feedOf(base, { ...shared, collection }), { headers: { ...headers, ...type } })
  }

  async function embedding(request: Request): Promise<Response> {
    await count(request)
    const query = new URL(request.url).searchParams
    const link = URL.parse(query.get('url') ?? '')
    const asked = link?.origin === new URL(base).origin ? parsePath(link.pathname) : null
    return Response.json(await oembed(services, query, asked?.asked ?? null), { headers })
  }

  /** A refusal as a page for a browser, else in the envelope of /v1. */
  const guarded =
    (handle: Answer): Answer =>
    (request) =>
      handle(request).catch((error: unknown) => {
        const accept = request.headers.get('accept')
        return withFailurePage(
          request,
          errorResponse(error, { accept, requestId: currentRequestId(), log: services.log }),
        )
      })

  return [
    { path: `${LISTEN_ASSETS_PATH}*`, handle: asset },
    { path: '/s/*', handle: guarded(answer) },
    { path: '/embed/*', handle: guarded(answer) },
    { path: OEMBED_PATH, handle: guarded(embedding) },
  ]
}
