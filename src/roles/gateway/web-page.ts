import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { errorResponse } from '../../platform/http/rest.ts'
import { currentRequestId } from '../../platform/origin.ts'
import { isForBrowser, notFoundPage, siteLinks } from './site.ts'

/** A path of a page or its files, and what answers it with any method. */
export interface PageRoute {
  path: string
  handle: (request: Request) => Response | Promise<Response>
}

/** The build of `src/web` (.config/web.ts): one folder per page. */
const generated = join(import.meta.dir, '../../web/generated')

/** Characters from which a page is compressed: those of the documentation are longer. */
const LONG_PAGE = 16_384

/** Texts of the GraphQL operations of the pages. */
export const readPageOperations = (): string[] => JSON.parse(readFileSync(join(generated, 'operations.json'), 'utf8'))

interface Manifest {
  /** By name, `index` first. `{nonce}`, `{links}`, `{signIn}` and the values of an answer are inserted for each request. */
  pages: Record<string, string>
  assets: Record<string, { type: string; etag: string }>
}

/** A page of `src/web` with its files. Every address answers 404 where a setting turns the page off. */
export interface WebPage {
  /** Names of the pages of the build. */
  names: string[]
  /** @param name of a page of the build. Defaults to `index` */
  page: (request: Request, name?: string, content?: PageContent) => Response
  /** Answers a request for a file of the page. */
  asset: (request: Request) => Promise<Response>
}

/** Differences of one answer from the page of the build. */
interface PageContent {
  /** HTML by the name of its placeholder, for a nonce of style elements. */
  values?: (nonce: string) => Record<string, string>
  /** Further directives of the Content-Security-Policy. */
  policy?: string[]
  /** Hosts of the sites that may show the page in a frame; `*` for any. Defaults to none. */
  frames?: readonly string[]
}

interface PageOptions {
  /** The folder in `src/web`. */
  name: string
  /** Path of the page's files, the same as in the build. */
  assetsPath: string
  isOn: boolean
  /** Directives of the page's Content-Security-Policy, in addition to those of all pages. */
  policy: (nonce: string) => string[]
}

/** Everything is loaded from our own origin, and text never becomes a script. */
const commonPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
]

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Reads the build once per process. */
export function createWebPage(
  { log, config }: Pick<Services, 'log' | 'config'>,
  { name, assetsPath, isOn, policy }: PageOptions,
): WebPage {
  const folder = join(generated, name)
  const manifest: Manifest | null = isOn ? JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) : null

  const links = siteLinks(config)
  const { name: issuerName } = config.oidc?.client ?? {}
  const signIn = issuerName === undefined ? '' : `<meta name="sign-in-issuer" content="${Bun.escapeHTML(issuerName)}">`

  const refuse = (request: Request, error: AppError, headers?: Record<string, string>) => {
    const accept = request.headers.get('accept')
    return errorResponse(error, { accept, requestId: currentRequestId(), log }, headers)
  }
  const nothingThere = () => new AppError('not_found', 'path: does not exist')
  const refuseMethod = (request: Request) =>
    refuse(request, new AppError('method_not_allowed', 'method: must be one of GET, HEAD'), { allow: 'GET, HEAD' })

  return {
    names: Object.keys(manifest?.pages ?? {}),
    page(request, name = 'index', { values, policy: ownPolicy = [], frames = [] } = {}) {
      if (!isReading(request)) return refuseMethod(request)
      const html = manifest && Object.hasOwn(manifest.pages, name) ? manifest.pages[name] : undefined
      if (html === undefined) return isForBrowser(request) ? notFoundPage() : refuse(request, nothingThere())
      const nonce = randomBytes(16).toString('base64')
      const all: Record<string, string> = { nonce, links, signIn, ...values?.(nonce) }
      const text = html.replace(/\{(\w+)\}/g, (placeholder, key: string) => all[key] ?? placeholder)
      const ancestors = `frame-ancestors ${frames.join(' ') || "'none'"}`
      const isLong = text.length > LONG_PAGE
      const isCompressed = isLong && listCodings(request.headers.get('accept-encoding')).has('gzip')
      return new Response(isCompressed ? Bun.gzipSync(text) : text, {
        headers: {
          ...(isLong && { vary: 'Accept-Encoding' }),
          ...(isCompressed && { 'content-encoding': 'gzip' }),
          ...commonHeaders,
          ...(frames.length > 0 && { 'cross-origin-resource-policy': 'cross-origin' }),
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': writePolicy([...policy(nonce), ...ownPolicy, ancestors]),
          'cache-control': 'no-store',
        },
      })
    },
    async asset(request) {
      if (!isReading(request)) return refuseMethod(request)
      const file = new URL(request.url).pathname.slice(assetsPath.length)
      const asset = manifest && Object.hasOwn(manifest.assets, file) ? manifest.assets[file] : undefined
      if (!asset) return refuse(request, nothingThere())
      const encoding = encodingFor(request.headers.get('accept-encoding'))
      const etag = `"${asset.etag}${encoding ? `-${encoding}` : ''}"`
      const headers = {
        ...commonHeaders,
        'content-type': asset.type,
        // Applies to a worker, and to an image that is opened by itself.
        'content-security-policy': "default-src 'none'",
        // The name changes with the content.
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        etag,
        ...(encoding && { 'content-encoding': encoding }),
      }
      if (matchesEtag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
      const bytes = await Bun.file(join(folder, encoding ? `${file}.${encoding}` : file)).bytes()
      return new Response(bytes, { headers })
    },
  }
}

/** All pages send requests to our own origin only, and load their fonts from it, unless they name others. */
const writePolicy = (ownPolicy: string[]): string => {
  const isNamed = (directive: string) => ownPolicy.some((rule) => rule.startsWith(`${directive} `))
  const defaults = ['connect-src', 'font-src'].filter((directive) => !isNamed(directive))
  return [...commonPolicy, ...defaults.map((directive) => `${directive} 'self'`), ...ownPolicy].join('; ')
}

/** Data for the script of a page. In a script element, only `<` could end the data. */
export const dataElement = (data: object, type: 'application/json' | 'application/ld+json' = 'application/json') =>
  `<script type="${type}"${type === 'application/json' ? ' id="data"' : ''}>${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`

export const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** Encodings that the client accepts. */
const listCodings = (accepted: string | null) =>
  new Set(
    (accepted ?? '')
      .split(',')
      .map((part) =>
        part
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/),
      )
      .filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? ''))
      .map(([name]) => name),
  )

/** The best encoding of the build that the client accepts; null when it accepts none. */
export function encodingFor(accepted: string | null): 'br' | 'gzip' | null {
  const codings = listCodings(accepted)
  return codings.has('br') ? 'br' : codings.has('gzip') ? 'gzip' : null
}

/** Whether If-None-Match contains the ETag (RFC 9110, 13.1.2). */
export const matchesEtag = (header: string | null, etag: string): boolean =>
  header?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false
