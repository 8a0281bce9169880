import type { Services } from '../../platform/context.ts'
import { createWebPage, type WebPage } from './web-page.ts'

export const DOCS_PATH = '/docs'
export const DOCS_ASSETS_PATH = '/docs/assets/'
export const GUIDES_PATH = '/docs/guides'

/** Swagger UI sets style attributes and has icons as data URLs. */
const policy = () => [
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  'trusted-types default dompurify tonearm',
]

/** The reference of /v1 at /docs and the guides. */
export interface Docs extends Pick<WebPage, 'asset'> {
  reference: (request: Request) => Response
  /** Answers /docs/guides, the list, and /docs/guides/<name>. */
  guide: (request: Request) => Response
}

/** `DOCS=off` turns all of it off. /openapi.json is always served. */
export function createDocs(services: Services): Docs {
  const isOn = services.config.isDocs
  const { page, asset } = createWebPage(services, { name: 'docs', assetsPath: DOCS_ASSETS_PATH, isOn, policy })
  return {
    asset,
    reference: (request) => page(request),
    guide: (request) => page(request, new URL(request.url).pathname.slice(`${DOCS_PATH}/`.length).replace(/\/$/, '')),
  }
}
