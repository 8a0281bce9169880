import type { Services } from '../../platform/context.ts'
import { createWebPage, type PageRoute } from './web-page.ts'

const DESIGN_PATH = '/design/'
/** Addresses at the root that browsers and telephones ask for without a page. */
const ICONS = ['favicon.ico', 'apple-touch-icon.png']
/** Unlike the names of other files, theirs do not change with the content. */
const ICON_CACHE = 'public, max-age=86400'

/** The font of all pages, and the mark as pictures (src/web/design). */
export function createDesignRoutes(services: Services): PageRoute[] {
  const { asset } = createWebPage(services, {
    name: 'design',
    assetsPath: DESIGN_PATH,
    isOn: true,
    policy: () => [],
  })
  const icons = ICONS.map((name) => ({
    path: `/${name}`,
    handle: async (request: Request) => {
      const answer = await asset(new Request(new URL(DESIGN_PATH + name, request.url), request))
      if (answer.ok) answer.headers.set('cache-control', ICON_CACHE)
      return answer
    },
  }))
  return [{ path: `${DESIGN_PATH}*`, handle: asset }, ...icons]
}
