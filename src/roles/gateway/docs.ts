import type { Services } from '../../platform/context.ts'
import { createWebPage, type WebPage } from './web-page.ts'

export const DOCS_PATH = '/docs'
export const DOCS_ASSETS_PATH = '/docs/assets/'

/** The page sets style attributes, and draws its signs from the sheet as data. */
const policy = () => [
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  'trusted-types default dompurify tonearm',
]

/** The reference of /v1 for people, at /docs, unless DOCS is off. It reads /openapi.json, which is there regardless. */
export const createDocs = (services: Services): WebPage =>
  createWebPage(services, { name: 'docs', assetsPath: DOCS_ASSETS_PATH, isOn: services.config.isDocs, policy })
