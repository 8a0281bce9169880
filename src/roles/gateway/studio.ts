import type { Services } from '../../platform/context.ts'
import { chooseLanguage } from '../../platform/http/accept.ts'
import { STUDIO_PATH } from './site.ts'
import { uploadOrigins } from './upload-page.ts'
import { createWebPage, type PageRoute } from './web-page.ts'

export const STUDIO_ASSETS_PATH = `${STUDIO_PATH}/assets/`

/** The page for administrators (src/web/studio). Its script decides what an address below STUDIO_PATH shows. */
export function createStudioRoutes(services: Services): PageRoute[] {
  // Every organization has a domain of its own, which is unknown until the sign-in.
  const files = new URL(services.config.deliveryUrl.replace('{org_domain}', 'localhost')).protocol
  const policy = (nonce: string) => [
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self' ${uploadOrigins(services.config).join(' ')}`,
    `img-src 'self' data: blob: ${files}`,
    `media-src 'self' ${files}`,
    'trusted-types default',
  ]
  const { page, asset, names } = createWebPage(services, {
    name: 'studio',
    assetsPath: STUDIO_ASSETS_PATH,
    isOn: true,
    policy,
  })
  const show = (request: Request) => page(request, chooseLanguage(request, names))
  return [
    { path: STUDIO_PATH, handle: show },
    { path: `${STUDIO_PATH}/*`, handle: show },
    { path: `${STUDIO_ASSETS_PATH}*`, handle: asset },
  ]
}
