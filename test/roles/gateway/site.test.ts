import { afterAll, beforeAll, expect, test } from 'bun:test'
import sharp from 'sharp'
import manifest from '../../../package.json'
import { createGateway } from '../../../src/roles/gateway/app.ts'
import { startPage } from '../../../src/roles/gateway/site.ts'
import { startTestService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const open = (path: string, headers: Record<string, string> = browser, method = 'GET') =>
  service.request(method, path, { key: null, headers })

test('/ in a browser links to the pages that are on', async () => {
  const { status, headers, text } = await open('/')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/)
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  for (const path of ['/studio', '/graphql', '/docs', '/docs/guides', '/openapi.json']) {
    expect(text).toContain(`href="${path}"`)
  }
  expect(text).toContain(manifest.version)
  const { services } = service
  const bare = createGateway({ ...services, config: { ...services.config, isDocs: false, isGraphiql: false } })
  const answer = await bare(new Request('http://localhost/', { headers: browser }))
  const pageText = await answer.text()
  expect(pageText).not.toMatch(/href="\/(docs|graphql")/)
  expect(pageText).toContain('href="/studio"')
})

test.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
])('/ names the credentials of the first start: embedded %p, demo %p', async (isEmbedded, isDemo, isNamed) => {
  const page = startPage({ isDocs: true, isGraphiql: true, isEmbedded, isDemo })
  expect((await page.text()).includes('credentials.json')).toBe(isNamed)
})

test.each(['/', '/unknown', '/docs/guides/unknown'])('a program gets JSON at %s', async (path) => {
  const { status, json } = await open(path, { accept: '*/*' })
  expect([status, json]).toEqual([404, expect.objectContaining({ ok: false, code: 'not_found' })])
})

test.each(['/unknown', '/docs/guides/unknown', '/robots'])('a browser gets a readable page at %s', async (path) => {
  const { status, headers, text } = await open(path)
  expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(text).toContain('Page not found')
})

test.each([
  ['/favicon.ico', 48],
  ['/apple-touch-icon.png', 180],
])('%s is the mark as a picture, which is kept for a day', async (path, size) => {
  const { publicUrl } = service.services.config
  const answer = await service.gateway(new Request(publicUrl + path))
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(answer.headers.get('cache-control')).toBe('public, max-age=86400')
  const { width, height, format } = await sharp(await answer.arrayBuffer()).metadata()
  expect({ width, height, format }).toEqual({ width: size, height: size, format: 'png' })
  const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
  expect((await service.gateway(new Request(publicUrl + path, { headers }))).status).toBe(304)
})

test('an unknown path of /v1 is JSON for a browser too', async () => {
  const { status, json } = await open('/v1/unknown')
  expect([status, json.code]).toEqual([404, 'not_found'])
})

test.each(['POST', 'DELETE'])('%s / is JSON', async (method) => {
  const { status, json } = await open('/', browser, method)
  expect([status, json.code]).toEqual([404, 'not_found'])
})
