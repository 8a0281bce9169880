import type { Services } from '../../platform/context.ts'
import { createWebPage, isReading, type WebPage } from './web-page.ts'

export const ASSETS_PATH = '/graphql/assets/'

/** Trusted Types policies of the page and its editor. Other names are rejected. */
const trustedTypes = [
  'default',
  'tonearm',
  'dompurify',
  'defaultWorkerFactory',
  'diffEditorWidget',
  'diffReview',
  'domLineBreaksComputer',
  'editorGhostText',
  'editorViewLayer',
  'standaloneColorizer',
  'stickyScrollViewLayer',
  'tokenizeToString',
]

/** The editor positions lines by style attributes, so these are allowed, while a style element needs the nonce. */
const policy = (nonce: string) => [
  `style-src 'self' 'nonce-${nonce}'`,
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self'",
  `trusted-types ${trustedTypes.join(' ')}`,
]

/** The console for administrators, unless GRAPHIQL is off. */
export interface Graphiql extends Pick<WebPage, 'asset'> {
  /** Answers a browser that opens /graphql. Null for any other request. */
  page: (request: Request) => Response | null
}

export function createGraphiql(services: Services): Graphiql {
  const isOn = services.config.isGraphiql
  const { page, asset } = createWebPage(services, { name: 'graphiql', assetsPath: ASSETS_PATH, isOn, policy })
  const isForBrowsers = (request: Request) =>
    isReading(request) && request.headers.get('accept')?.includes('text/html') === true
  return { page: (request) => (isForBrowsers(request) ? page(request) : null), asset }
}
