import { chooseLanguage, weighted } from './accept.ts'
import { noticePage } from './small-page.ts'

/** A title and a sentence. */
type Words = readonly [title: string, text: string]
/** A page in the languages of the pages for people. */
export type FailureNotice = Record<'en' | 'de', Words>

const broken: FailureNotice = {
  en: [
    'This link does not work',
    'It has expired, was removed or is incomplete. Ask the person who sent it to you for a new one.',
  ],
  de: [
    'Dieser Link funktioniert nicht',
    'Er ist abgelaufen, wurde entfernt oder ist unvollständig. Bitten Sie die Person, die ihn Ihnen geschickt hat, um einen neuen.',
  ],
}
const expired: FailureNotice = {
  en: ['This link has expired', 'Reload the page that it is from, or ask for a new link.'],
  de: [
    'Dieser Link ist abgelaufen',
    'Laden Sie die Seite neu, von der er stammt, oder bitten Sie um einen neuen Link.',
  ],
}
const notForReading: FailureNotice = {
  en: [
    'This address cannot be opened',
    'It is for programs that send files. Go back to the page that you came from and choose the file there.',
  ],
  de: [
    'Diese Adresse kann nicht geöffnet werden',
    'Sie ist für Programme, die Dateien senden. Gehen Sie zurück zu der Seite, von der Sie kamen, und wählen Sie die Datei dort.',
  ],
}
const tooMany: FailureNotice = {
  en: [
    'Too many requests',
    'Your network has sent more requests than are allowed. Wait a minute, then reload the page.',
  ],
  de: [
    'Zu viele Anfragen',
    'Ihr Netz hat mehr Anfragen gesendet, als erlaubt sind. Warten Sie eine Minute, und laden Sie die Seite neu.',
  ],
}
const unavailable: FailureNotice = {
  en: ['This link cannot be opened right now', 'The problem is on our side. Try again in a minute.'],
  de: [
    'Dieser Link kann gerade nicht geöffnet werden',
    'Das Problem liegt bei uns. Versuchen Sie es in einer Minute erneut.',
  ],
}
const languages = ['en', 'de'] as const

const pages: Record<number, FailureNotice> = { 405: notForReading, 410: expired, 429: tooMany }

const pageFor = (status: number) => (status >= 500 ? unavailable : (pages[status] ?? broken))

/** Returns whether `Accept` prefers text/html over every other type, as browsers do when they open a link. */
export function prefersHtml(accept: string | null): boolean {
  const [first] = weighted(accept).toSorted((a, b) => b.weight - a.weight)
  return first?.value === 'text/html' && first.weight > 0
}

/**
 * Replaces the failure of a link with a page if a browser opened it, in its language; a program gets the original failure. The page
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
  const language = chooseLanguage(request, languages)
  const [title, text] = notice[language]
  // A link may be opened in a frame: share links have players for other sites.
  const { html, headers } = noticePage(title, [text], { isEmbeddable: true, hasFont, language })
  const all = new Headers(failure.headers)
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  return new Response(html, { status: failure.status, headers: all })
}
