import { extname } from 'node:path'
import { findOpening } from '../../../domain/playback/open-link.ts'
import { findPodcast } from '../../../domain/playback/podcast.ts'
import type { SharedCover, SharedTrack } from '../../../domain/playback/share.ts'
import type { TranscriptForm } from '../../../domain/track/transcript.ts'
import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { type FailureNotice, withFailurePage } from '../../../platform/http/failure-page.ts'
import { corsHeaders, errorResponse } from '../../../platform/http/rest.ts'
import { coverFormats } from '../../../platform/media/cover/sizes.ts'
import { currentRequestId } from '../../../platform/origin.ts'
import { matchesEtag, type PageRoute } from '../web-page.ts'
import { createDrawnCovers } from './drawn-cover.ts'
import { writeFeed } from './feed.ts'
import { OEMBED_PATH, oembed, writeOembedXml } from './oembed.ts'
import { createListenPage, LISTEN_ASSETS_PATH, playerData } from './page.ts'
import {
  coverOf,
  findShared,
  type Shared,
  type SharedCoverSize,
  type ShareSubject,
  transcriptTypes,
} from './subject.ts'

/** Forms in which a share link shows its subject. */
type ShareForm = 'page' | 'data' | 'feed.xml' | 'chapters.json' | `transcript.${TranscriptForm}` | 'cover'

/** An address below `/s/`, or below `/embed/` for a frame of another site. */
interface ShareLink {
  subject: ShareSubject
  isEmbedded: boolean
  form: ShareForm
  /** Of a cover. */
  size: SharedCoverSize
}

const SHARE_LINK =
  /^\/(s|embed)\/(collection\/)?([^/]+)\/([^/]+)(?:\/(data|feed\.xml|chapters\.json|transcript\.(?:vtt|srt|txt)|cover(?:-(icon|small|regular|artwork))?\.jpg))?\/?$/

/** Returns null for another address. */
function parseShareLink(pathname: string): ShareLink | null {
  const [, place, collection, id = '', apiKey = '', file = 'page', size = 'large'] = SHARE_LINK.exec(pathname) ?? []
  if (!place) return null
  const subject: ShareSubject = { kind: collection ? 'collection' : 'track', id: id.toLowerCase(), apiKey }
  const form = (file.startsWith('cover') ? 'cover' : file) as ShareForm
  return { subject, isEmbedded: place === 'embed', form, size: size as SharedCoverSize }
}

/** The part of the subject that a form shows. */
const formParts = {
  page: 'page',
  data: 'page',
  'feed.xml': 'feed',
  'chapters.json': 'chapters',
  'transcript.vtt': 'transcript',
  'transcript.srt': 'transcript',
  'transcript.txt': 'transcript',
  cover: 'embed',
} as const

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...corsHeaders }

/** Chapters of a track as a file (JSON Chapters 1.2.0 of the Podcast Namespace). */
function chaptersFile({ title, chapters }: SharedTrack): Response {
  const writtenChapters = chapters.map(({ startSeconds, endSeconds, url, imageUrl, title }) => ({
    startTime: startSeconds,
    endTime: endSeconds,
    title,
    ...(url && { url }),
    ...(imageUrl && { img: imageUrl }),
  }))
  const type = { 'content-type': 'application/json+chapters' }
  return new Response(JSON.stringify({ version: '1.2.0', title, chapters: writtenChapters }), {
    headers: { ...headers, ...type },
  })
}

/** The transcription of a track as a file, in its own form or as text. Null without one, and for another form. */
function transcriptFile(
  { transcription, transcriptForm, transcriptionLanguage }: SharedTrack,
  form: TranscriptForm,
): Response | null {
  if (!transcription || (form !== 'txt' && form !== transcriptForm)) return null
  const type = { 'content-type': `${transcriptTypes[form]}; charset=utf-8` }
  return new Response(transcription, {
    headers: { ...headers, ...type, ...(transcriptionLanguage && { 'content-language': transcriptionLanguage }) },
  })
}

/** Time in which a change and a revoked key take effect for covers and feeds. The target of a cover's redirect is valid for an hour. */
const CACHE_SECONDS = 300

/**
 * The podcast feed of a collection. It is not sent again to a client that has the same one by its ETag. A date alone does
 * not answer that, because the tracks that are moved and deleted change no date.
 */
async function feedFile(request: Request, services: Services, shared: Shared): Promise<Response | null> {
  const podcast = shared.collection && (await findPodcast(services, shared.collection))
  if (!podcast) return null
  const xml = writeFeed(services.config.publicUrl, shared, podcast)
  const etag = toEtag(xml)
  const validators = {
    etag,
    'last-modified': podcast.updatedAt.toUTCString(),
    'cache-control': `${shared.collection?.isPrivate ? 'private' : 'public'}, max-age=${CACHE_SECONDS}`,
  }
  const feedHeaders = { ...headers, ...validators, 'content-type': 'application/rss+xml; charset=utf-8' }
  const isKnown = matchesEtag(request.headers.get('if-none-match'), etag)
  return new Response(isKnown ? null : xml, { status: isKnown ? 304 : 200, headers: feedHeaders })
}

function announceOpening(at: Date): FailureNotice {
  const format = (language: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at)
  return {
    en: ['This link is not open yet', `It opens on ${format('en')} UTC.`],
    de: ['Dieser Link ist noch nicht offen', `Er öffnet am ${format('de')} UTC.`],
  }
}

const toEtag = (body: string | Uint8Array) => `"${new Bun.CryptoHasher('sha256').update(body).digest('base64url')}"`

/** Redirects to a picture of the edge (decision 0067). Null for a cover without this size. */
function redirectToCover(cover: SharedCover, size: SharedCoverSize): Response | null {
  const location = size === 'artwork' ? cover.artworkUrl : cover.images[size].url
  if (!location) return null
  const target = { location, 'cache-control': `public, max-age=${CACHE_SECONDS}` }
  return new Response(null, { status: 302, headers: { ...headers, ...target } })
}

/**
 * Serves the pages of share links for listeners, their frames for other sites, covers, podcast feeds, chapters and oEmbed. Nothing here
 * counts a play: that is the stream link.
 * @param count counts the request for the rate limit of its address
 */
export function createShareRoutes(services: Services, count: (request: Request) => Promise<unknown>): PageRoute[] {
  const { page, asset } = createListenPage(services)
  const drawnCover = createDrawnCovers()
  const base = services.config.publicUrl

  async function answer(request: Request): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new AppError('method_not_allowed', 'method: must be one of GET, HEAD')
    await count(request)
    const link = parseShareLink(new URL(request.url).pathname)
    const shared = link && (await findShared(services, link.subject, formParts[link.form]))
    // The same page for every cause (contract, section 6), but for a listener who is early.
    const response = link && shared ? await show(request, link, shared) : null
    if (response) return response
    const opensAt = link && !shared ? await findOpening(services, link.subject.apiKey) : null
    const notice = opensAt ? announceOpening(opensAt) : undefined
    return withFailurePage(request, new Response('Not found', { status: 404, headers }), { notice })
  }

  /** Returns null for a form that the subject does not have. A frame has its page only. */
  async function show(
    request: Request,
    { isEmbedded, form, size }: ShareLink,
    shared: Shared,
  ): Promise<Response | null> {
    const { track, collection, apiKey } = shared
    if (isEmbedded && form !== 'page') return null
    switch (form) {
      case 'page':
        return page(request, shared, isEmbedded)
      case 'data':
        return collection ? null : Response.json(playerData(track, apiKey), { headers })
      case 'cover':
        return showCover(request, shared, size)
      case 'chapters.json':
        return collection ? null : chaptersFile(track)
      case 'feed.xml':
        return feedFile(request, services, shared)
      case 'transcript.vtt':
      case 'transcript.srt':
      case 'transcript.txt':
        return collection ? null : transcriptFile(track, extname(form).slice(1) as TranscriptForm)
    }
  }

  /** The cover, or the picture that is drawn for a subject without one. */
  async function showCover(request: Request, shared: Shared, size: SharedCoverSize): Promise<Response | null> {
    const cover = coverOf(shared)
    if (cover) return redirectToCover(cover, size)
    const picture = await drawnCover(shared, size)
    const etag = toEtag(picture)
    const cache = { etag, 'cache-control': `public, max-age=${CACHE_SECONDS}` }
    const isKnown = matchesEtag(request.headers.get('if-none-match'), etag)
    return new Response(isKnown ? null : picture, {
      status: isKnown ? 304 : 200,
      headers: { ...headers, ...cache, 'content-type': coverFormats.jpg },
    })
  }

  async function embedding(request: Request): Promise<Response> {
    await count(request)
    const query = new URL(request.url).searchParams
    const url = URL.parse(query.get('url') ?? '')
    const link = url?.origin === new URL(base).origin ? parseShareLink(url.pathname) : null
    const format = query.get('format') ?? 'json'
    // The status that oembed.com names for this.
    if (format !== 'json' && format !== 'xml') {
      return new Response(`format: must be json or xml, got ${format}`, {
        status: 501,
        headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
      })
    }
    const answered = await oembed(services, query, link?.subject ?? null)
    if (format === 'json') return Response.json(answered, { headers })
    return new Response(writeOembedXml(answered), {
      headers: { ...headers, 'content-type': 'text/xml; charset=utf-8' },
    })
  }

  /** A refusal as a page for a browser, else in the envelope of /v1. */
  const guarded =
    (handle: (request: Request) => Promise<Response>) =>
    (request: Request): Promise<Response> =>
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
