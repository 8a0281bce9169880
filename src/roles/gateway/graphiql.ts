import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { errorResponse } from '../../platform/rest.ts'

export const ASSETS_PATH = '/graphql/assets/'

/** What the build left of `src/web` (.config/web.ts). */
const folder = join(import.meta.dir, '../../web/generated')

interface Manifest {
  /** With `{nonce}` in the place of the request's own. */
  page: string
  assets: Record<string, { type: string; etag: string }>
}

/** Policies that the page and its editor make: every other name is refused. */
const trustedTypes = [
  ...['default', 'tonearm', 'dompurify', 'defaultWorkerFactory', 'diffEditorWidget', 'diffReview'],
  ...['domLineBreaksComputer', 'editorGhostText', 'editorViewLayer', 'standaloneColorizer'],
  ...['stickyScrollViewLayer', 'tokenizeToString'],
]

/**
 * Everything comes from our own origin, and no text becomes a script. The editor places its lines by style attributes:
 * these alone are open, while a style element needs the nonce.
 */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes.join(' ')}`,
  ].join('; ')

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** The console for administrators (src/web), unless GRAPHIQL is off. */
export interface Graphiql {
  /** Answers a browser that opens /graphql; null for any other request. */
  page: (request: Request) => Response | null
  /** Answers a request for a file of the page. */
  asset: (request: Request) => Promise<Response>
}

/** Reads what the build made, once for a process. */
export function createGraphiql({ config, log }: Services): Graphiql {
  const manifest: Manifest | null = config.isGraphiql
    ? JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    : null

  const refuse = (request: Request, error: AppError, headers?: Record<string, string>) => {
    const accept = request.headers.get('accept')
    return errorResponse(error, { accept, requestId: Bun.randomUUIDv7(), log }, headers)
  }
  const nothingThere = () => new AppError('not_found', 'path: there is nothing here')

  return {
    page(request) {
      if (!isReading(request) || !request.headers.get('accept')?.includes('text/html')) return null
      if (!manifest) return refuse(request, nothingThere())
      const nonce = randomBytes(16).toString('base64')
      return new Response(manifest.page.replace('{nonce}', nonce), {
        headers: {
          ...commonHeaders,
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': policy(nonce),
          'cache-control': 'no-store',
        },
      })
    },
    async asset(request) {
      if (!isReading(request)) {
        const refusal = new AppError('method_not_allowed', 'method: must be one of GET, HEAD')
        return refuse(request, refusal, { allow: 'GET, HEAD' })
      }
      const name = new URL(request.url).pathname.slice(ASSETS_PATH.length)
      const asset = manifest && Object.hasOwn(manifest.assets, name) ? manifest.assets[name] : undefined
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
      const bytes = await Bun.file(join(folder, encoding ? `${name}.${encoding}` : name)).bytes()
      return new Response(bytes, { headers })
    },
  }
}

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

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
