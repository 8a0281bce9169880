const page = (title: string, text: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif }
body { max-width: 34rem; margin: 20vh auto; padding: 0 1.5rem }
h1 { font-size: 1.5rem }
</style>
<h1>${title}</h1>
<p>${text}</p>
</html>
`

const broken = page(
  'This link does not work',
  'It may be incomplete or removed. Ask the person who sent it to you for a new one.',
)
const expired = page('This link has expired', 'Reload the page that it is from, or ask for a new link.')
const unavailable = page('This link cannot be opened right now', 'The problem is on our side. Try again in a minute.')

function pageFor(status: number): string {
  if (status === 410) return expired
  return status >= 500 ? unavailable : broken
}

/** Returns whether `Accept` prefers text/html over every other type, as browsers do when they open a link. */
export function prefersHtml(accept: string | null): boolean {
  const ranges = (accept ?? '').split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  const [first] = ranges.toSorted((a, b) => b.weight - a.weight)
  return first?.type === 'text/html' && first.weight > 0
}

/**
 * Replaces the failure of a link with a page if a browser opened it; a program gets the original failure. The page
 * depends only on the status, so that it reveals no more than the original (contract, section 6).
 */
export function withFailurePage(request: Request, failure: Response): Response {
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (!isReading || !prefersHtml(request.headers.get('accept'))) return failure
  const headers = new Headers(failure.headers)
  headers.set('content-type', 'text/html; charset=utf-8')
  headers.set('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
  headers.set('x-content-type-options', 'nosniff')
  headers.set('cache-control', 'no-store')
  return new Response(pageFor(failure.status), { status: failure.status, headers })
}
