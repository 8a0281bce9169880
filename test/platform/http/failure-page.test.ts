import { expect, test } from 'bun:test'
import { withFailurePage } from '../../../src/platform/http/failure-page.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const failure = (status: number) =>
  new Response('{"ok":false}', { status, headers: { 'content-type': 'application/json', 'retry-after': '7' } })

test.each([
  [400, 'This link does not work', 'Ask the person who sent it'],
  [403, 'This link does not work', 'Ask the person who sent it'],
  [404, 'This link does not work', 'Ask the person who sent it'],
  [405, 'This address cannot be opened', 'Go back to the page'],
  [410, 'This link has expired', 'Reload the page'],
  [429, 'Too many requests', 'Wait a minute'],
  [500, 'This link cannot be opened right now', 'Try again in a minute'],
  [503, 'This link cannot be opened right now', 'Try again in a minute'],
])('status %d is a page with a reason and the next step', async (status, title, next) => {
  const page = withFailurePage(new Request('http://localhost/x', { headers: browser }), failure(status))
  expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
  expect([page.headers.get('retry-after'), page.headers.get('cache-control')]).toEqual(['7', 'no-store'])
  const text = await page.text()
  expect(text).toContain(`<h1>${title}</h1>`)
  expect(text).toContain(next)
  // A share link that does not work may be in a frame of another site.
  expect(page.headers.get('content-security-policy')).not.toContain('frame-ancestors')
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
})

test.each([400, 405, 410, 429, 500])('status %d is in the language of the browser', async (status) => {
  const read = (language: string) =>
    withFailurePage(
      new Request('http://localhost/x', { headers: { ...browser, 'accept-language': language } }),
      failure(status),
    ).text()
  const [german, english, other] = await Promise.all(['de-AT, en;q=0.9', 'en, de;q=0.9', 'fr'].map(read))
  expect(german).toContain('<html lang="de">')
  expect(english).toContain('<html lang="en">')
  expect(other).toBe(english as string)
  const headingOf = (html = '') => /<h1>(.*?)<\/h1>/.exec(html)?.[1]
  expect(headingOf(german)).not.toBe(headingOf(english))
})

test.each([
  ['GET', { accept: '*/*' }],
  ['GET', { accept: 'application/json, text/html;q=0.5' }],
  ['POST', browser],
])('%s with %j keeps the original failure', (method, headers) => {
  const original = failure(404)
  expect(withFailurePage(new Request('http://localhost/x', { method, headers }), original)).toBe(original)
})
