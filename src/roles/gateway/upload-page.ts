import type { Config } from '../../config.ts'
import { getUploadPage, readUploadStates, type UploadPage } from '../../domain/upload/page.ts'
import type { Services } from '../../platform/context.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { chooseLanguage } from '../../platform/http/accept.ts'
import { withFailurePage } from '../../platform/http/failure-page.ts'
import { corsHeaders, errorResponse } from '../../platform/http/rest.ts'
import { currentRequestId } from '../../platform/origin.ts'
import { isUuid } from '../../platform/uuid.ts'
import { createPalette, writePalette } from './share/palette.ts'
import { createWebPage, dataElement, type PageRoute } from './web-page.ts'

export const UPLOAD_ASSETS_PATH = '/u/assets/'

/** Tracks whose states one request returns. */
const MAX_STATES = 100
const UPLOAD_LINK = /^\/u\/([^/]+)(?:\/(states))?\/?$/

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...corsHeaders }

/** Origins that take uploads of pages: the edge, and the bucket if recordings are uploaded to one. */
export const uploadOrigins = ({ edgeUrl, storage }: Pick<Config, 'edgeUrl' | 'storage'>) => [
  ...new Set([edgeUrl, storage.kind === 's3' ? storage.publicEndpoint : edgeUrl].map((url) => new URL(url).origin)),
]

/**
 * Serves the page of an upload session for people without an account (src/web/upload), and the states of its tracks.
 * The session is the credential.
 * @param count counts the request for the rate limit of its address
 */
export function createUploadRoutes(services: Services, count: (request: Request) => Promise<unknown>): PageRoute[] {
  const policy = (nonce: string) => [
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self' ${uploadOrigins(services.config).join(' ')}`,
  ]
  const { page, asset, names } = createWebPage(services, {
    name: 'upload',
    assetsPath: UPLOAD_ASSETS_PATH,
    isOn: true,
    policy,
  })

  function show(request: Request, uploadPage: UploadPage): Response {
    const { cover, theme, chosenColor, fallbackColor, collectionTitle, organizationName, filesOrigin } = uploadPage
    const palette = createPalette(theme, chosenColor, fallbackColor)
    return page(request, chooseLanguage(request, names), {
      policy: [`img-src 'self' ${filesOrigin}`],
      values: (nonce) => ({
        title: Bun.escapeHTML(collectionTitle),
        organization: Bun.escapeHTML(organizationName),
        cover: cover ? `<img class="cover" alt="" width="500" height="500" src="${Bun.escapeHTML(cover.url)}">` : '',
        colors: `<style nonce="${nonce}">:root { ${writePalette(palette)} }</style>`,
        data: dataElement(toPageData(services.config, uploadPage)),
      }),
    })
  }

  async function answer(request: Request): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new AppError('method_not_allowed', 'method: must be one of GET, HEAD')
    await count(request)
    const url = new URL(request.url)
    const [, sessionId = '', form] = UPLOAD_LINK.exec(url.pathname) ?? []
    if (!isUuid(sessionId)) throw notFound('uploadSessionId')
    if (!form) return show(request, await getUploadPage(services, sessionId))
    const ids = (url.searchParams.get('track') ?? '').split(',').filter(isUuid).slice(0, MAX_STATES)
    return Response.json({ tracks: await readUploadStates(services, sessionId, ids) }, { headers })
  }

  /** A refusal as a page for a browser, else in the envelope of /v1. */
  const guarded = (request: Request) =>
    answer(request).catch((error: unknown) => {
      const accept = request.headers.get('accept')
      const refusal = errorResponse(error, { accept, requestId: currentRequestId(), log: services.log }, headers)
      return withFailurePage(request, refusal)
    })

  return [
    { path: `${UPLOAD_ASSETS_PATH}*`, handle: asset },
    { path: '/u/*', handle: guarded },
  ]
}

/** Data for the script of the page, with upload addresses as /v1 has them. */
function toPageData({ maxUploadBytes }: Config, { sessionId, expiresAt, prepared }: UploadPage) {
  type Handle = NonNullable<UploadPage['prepared']>['upload' | 'coverUpload']
  const toRest = (handle: Handle) => ({
    method: handle.method,
    upload_url: handle.uploadUrl,
    parts_url: handle.partsUrl,
    ttl: handle.ttl,
    expires_at: handle.expiresAt,
  })
  return {
    sessionId,
    expiresAt,
    maxBytes: maxUploadBytes,
    prepared: prepared && {
      ...prepared,
      upload: toRest(prepared.upload),
      coverUpload: toRest(prepared.coverUpload),
    },
  }
}
