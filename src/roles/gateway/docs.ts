import type { Services } from '../../platform/context.ts'
import { createWebPage, type PageRoute } from './web-page.ts'

export const DOCS_PATH = '/docs'
export const DOCS_ASSETS_PATH = '/docs/assets/'
export const GUIDES_PATH = '/docs/guides'
const REFERENCE_PATH = '/docs/reference'

const policy = () => ["style-src 'self'", "img-src 'self'"]

/** The reference of /v1 and the guides. `DOCS=off` turns both off. /openapi.json is always served. */
export function createDocsRoutes(services: Services): PageRoute[] {
  const isOn = services.config.isDocs
  const { page, asset } = createWebPage(services, { name: 'docs', assetsPath: DOCS_ASSETS_PATH, isOn, policy })
  /** Shows the list of guides, or a page by its name. */
  const named = (request: Request) =>
    page(request, new URL(request.url).pathname.slice(`${DOCS_PATH}/`.length).replace(/\/$/, ''))
  return [
    { path: DOCS_PATH, handle: (request) => page(request) },
    { path: GUIDES_PATH, handle: named },
    { path: `${GUIDES_PATH}/*`, handle: named },
    { path: `${REFERENCE_PATH}/*`, handle: named },
    { path: `${DOCS_ASSETS_PATH}*`, handle: asset },
  ]
}
