import { randomBytes } from 'node:crypto'
import type { Config } from '../../config.ts'
import { prefersHtml } from '../../platform/http/failure-page.ts'
import { version } from '../../platform/version.ts'

/** Address of the page for administrators. */
export const STUDIO_PATH = '/studio'

type Pages = Pick<Config, 'isDocs' | 'isGraphiql'>

/** The pages that are switched on, for the header of each page and for the start page. */
function pagesOf({ isDocs, isGraphiql }: Pages) {
  return [
    { path: STUDIO_PATH, name: 'Studio', text: 'Collections, uploads, share links and usage.', isOn: true },
    { path: '/graphql', name: 'Console', text: 'Sign in and run GraphQL operations.', isOn: isGraphiql },
    { path: '/docs', name: 'Reference', text: 'Every operation of /v1, to read and to try.', isOn: isDocs },
    {
      path: '/docs/guides',
      name: 'Guides',
      text: 'Build an app, run the service, look up a status code.',
      isOn: isDocs,
    },
  ].filter(({ isOn }) => isOn)
}

/** Links to the other pages, as HTML. */
export const siteLinks = (config: Pages) =>
  pagesOf(config)
    .map(({ path, name }) => link(path, name))
    .join('\n')

const link = (path: string, text: string) => `<a href="${path}">${text}</a>`

/** Whether a browser opened the address; a program gets JSON. */
export const isForBrowser = ({ method, headers }: Request) =>
  (method === 'GET' || method === 'HEAD') && prefersHtml(headers.get('accept'))

/** The page at `/` (operating.md, Pages). */
export function startPage(config: Pages): Response {
  const list = pagesOf(config)
    .map(({ path, name, text }) => `<li>${link(path, name)}: ${text}</li>`)
    .join('\n')
  const machine = [link('/openapi.json', 'openapi.json'), link('/graphql/schema.graphql', 'schema.graphql')].join(', ')
  const text = `<p>The service is running, version ${version}.</p>\n<ul>${list}\n<li>For programs: ${machine}.</li></ul>`
  return htmlPage('Tonearm', text, 200)
}

/** The page of an unknown address (operating.md, Pages). */
export const notFoundPage = () =>
  htmlPage('Page not found', `<p>There is no page at this address. ${link('/', 'Start page')}</p>`, 404)

function htmlPage(title: string, body: string, status: number): Response {
  const nonce = randomBytes(16).toString('base64')
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 1.125rem/1.6 system-ui, sans-serif }
body { max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem }
h1 { font-size: 1.5rem }
</style>
<h1>${title}</h1>
${body}
</html>
`
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
  })
}
