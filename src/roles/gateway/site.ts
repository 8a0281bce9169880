import type { Config } from '../../config.ts'
import { prefersHtml } from '../../platform/http/failure-page.ts'
import { icons, mark, noticePage, smallPage } from '../../platform/http/small-page.ts'
import { version } from '../../platform/version.ts'

/** Address of the page for administrators. */
export const STUDIO_PATH = '/studio'
/** Address of the API and of the console. */
export const GRAPHQL_PATH = '/graphql'

type Pages = Pick<Config, 'isDocs' | 'isGraphiql'>

/** The pages that are switched on, for the header of each page and for the start page. */
function listPages({ isDocs, isGraphiql }: Pages) {
  return [
    {
      path: STUDIO_PATH,
      name: 'Studio',
      icon: 'AudioLines',
      text: 'Upload recordings, arrange collections, share links and see what is played.',
      isOn: true,
    },
    {
      path: '/docs/guides',
      name: 'Guides',
      icon: 'BookOpen',
      text: 'Build an app, run the service, find out why something fails.',
      isOn: isDocs,
    },
    {
      path: '/docs',
      name: 'Reference',
      icon: 'Braces',
      text: 'Every operation of the REST API, to read and to try.',
      isOn: isDocs,
    },
    {
      path: GRAPHQL_PATH,
      name: 'Console',
      icon: 'SquareTerminal',
      text: 'Write GraphQL operations with completion, examples and documentation.',
      isOn: isGraphiql,
    },
  ].filter(({ isOn }) => isOn)
}

/** Links to the other pages, as HTML. */
export const siteLinks = (config: Pages) =>
  listPages(config)
    .map(({ path, name }) => link(path, name))
    .join('\n')

const link = (path: string, text: string) => `<a href="${path}">${text}</a>`

/** Whether a browser opened the address; a program gets JSON. */
export const isForBrowser = ({ method, headers }: Request) =>
  (method === 'GET' || method === 'HEAD') && prefersHtml(headers.get('accept'))

/** Heights of the bars of the picture, in percent. */
const wave = [
  8, 14, 24, 18, 34, 52, 40, 62, 84, 58, 72, 96, 80, 60, 88, 70, 46, 64, 50, 30, 42, 26, 34, 18, 24, 12, 16, 8,
]
const bars = wave.map(
  (height, i) => `<rect x="${i * 10}" y="${50 - height / 2}" width="5" height="${height}" rx="2.5"/>`,
)

const startStyle = `
main { max-width: 62rem; margin: 0 auto; padding: clamp(1.5rem, 5vw, 4rem) 1.5rem 3rem }
.hero { display: grid; gap: 2rem; align-items: center }
.hero p { margin: 0; max-width: 34rem; color: var(--quiet); font-size: var(--size-large) }
.hero .name { display: flex; align-items: center; gap: .6rem; margin: 0 0 1.5rem; color: var(--ink); font-weight: var(--weight-strong) }
.mark { width: 2rem }
h1 { font-size: clamp(var(--size-display), 5vw, 3rem); line-height: 1.08; letter-spacing: -.03em; margin: 0 0 1rem }
.hero .do { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.75rem; font-size: var(--size-text) }
.do a { padding: .6rem 1.1rem; border-radius: var(--radius); border: 1px solid var(--edge); color: var(--ink); font-weight: var(--weight-medium); text-decoration: none }
.do a:hover { background: var(--tint) }
.do a:first-child { border-color: transparent; background: var(--accent); color: var(--on-accent) }
.wave { width: 100%; height: auto; max-height: 14rem; fill: var(--accent) }
.pages { display: grid; gap: 1rem; margin: 3rem 0 0; padding: 0; list-style: none }
.pages li { position: relative; display: grid; grid-template-columns: auto 1fr; gap: .25rem .75rem; align-content: start; align-items: center; padding: 1.25rem; border: 1px solid var(--line); border-radius: var(--radius-large); background: var(--paper); transition: box-shadow var(--motion) var(--ease) }
.pages li:hover { box-shadow: var(--shadow) }
.pages .icon { color: var(--accent) }
.pages a { color: var(--ink); font-size: var(--size-large); font-weight: var(--weight-strong); text-decoration: none }
.pages a::after { content: ""; position: absolute; inset: 0; border-radius: var(--radius-large) }
.pages p { grid-column: 2; margin: 0; color: var(--quiet) }
footer { margin-top: 3rem; padding-top: 1.25rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: var(--size-small) }
footer p { margin: 0 0 .5rem }
@media (min-width: 40rem) { .pages { grid-template-columns: 1fr 1fr } }
@media (min-width: 56rem) { .hero { grid-template-columns: 1.15fr 1fr; gap: 4rem } }
`

/** The page at `/` (operating.md, Pages). */
export function startPage(config: Pages & Pick<Config, 'isEmbedded' | 'isDemo'>): Response {
  const pages = listPages(config)
  const isOn = (path: string) => pages.some((page) => page.path === path)
  const list = pages.map(({ path, name, icon, text }) => `<li>${icons[icon]}${link(path, name)}<p>${text}</p></li>`)
  const first = config.isEmbedded && config.isDemo
  const main = `
<header class="hero">
<div>
<p class="name">${mark}Tonearm</p>
<h1>Upload a recording, get a link that plays</h1>
<p>Stores, processes and delivers audio for labels, podcasts and courses: streams, previews, waveforms and covers,
with plays that are counted.</p>
<p class="do">${link(STUDIO_PATH, 'Open the studio')}${isOn('/docs/guides') ? link('/docs/guides/build-an-app', 'Build an app') : ''}</p>
</div>
<svg class="wave" viewBox="0 0 ${wave.length * 10} 100" aria-hidden="true">${bars.join('')}</svg>
</header>
<ul class="pages">${list.join('\n')}</ul>
<footer>
${first ? '<p>First visit? Open the link that the first start printed, or sign in with the email address and password in the file credentials.json of the data folder.</p>' : ''}
<p>For programs: ${link('/openapi.json', 'openapi.json')}, ${link('/graphql/schema.graphql', 'schema.graphql')}. Release ${version}.</p>
</footer>`
  return answer(smallPage({ title: 'Tonearm', main, style: startStyle }), 200)
}

/**
 * The page of an unknown address (operating.md, Pages).
 * @param hasStartPage whether the same origin has one. Defaults to true
 */
export const notFoundPage = ({ hasStartPage = true } = {}) =>
  answer(
    noticePage('Page not found', [
      'There is no page at this address. Check it for typing errors.',
      ...(hasStartPage ? [link('/', 'Go to the start page')] : []),
    ]),
    404,
  )

const answer = ({ html, headers }: ReturnType<typeof smallPage>, status: number) =>
  new Response(html, { status, headers })
