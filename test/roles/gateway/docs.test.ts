import { beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createGateway } from '../../../src/roles/gateway/app.ts'
import { useTestService } from '../../support/service.ts'

const guides = readdirSync(join(import.meta.dir, '../../../src/web/docs/guides')).map((file) =>
  file.replace(/\.md$/, ''),
)

const service = useTestService({
  DOCS: 'off',
  PUBLIC_URL: 'https://api.audio.dev',
  EDGE_URL: 'https://edge.audio.dev',
})

const get = (path: string, call: object = {}) => service.request('GET', path, { key: null, ...call })

test('the document has the addresses of this service, and an ETag', async () => {
  const { status, headers, json } = await get('/openapi.json')
  expect([status, headers.get('content-type'), headers.get('access-control-allow-origin')]).toEqual([
    200,
    'application/json',
    '*',
  ])
  expect(json.openapi).toBe('3.1.1')
  expect(json.servers[0].url).toBe('https://api.audio.dev')
  expect(json.paths['/upload/track/{id}'].servers[0].url).toBe('https://edge.audio.dev')
  const etag = headers.get('etag') ?? ''
  expect((await get('/openapi.json', { headers: { 'if-none-match': etag } })).status).toBe(304)
  const refused = await service.request('POST', '/openapi.json', { key: null, body: {} })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test.each(['/docs', '/docs/assets/main.js', '/docs/guides', '/docs/guides/webhooks', '/docs/reference/tracks'])(
  'DOCS=off removes %s',
  async (path) => {
    expect((await get(path)).status).toBe(404)
  },
)

describe('with DOCS on', () => {
  let ask: (path: string, method?: string, headers?: Record<string, string>) => Promise<Response>
  beforeAll(() => {
    const { services } = service
    const gateway = createGateway({ ...services, config: { ...services.config, isDocs: true } })
    ask = async (path, method = 'GET', headers = {}) =>
      gateway(new Request(`http://localhost${path}`, { method, headers }))
  })

  const references = ['tracks', 'events', 'usage', 'delivery'].map((name) => `/docs/reference/${name}`)
  const pages = ['/docs', '/docs/guides', ...guides.map((name) => `/docs/guides/${name}`), ...references]
  test.each(pages)('%s has nothing inline, and loads files of its own only', async (path) => {
    const page = await ask(path)
    const text = await page.text()
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|<[^>]*\s(on\w+|style)=|\{[a-z]+\}(?=")/i)
    const loaded = [...text.matchAll(/<(?:link|script)[^>]*(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(loaded.length).toBeGreaterThan(1)
    for (const address of loaded) expect([address, (await ask(address)).status]).toEqual([address, 200])
    const policy = page.headers.get('content-security-policy') ?? ''
    for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "style-src 'self'"]) {
      expect(policy.split('; ')).toContain(rule)
    }
    expect((await ask(path, 'POST')).status).toBe(405)
  })

  test.each(pages)('every link of %s to the service works', async (path) => {
    const text = await (await ask(path)).text()
    const ids = new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))
    const links = [...text.matchAll(/<a [^>]*href="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links).toEqual(expect.arrayContaining(['/', '/graphql', '/docs', '/docs/guides']))
    for (const link of new Set(links.filter((link) => !link.startsWith('https://')))) {
      const [address = '', anchor] = link.split('#')
      const headers = { accept: 'text/html' }
      const answer = address ? await ask(address, 'GET', headers) : null
      expect([link, answer?.status ?? 200]).toEqual([link, 200])
      const there = answer ? new Set([...(await answer.text()).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)) : ids
      if (anchor) expect([link, there.has(anchor)]).toEqual([link, true])
    }
  })

  test.each([
    '/docs/reference/unknown',
    '/docs/reference',
    '/docs/guides/unknown',
    '/docs/guides/../page',
    '/docs/guides/constructor',
  ])('%s is 404', async (path) => {
    expect((await ask(path)).status).toBe(404)
  })

  test('a long page is compressed for clients that accept it', async () => {
    const answer = await ask('/docs/reference/tracks', 'GET', { 'accept-encoding': 'br, gzip' })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
    const plain = await ask('/docs/reference/tracks', 'GET', { 'accept-encoding': 'gzip;q=0' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(await plain.text())
    expect(bytes.length).toBeLessThan(40_000)
  })

  test('a header links to the console only where it is on', async () => {
    const { services } = service
    const gateway = createGateway({ ...services, config: { ...services.config, isDocs: true, isGraphiql: false } })
    const text = await (await gateway(new Request('http://localhost/docs/guides'))).text()
    expect(text).not.toContain('href="/graphql"')
  })
})
