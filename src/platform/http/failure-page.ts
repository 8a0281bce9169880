import { weighted } from './accept.ts'
import { noticePage } from './small-page.ts'

/** A page of a title and a sentence. */
export type FailureNotice = readonly [title: string, text: string]

const broken: FailureNotice = [
  'This link does not work',
  'It has expired, was removed or is incomplete. Ask the person who sent it to you for a new one.',
]
const expired: FailureNotice = ['This link has expired', 'Reload the page that it is from, or ask for a new link.']
const notForReading: FailureNotice = [
  'This address cannot be opened',
  'It is for programs that send files. Go back to the page that you came from and choose the file there.',
]
const tooMany: FailureNotice = [
  'Too many requests',
  'Your network has sent more requests than are allowed. Wait a minute, then reload the page.',
]
const unavailable: FailureNotice = [
  'This link cannot be opened right now',
  'The problem is on our side. Try again in a minute.',
]

const pages: Record<number, FailureNotice> = { 405: notForReading, 410: expired, 429: tooMany }

const pageFor = (status: number) => (status >= 500 ? unavailable : (pages[status] ?? broken))

/** Returns whether `Accept` prefers text/html over every other type, as browsers do when they open a link. */
export function prefersHtml(accept: string | null): boolean {
  const [first] = weighted(accept).toSorted((a, b) => b.weight - a.weight)
  return first?.value === 'text/html' && first.weight > 0
}

/**
 * Replaces the failure of a link with a page if a browser opened it; a program gets the original failure. The page
 * depends only on the status, so that it reveals no more than the original (contract, section 6).
 * @param options `hasFont`: whether the origin of the request serves the font of the pages. `notice`: the page, for a client that
 *   may learn more than the status
 */
export function withFailurePage(
  request: Request,
  failure: Response,
  { hasFont = true, notice = pageFor(failure.status) }: { hasFont?: boolean; notice?: FailureNotice } = {},
): Response {
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (!isReading || !prefersHtml(request.headers.get('accept'))) return failure
  const [title, text] = notice
  // A link may be opened in a frame: share links have players for other sites.
  const { html, headers } = noticePage(title, [text], { isEmbeddable: true, hasFont })
  const all = new Headers(failure.headers)
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  return new Response(html, { status: failure.status, headers: all })
}
