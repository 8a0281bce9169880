import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The mark of the service. */
export const mark =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><circle cx="14" cy="18" r="12.5" fill="#26211d" stroke="#6b6159"/><circle cx="14" cy="18" r="9" fill="none" stroke="#6b6159"/><circle cx="14" cy="18" r="4.5" fill="#e2652a"/><circle cx="14" cy="18" r="1.2" fill="#fff"/><path d="M28 3v13l-7 7" fill="none" stroke="#e2652a" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/><circle cx="28" cy="4" r="3" fill="#e2652a"/></svg>'

const icon = mark.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')

/** Colors, sizes and font of all pages as a style sheet, and icons by their name, from the build of src/web/design. */
export const { tokens, icons }: { tokens: string; icons: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dir, '../../web/generated/design/small-page.json'), 'utf8'),
)
/** Without the addresses of the font, which an edge does not serve. The page has the fallback in the font's widths. */
const tokensOfEdge = tokens.replace(/@font-face\{[^}]*url\([^}]*\}/g, '')

const baseStyle = `
* { box-sizing: border-box }
body { margin: 0; background: var(--desk); color: var(--ink) }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px }
h1 { font-size: var(--size-title); line-height: var(--leading-tight); font-weight: var(--weight-strong); letter-spacing: -.01em; text-wrap: balance }
`

/** A mark, one heading and a few sentences. */
export const noticeStyle = `
main { max-width: 34rem; margin: 18vh auto 2rem; padding: 0 1.5rem }
.mark { width: 3rem }
h1 { margin: 1rem 0 .5rem }
p { margin: 0; color: var(--quiet); font-size: var(--size-large) }
p + p { margin-top: 1rem }
`

interface SmallPage {
  title: string
  /** HTML of the element `main`. */
  main: string
  /** In addition to the colors of all small pages. */
  style?: string
  /** Whether other sites may show it in a frame. Defaults to false. */
  isEmbeddable?: boolean
  /** Whether it has a form, which is sent to its own origin. Defaults to false. */
  hasForm?: boolean
  /** Whether its origin serves the font. Defaults to true. */
  hasFont?: boolean
  /** BCP 47 tag. Defaults to English. */
  language?: string
}

/** Builds a page of one file, without scripts. The policy names its style by hash. */
export function smallPage({
  title,
  main,
  style = noticeStyle,
  isEmbeddable = false,
  hasForm = false,
  hasFont = true,
  language = 'en',
}: SmallPage) {
  const css = (hasFont ? tokens : tokensOfEdge) + baseStyle + style
  const hash = createHash('sha256').update(css).digest('base64')
  const html = `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml;base64,${btoa(icon)}">
<style>${css}</style>
<main>${main}</main>
</html>
`
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    'img-src data:',
    "font-src 'self'",
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    ...(isEmbeddable ? [] : ["frame-ancestors 'none'"]),
  ]
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
  return { html, headers }
}

/** Builds a page with a heading and paragraphs of HTML. */
export const noticePage = (
  title: string,
  paragraphs: readonly string[],
  options: Pick<SmallPage, 'isEmbeddable' | 'hasFont' | 'language'> = {},
) =>
  smallPage({
    title,
    main: `${mark}\n<h1>${title}</h1>\n${paragraphs.map((text) => `<p>${text}</p>`).join('\n')}`,
    ...options,
  })
