import { expect, test } from 'bun:test'
import { createGateway } from '../../../src/roles/gateway/app.ts'
import { post } from '../../support/administrators.ts'
import { expectRefused } from '../../support/refused.ts'
import { startTestService, type TestService, toAnswer, useTestService } from '../../support/service.ts'

const service = useTestService({ RATE_LIMITS: 'on' })

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

async function ask(gateway: TestService['gateway'], path: string, address: string, key?: string) {
  const headers = key ? { authorization: `Bearer ${key}` } : undefined
  return toAnswer(await gateway(new Request(`http://localhost:3000/v1${path}`, { headers }), address))
}

test('600 requests per minute and address without a key, over all replicas; the 601st is 429', async () => {
  const replica = createGateway(service.services)
  const path = `/upload_session/${UNKNOWN}`
  for (let asked = 0; asked < 600; asked += 50) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => ask(i % 2 === 0 ? service.gateway : replica, path, '192.0.2.1')),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(404))
  }
  const refused = await ask(service.gateway, path, '192.0.2.1')
  expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
  expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=600;w=60')
  expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/)
  expect((await ask(replica, path, '192.0.2.1')).status).toBe(429)
  expect((await ask(service.gateway, path, '192.0.2.2')).status).toBe(404)

  const share = (accept: string) =>
    service.gateway(new Request(`http://localhost:3000/s/${UNKNOWN}/x`, { headers: { accept } }), '192.0.2.1')
  const page = await share('text/html')
  expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
  expect(Number(page.headers.get('retry-after'))).toBeWithin(1, 61)
  expect(await page.text()).toContain('<h1>Too many requests</h1>')
  expect(await (await share('*/*')).json()).toMatchObject({ ok: false, code: 'rate_limited' })
})

test('a key has its own limit, reported in every answer', async () => {
  const first = await ask(service.gateway, '/variant', '192.0.2.3', service.demo.api_key)
  const second = await ask(service.gateway, '/variant', '192.0.2.4', service.demo.api_key)
  expect(first.headers.get('ratelimit-policy')).toBe('"key";q=6000;w=60')
  const unknown = await ask(service.gateway, `/track/${UNKNOWN}`, '192.0.2.3', service.demo.api_key)
  expect(unknown.status).toBe(404)
  expect([first, second, unknown].map(({ headers }) => headers.get('ratelimit')?.split(';')[1])).toEqual([
    'r=5999',
    'r=5998',
    'r=5997',
  ])
})

test('guesses at keys count against the address', async () => {
  const guess = (address: string) => ask(service.gateway, '/variant', address, 'guess')
  for (let asked = 0; asked < 600; asked += 50) await Promise.all(Array.from({ length: 50 }, () => guess('192.0.2.5')))
  expect((await guess('192.0.2.5')).status).toBe(429)
  const inGraphql = await post(service, '{ viewer { __typename } }', {}, { key: 'guess', address: '192.0.2.5' })
  expectRefused(inGraphql, 429, 'rate_limited')
  expect(inGraphql.json.errors[0].extensions.retryAfterSeconds).toBeWithin(1, 61)
  expect((await guess('192.0.2.6')).status).toBe(401)
})

test('streams have no limit, nor does a service with limits off', async () => {
  const open = () => ask(service.gateway, `/stream/${UNKNOWN}/x`, '192.0.2.1')
  const answers = await Promise.all(Array.from({ length: 700 }, open))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
  const free = await startTestService()
  const answer = await free.v1('GET', '/variant')
  expect(answer.headers.has('ratelimit')).toBe(false)
  await free.stop()
})
