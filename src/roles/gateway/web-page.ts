import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { errorResponse } from '../../platform/http/rest.ts'

/** What the build left of `src/web` (.config/web.ts), one folder a page. */
const generated = join(import.meta.dir, '../../web/generated')

interface Manifest {
  /** With `{nonce}` in the place of the request's own. */
  page: string
  assets: Record<string, { type: string; etag: string }>
}

/** A page for people (src/web), unless the operator wants none. */
export interface WebPage {
  /** Answers whoever opens the page. */
  page: (request: Request) => Response
  /** Answers a request for a file of the page. */
  asset: (request: Request) => Promise<Response>
}

interface PageOptions {
  /** Its folder in `src/web`. */
  name: string
  /** Below which its files are asked for, as the build was told. */
  assetsPath: string
  isOn: boolean
  /** What the page's Content-Security-Policy says beside what holds for all pages. */
  policy: (nonce: string) => string[]
}

/** Everything comes from our own origin, and no text becomes a script. */
const commonPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
]

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Reads what the build made, once for a process. */
export function createWebPage(
  { log }: Pick<Services, 'log'>,
  { name, assetsPath, isOn, policy }: PageOptions,
): WebPage {
  const folder = join(generated, name)
  const manifest: Manifest | null = isOn ? JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) : null

  const refuse = (request: Request, error: AppError, headers?: Record<string, string>) => {
    const accept = request.headers.get('accept')
    return errorResponse(error, { accept, requestId: Bun.randomUUIDv7(), log }, headers)
  }
  const nothingThere = () => new AppError('not_found', 'path: there is nothing here')
  const refuseMethod = (request: Request) =>
    refuse(request, new AppError('method_not_allowed', 'method: must be one of GET, HEAD'), { allow: 'GET, HEAD' })

  return {
    page(request) {
      if (!isReading(request)) return refuseMethod(request)
      if (!manifest) return refuse(request, nothingThere())
      const nonce = randomBytes(16).toString('base64')
      return new Response(manifest.page.replace('{nonce}', nonce), {
        headers: {
          ...commonHeaders,
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': [...commonPolicy, ...policy(nonce)].join('; '),
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
        // Of a worker, and of an image that is opened by itself.
        'content-security-policy': "default-src 'none'",
        // The name changes with the content.
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        etag,
        ...(encoding && { 'content-encoding': encoding }),
      }
      if (matches(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
      const bytes = await Bun.file(join(folder, encoding ? `${file}.${encoding}` : file)).bytes()
      return new Response(bytes, { headers })
    },
  }
}

export const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** The better one of the encodings that the build made; null where the client takes neither. */
export function encodingFor(accepted: string | null): 'br' | 'gzip' | null {
  const taken = new Set(
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
  return taken.has('br') ? 'br' : taken.has('gzip') ? 'gzip' : null
}

/** Whether one of the tags of If-None-Match is this one (RFC 9110, 13.1.2). */
const matches = (header: string | null, etag: string): boolean =>
  header?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false
