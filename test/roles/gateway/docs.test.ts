import { expect, test } from 'bun:test'
import { createGateway } from '../../../src/roles/gateway/app.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService({
  DOCS: 'off',
  PUBLIC_URL: 'https://api.audio.dev',
  EDGE_URL: 'https://edge.audio.dev',
})

const get = (path: string, call: object = {}) => service.request('GET', path, { key: null, ...call })

test('the document says where this service is, and may be kept', async () => {
  const { status, headers, json } = await get('/openapi.json')
  expect([status, headers.get('content-type'), headers.get('access-control-allow-origin')]).toEqual([
    ...[200, 'application/json', '*'],
  ])
  expect(json.openapi).toBe('3.1.1')
  expect(json.servers[0].url).toBe('https://api.audio.dev')
  expect(json.paths['/upload/track/{id}'].servers[0].url).toBe('https://edge.audio.dev')
  const etag = headers.get('etag') ?? ''
  expect((await get('/openapi.json', { headers: { 'if-none-match': etag } })).status).toBe(304)
  const refused = await service.request('POST', '/openapi.json', { key: null, body: {} })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('with DOCS off there is no page', async () => {
  expect([(await get('/docs')).status, (await get('/docs/assets/main.js')).status]).toEqual([404, 404])
})

test('the page has nothing inline, and nothing from elsewhere', async () => {
  const { services } = service
  const gateway = createGateway({ ...services, config: { ...services.config, isDocs: true } })
  const ask = (path: string, method = 'GET') => gateway(new Request(`http://localhost${path}`, { method }))
  const page = await ask('/docs')
  const text = await page.text()
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/i)
  const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
  expect(named.map((path) => path.split('/').slice(0, 3).join('/'))).toEqual(Array(3).fill('/docs/assets'))
  for (const path of named) expect((await ask(path)).status).toBe(200)
  const policy = page.headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "style-src 'self'"]) {
    expect(policy.split('; ')).toContain(rule)
  }
  expect((await ask('/docs', 'POST')).status).toBe(405)
})
