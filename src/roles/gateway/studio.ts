import type { Services } from '../../platform/context.ts'
import { languageOf } from './language.ts'
import { STUDIO_PATH } from './site.ts'
import { createWebPage } from './web-page.ts'

export const STUDIO_ASSETS_PATH = `${STUDIO_PATH}/assets/`

/** The page for administrators (src/web/studio). Its script decides what an address below STUDIO_PATH shows. */
export function createStudio(services: Services) {
  const { edgeUrl, deliveryUrl, storage } = services.config
  // Every organization has a domain of its own, which the page knows after the sign-in.
  const files = new URL(deliveryUrl.replace('{org_domain}', 'localhost')).protocol
  const uploads = [edgeUrl, storage.kind === 's3' ? storage.endpoint : edgeUrl].map((url) => new URL(url).origin)
  const policy = (nonce: string) => [
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self' ${[...new Set(uploads)].join(' ')}`,
    `img-src 'self' data: blob: ${files}`,
    `media-src 'self' ${files}`,
    'trusted-types default',
  ]
  const { page, asset, names } = createWebPage(services, {
    ...{ name: 'studio', assetsPath: STUDIO_ASSETS_PATH, isOn: true, policy },
  })
  return { asset, page: (request: Request) => page(request, languageOf(request, names)) }
}
