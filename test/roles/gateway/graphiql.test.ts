import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { encodingFor } from '../../../src/roles/gateway/web-page.ts'
import { startTestService, useTestService } from '../../support/service.ts'

const service = useTestService()

const html = { accept: 'text/html,application/xhtml+xml;q=0.9' }
const page = (headers: Record<string, string> = html) => service.request('GET', '/graphql', { key: null, headers })
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.gateway(new Request(`${service.services.config.publicUrl}${path}`, { method, headers }))

/** Addresses that the page names, by the ends of their names. */
async function addresses() {
  const paths = [...(await page()).text.matchAll(/<(?:link|script)[^>]*(?:src|href)="([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )
  const ending = (end: string) => paths.find((path) => path.endsWith(end)) ?? ''
  return { paths, script: ending('.js'), style: ending('.css'), icon: ending('.svg') }
}

describe('the page at /graphql', () => {
  test('has nothing inline and no foreign resources', async () => {
    const { text, status, headers } = await page()
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<title>Tonearm</title>')
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/i)
    const { paths } = await addresses()
    expect(paths.length).toBe(4)
    expect(paths.every((path) => /^\/(graphql\/assets|design)\//.test(path))).toBe(true)
  })

  test('allows only scripts of its own origin, and none from text', async () => {
    const { headers } = await page()
    const rules = new Map(
      headers
        .get('content-security-policy')
        ?.split('; ')
        .map((rule) => [rule.split(' ', 1)[0] ?? '', rule.split(' ').slice(1).join(' ')] as const),
    )
    expect(rules.get('default-src')).toBe("'none'")
    expect(rules.get('script-src')).toBe("'self'")
    expect(rules.get('worker-src')).toBe("'self'")
    expect(rules.get('connect-src')).toBe("'self'")
    expect(rules.get('require-trusted-types-for')).toBe("'script'")
    for (const name of ['base-uri', 'form-action', 'frame-ancestors']) expect(rules.get(name)).toBe("'none'")
    expect(rules.get('style-src')).not.toContain('unsafe')
    expect(headers.get('content-security-policy')).not.toContain('unsafe-eval')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test('has a new nonce each time, and is not cached', async () => {
    const nonces = await Promise.all(
      [page(), page()].map(async (answer) => {
        const { text, headers } = await answer
        expect(headers.get('cache-control')).toBe('no-store')
        const nonce = /nonce="([^"]+)"/.exec(text)?.[1] ?? ''
        expect(headers.get('content-security-policy')).toContain(`style-src 'self' 'nonce-${nonce}'`)
        return nonce
      }),
    )
    expect(nonces[0]).not.toBe(nonces[1])
    expect(nonces[0]).toHaveLength(24)
  })

  test('is for browsers: any other GET is a query, and is rejected without one', async () => {
    expect((await page({ accept: 'application/json' })).status).toBe(400)
    expect((await page({})).status).toBe(400)
  })
})

describe('files of the page', () => {
  test('are compressed as the client accepts, with equal content', async () => {
    const { style } = await addresses()
    const plain = new Uint8Array(await (await get(style)).arrayBuffer())
    expect(plain.length).toBeGreaterThan(10_000)
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const answer = await get(style, { 'accept-encoding': encoding })
      expect(answer.headers.get('content-encoding')).toBe(encoding)
      const bytes = new Uint8Array(await answer.arrayBuffer())
      expect(bytes.length).toBeLessThan(plain.length)
      expect(Bun.hash(unpack(bytes))).toBe(Bun.hash(plain))
    }
  })

  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br;q=1.0, zstd', 'br'],
    ['gzip;q=0.5, br;q=0', 'gzip'],
    ['BR', 'br'],
    ['deflate', null],
    ['identity', null],
    ['', null],
    [null, null],
  ] as const)('Accept-Encoding %p takes %p', (accepted, encoding) => {
    expect(encodingFor(accepted)).toBe(encoding)
  })

  test.each([
    ['script', 'text/javascript; charset=utf-8'],
    ['style', 'text/css; charset=utf-8'],
    ['icon', 'image/svg+xml'],
  ] as const)('have a type, and are immutable: the %s is %s', async (file, type) => {
    const { status, headers } = await get((await addresses())[file])
    expect([status, headers.get('content-type')]).toEqual([200, type])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('vary')).toBe('Accept-Encoding')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('are answered with 304 for a matching tag', async () => {
    const { style } = await addresses()
    const tags = await Promise.all(
      ['', 'br'].map(async (accepted) => (await get(style, { 'accept-encoding': accepted })).headers.get('etag') ?? ''),
    )
    // Different bytes have different tags (RFC 9110, 8.8.3).
    expect(new Set(tags).size).toBe(2)
    const again = await get(style, { 'if-none-match': `"other", ${tags[0]}` })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await get(style, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('are read-only', async () => {
    const { style } = await addresses()
    // The server cuts the body off.
    expect((await get(style, {}, 'HEAD')).status).toBe(200)
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const refused = await get(style, {}, method)
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  test.each(['', 'manifest.json', '.stamp', 'main.js', '../../../package.json', '..%2f..%2fconfig.ts', 'constructor'])(
    '%p is none of them',
    async (name) => {
      expect((await get(`/graphql/assets/${name}`)).status).toBe(404)
    },
  )

  test('files of the build other than assets are not served', async () => {
    const { style } = await addresses()
    expect((await get(`${style}.br`)).status).toBe(404)
  })
})

test('with GRAPHIQL off the page is missing, and the rest unchanged', async () => {
  const { style } = await addresses()
  const without = await startTestService({ GRAPHIQL: 'off' })
  expect((await without.request('GET', '/graphql', { key: null, headers: html })).status).toBe(404)
  expect((await without.request('GET', style, { key: null })).status).toBe(404)
  expect((await without.request('GET', '/graphql?query={version}', { key: null })).status).toBe(200)
  expect((await without.graphql('{ viewer { __typename } }')).data.viewer.__typename).toBe('KeyViewer')
  await without.stop()
})
