import type { Services } from '../../platform/context.ts'
import { createWebPage, type PageRoute } from './web-page.ts'

const DESIGN_PATH = '/design/'

/** The font of all pages (src/web/design). */
export function createDesignRoute(services: Services): PageRoute {
  const { asset } = createWebPage(services, {
    name: 'design',
    assetsPath: DESIGN_PATH,
    isOn: true,
    policy: () => [],
  })
  return { path: `${DESIGN_PATH}*`, handle: asset }
}
