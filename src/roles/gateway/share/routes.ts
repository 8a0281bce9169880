import { extname } from 'node:path'
import type { Refusal } from '../../../domain/playback/admission.ts'
import { findAccess, findOpening, type LinkClosure } from '../../../domain/playback/open-link.ts'
import { findPodcast } from '../../../domain/playback/podcast.ts'
import {
  findSharedTranscript,
  type SharedCover,
  type SharedTrack,
  type SharedTranscript,
} from '../../../domain/playback/share.ts'
import { convertTranscript } from '../../../domain/track/transcript/forms.ts'
import type { Context, Services } from '../../../platform/context.ts'
import type { TranscriptForm } from '../../../platform/db/generated/client/enums.ts'
import { AppError } from '../../../platform/errors.ts'
import { readCountry } from '../../../platform/http/country.ts'
import { type FailureNotice, withFailurePage } from '../../../platform/http/failure-page.ts'
import { corsHeaders, errorResponse } from '../../../platform/http/rest.ts'
import { coverFormats } from '../../../platform/media/cover/sizes.ts'
import { currentRequestId } from '../../../platform/origin.ts'
import { refusalNotices } from '../refusal.ts'
import type { Stream } from '../stream.ts'
import { isReading, matchesEtag, type PageRoute } from '../web-page.ts'
import { createDrawnCovers } from './drawn-cover.ts'
import { writeFeed } from './feed.ts'
import { OEMBED_PATH, oembed, writeOembedXml } from './oembed.ts'
import { createListenPage, LISTEN_ASSETS_PATH, type PageClient, playerData } from './page.ts'
import { askPassword, enterPassword } from './password.ts'
import {
  coverOf,
  findShared,
  type Shared,
  type SharedCoverSize,
  type ShareSubject,
  transcriptTypes,
} from './subject.ts'

/** Forms in which a share link shows its subject. */
type ShareForm = 'page' | 'data' | 'download' | 'feed.xml' | 'chapters.json' | `transcript.${TranscriptForm}` | 'cover'

/** An address below `/s/`, or below `/embed/` for a frame of another site. */
interface ShareLink {
  subject: ShareSubject
  isEmbedded: boolean
  form: ShareForm
  /** Of a cover. */
  size: SharedCoverSize
}

const SHARE_LINK =
  /^\/(s|embed)\/(collection\/)?([^/]+)\/([^/]+)(?:\/(data|download|feed\.xml|chapters\.json|transcript\.(?:vtt|srt|txt)|cover(?:-(icon|small|regular|artwork))?\.jpg))?\/?$/

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
  download: 'embed',
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

/** The transcript of a track as a file. Null without one, and for a form with times if it has none. */
function transcriptFile({ text, language }: SharedTranscript, form: TranscriptForm): Response | null {
  const converted = convertTranscript(text, form)
  if (!converted) return null
  const type = { 'content-type': `${transcriptTypes[form]}; charset=utf-8` }
  return new Response(converted, {
    headers: { ...headers, ...type, ...(language && { 'content-language': language }) },
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
  const xml = await writeFeed(services.config.publicUrl, shared, podcast)
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

/** Whether it has the answers of a form of HTML: the password of a link. */
const isForm = ({ method, headers }: Request): boolean =>
  method === 'POST' && /^application\/x-www-form-urlencoded\b/i.test(headers.get('content-type') ?? '')

/** Keeps an answer out of the caches of proxies. */
function forOneClient(response: Response): Response {
  const caching = response.headers.get('cache-control')
  if (caching) response.headers.set('cache-control', caching.replace('public', 'private'))
  return response
}

/** How a route counts a request for the rate limit of its address, and describes its client. */
type IdentifyClient = (request: Request) => Promise<{ client: PageClient }>

/**
 * Serves the pages of share links for listeners, their frames for other sites, covers, podcast feeds, chapters and oEmbed. Nothing here
 * counts a play, but for downloads: that is the stream link.
 */
export function createShareRoutes(services: Services, identify: IdentifyClient, stream: Stream): PageRoute[] {
  const { page, asset } = createListenPage(services)
  const drawnCover = createDrawnCovers()
  const { publicUrl: base, countryHeader } = services.config

  const findVisitorAccess = ({ headers }: Request, { apiKey }: ShareSubject) =>
    findAccess(services, apiKey, { country: readCountry(headers, countryHeader), cookie: headers.get('cookie') })

  async function answer(request: Request): Promise<Response> {
    const link = parseShareLink(new URL(request.url).pathname)
    if (!isReading(request) && !(link?.form === 'page' && isForm(request)))
      throw new AppError('method_not_allowed', 'method: must be one of GET, HEAD')
    const { client } = await identify(request)
    if (!link) return answerNothing(request)
    const { closure, isPersonal } = await findVisitorAccess(request, link.subject)
    const closedAnswer = await answerClosed(request, client, link, closure)
    if (closedAnswer) return closedAnswer
    const shared = await findShared(services, link.subject, formParts[link.form])
    const response = shared && (await show(request, client, link, shared))
    if (response) return isPersonal ? forOneClient(response) : response
    return answerNothing(request, shared ? null : await findOpening(services, link.subject.apiKey))
  }

  /** The same page for every cause (contract, section 6), but for a listener who is early. */
  function answerNothing(request: Request, opensAt: Date | null = null): Response {
    const notice = opensAt ? announceOpening(opensAt) : undefined
    return withFailurePage(request, new Response('Not found', { status: 404, headers }), { notice })
  }

  /** Answers a client that may not see a page, or that sends its password. Null for any other. */
  async function answerClosed(
    request: Request,
    client: PageClient,
    { form }: ShareLink,
    closure: LinkClosure | null,
  ): Promise<Response | null> {
    if (closure?.refusal === 'password' && form === 'page') {
      const ctx: Context = { ...services, ...client, viewer: null, requestId: currentRequestId() }
      return isReading(request) ? askPassword(request) : enterPassword(ctx, request, closure)
    }
    if (closure) return refuse(request, closure.refusal)
    if (isReading(request)) return null
    // The password has been given in another tab, or removed.
    return new Response(null, { status: 303, headers: { ...headers, location: new URL(request.url).pathname } })
  }

  function refuse(request: Request, refusal: Refusal): Response {
    const notice = refusalNotices[refusal]
    return withFailurePage(request, new Response(notice.en.join('. '), { status: 403, headers }), { notice })
  }

  /** Returns null for a form that the subject does not have. A frame has its page only. */
  async function show(
    request: Request,
    client: PageClient,
    { isEmbedded, form, size }: ShareLink,
    shared: Shared,
  ): Promise<Response | null> {
    const { track, collection, apiKey } = shared
    if (isEmbedded && form !== 'page') return null
    switch (form) {
      case 'page':
        return page(request, client, shared, isEmbedded)
      case 'data':
        return collection ? null : Response.json(playerData(services, { track, apiKey, client }), { headers })
      case 'download':
        return collection ? null : download(request, client, shared)
      case 'cover':
        return showCover(request, shared, size)
      case 'chapters.json':
        return collection ? null : chaptersFile(track)
      case 'feed.xml':
        return feedFile(request, services, shared)
      case 'transcript.vtt':
      case 'transcript.srt':
      case 'transcript.txt':
        return collection ? null : showTranscript(request, track, extname(form).slice(1) as TranscriptForm)
    }
  }

  /** The transcription, or the translation into the language that the address names. */
  async function showTranscript(request: Request, track: SharedTrack, form: TranscriptForm): Promise<Response | null> {
    const language = new URL(request.url).searchParams.get('language')
    const transcript = await findSharedTranscript(services, track, language)
    return transcript && transcriptFile(transcript, form)
  }

  /** Counts a play, then redirects to the file, which a browser saves. Null where the key does not allow it. */
  async function download(
    request: Request,
    { address }: PageClient,
    { track, apiKey }: Shared,
  ): Promise<Response | null> {
    if (track.downloadUrl === null) return null
    const played = await stream(track.id, apiKey, request, () => address ?? undefined)
    if (played.status === 302) played.headers.set('location', track.downloadUrl)
    return played
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
    await identify(request)
    const query = new URL(request.url).searchParams
    const url = URL.parse(query.get('url') ?? '')
    const sharedLink = url?.origin === new URL(base).origin ? parseShareLink(url.pathname) : null
    const access = sharedLink && (await findVisitorAccess(request, sharedLink.subject))
    const link = access?.closure ? null : sharedLink
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
