import { weighted } from './accept.ts'
import { noticePage } from './small-page.ts'

// A link may be opened in a frame: share links have players for other sites.
const page = (title: string, ...paragraphs: string[]) => noticePage(title, paragraphs, { isEmbeddable: true })

const broken = page(
  'This link does not work',
  'It has expired, was removed or is incomplete. Ask the person who sent it to you for a new one.',
)
const expired = page('This link has expired', 'Reload the page that it is from, or ask for a new link.')
const notForReading = page(
  'This address cannot be opened',
  'It is for programs that send files. Go back to the page that you came from and choose the file there.',
)
const tooMany = page(
  'Too many requests',
  'Your network has sent more requests than are allowed. Wait a minute, then reload the page.',
)
const unavailable = page('This link cannot be opened right now', 'The problem is on our side. Try again in a minute.')

const pages: Record<number, typeof broken> = { 405: notForReading, 410: expired, 429: tooMany }

const pageFor = (status: number) => (status >= 500 ? unavailable : (pages[status] ?? broken))

/** Returns whether `Accept` prefers text/html over every other type, as browsers do when they open a link. */
export function prefersHtml(accept: string | null): boolean {
  const [first] = weighted(accept).toSorted((a, b) => b.weight - a.weight)
  return first?.value === 'text/html' && first.weight > 0
}

/**
 * Replaces the failure of a link with a page if a browser opened it; a program gets the original failure. The page
 * depends only on the status, so that it reveals no more than the original (contract, section 6).
 */
export function withFailurePage(request: Request, failure: Response): Response {
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (!isReading || !prefersHtml(request.headers.get('accept'))) return failure
  const { html, headers } = pageFor(failure.status)
  const all = new Headers(failure.headers)
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  return new Response(html, { status: failure.status, headers: all })
}
