// Host headers as they arrive over a socket: clients do not send invalid ones.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { listenMetrics } from '../../src/cli/serve.ts'
import { loadConfig } from '../../src/config.ts'
import { serveStreams } from '../../src/platform/http/stream-server.ts'
import { createLog } from '../../src/platform/log.ts'
import { cleanUp, createPlace, type Place, type ServiceProcess, startProcess } from '../faults/process.ts'
import { lastingPort } from '../support/ports.ts'
import { cloneDatabase } from '../support/postgres.ts'
import { SECRET } from '../support/service.ts'
import { until } from '../support/until.ts'
import { exchange } from '../support/wire.ts'

let place: Place
let service: ServiceProcess
let streams: Awaited<ReturnType<typeof serveStreams>>
let metrics: ReturnType<typeof listenMetrics>
const handled: string[] = []
beforeAll(async () => {
  place = await createPlace({ DATABASE_URL: await cloneDatabase(), SECRET, DEMO: 'empty' })
  service = await startProcess(place)
  const config = loadConfig({ METRICS_PORT: String(await lastingPort()) })
  metrics = listenMetrics(config, createLog('silent', 'json'), async () => '')
  streams = await serveStreams(
    async (request) => {
      handled.push(request.url)
      return new Response(null, { status: 204 })
    },
    { hostname: '127.0.0.1', port: 0 },
  )
}, 60_000)
afterAll(async () => {
  await Promise.all([streams.stop(true), metrics?.stop(true)])
  await cleanUp(place)
})

const INVALID = [
  'a/b?c#d@e',
  'a/b',
  '/',
  '?',
  'a?b',
  'a#b',
  '#',
  '@',
  'user@localhost',
  'user:password@localhost',
  'localhost:99999',
  'localhost:65536',
  'localhost:abc',
  'localhost:-1',
  'localhost:80:80',
  'localhost:80 ',
  ':80',
  '',
  '[::1',
  '::1',
  '[::1]x',
  '[::1::2]',
  '[not-hex]',
  'a b',
  'a\tb',
  'a\\b',
  'a,b',
  'a"b',
  '<a>',
  'a%00b',
  '%zz',
  'http://localhost',
  'ä.example',
  '1.2.3.4.5',
  '256.256.256.256',
]
  // White space at the end is not part of a header's value.
  .filter((host) => host.trim() === host)

const head = (path: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n')
const statusOf = async (port: number, text: string) => (await exchange(port, text)).status

const PATHS = {
  gateway: [
    '/health/live',
    '/health/ready',
    '/metrics',
    '/',
    '/graphql',
    '/v1/track',
    '/v1/stream/a/b',
    '/docs',
    '/x/y',
  ],
  edge: ['/', '/a', '/a/b/c/d', '/a/b/c/d/e', '/upload/track/a'],
}

describe.each(INVALID)('Host: %p', (host) => {
  test.each(['gateway', 'edge'] as const)('is 400 on every path of the %s', async (role) => {
    const port = Number(new URL(role === 'gateway' ? service.url : service.edgeUrl).port)
    const statuses = await Promise.all(PATHS[role].map((path) => statusOf(port, head(path, `Host: ${host}`))))
    expect(statuses).toEqual(PATHS[role].map(() => 400))
  })

  test('is 400 with node:http, before the edge', async () => {
    expect(await statusOf(streams.port, head('/a', `Host: ${host}`))).toBe(400)
    expect(handled).toEqual([])
  })
})

describe.each(['two', 'two of the same', 'no'])('%s Host headers', (what) => {
  const lines = { two: ['Host: a', 'Host: b'], 'two of the same': ['Host: a', 'Host: a'], no: [] }[what] ?? []
  test('are 400 everywhere', async () => {
    const ports = [service.url, service.edgeUrl].map((url) => Number(new URL(url).port))
    const statuses = await Promise.all([...ports, streams.port].map((port) => statusOf(port, head('/a', ...lines))))
    expect(statuses).toEqual([400, 400, 400])
    expect(handled).toEqual([])
  })
})

test('the answer is the envelope', async () => {
  const answer = await exchange(Number(new URL(service.edgeUrl).port), head('/a', 'Host: a b'))
  expect(JSON.parse(answer.body.toString())).toEqual({
    ok: false,
    message: 'Host: must be one host name or address, with an optional port',
    code: 'invalid_input',
    api_request_id: answer.headers.get('x-request-id'),
  })
})

test.each(['localhost', 'a-b.example.', 'my_service:8080', '[::1]:65535', '127.0.0.1:0', 'localhost:'])(
  'Host: %s is accepted',
  async (host) => {
    expect(await statusOf(Number(new URL(service.url).port), head('/health/live', `Host: ${host}`))).toBe(200)
    expect(await statusOf(Number(new URL(service.edgeUrl).port), head('/a', `Host: ${host}`))).toBe(403)
    expect(await statusOf(streams.port, head('/a', `Host: ${host}`))).toBe(204)
    handled.length = 0
  },
)

const ports = {
  gateway: () => Number(new URL(service.url).port),
  edge: () => Number(new URL(service.edgeUrl).port),
  metrics: () => metrics?.port ?? 0,
  'node:http': () => streams.port,
}

describe('a request without Host, with HTTP/1.0', () => {
  const rows: [listener: keyof typeof ports, status: number, paths: string[]][] = [
    ['gateway', 200, ['/health/live', '/health/ready', '/metrics', '/health/delivery-domain?domain=localhost']],
    ['gateway', 404, ['/health/delivery-domain', '/health/delivery-domain?domain=%zz']],
    ['gateway', 400, ['/health/', '/health/x', '/health/live/x', '/v1/track', '/', '/graphql']],
    [
      'edge',
      400,
      ['/health/live', '/health/ready', '/health/delivery-domain', '/health/a/b/c/d', '/', '/upload/track/a'],
    ],
    ['metrics', 200, ['/metrics']],
    ['metrics', 400, ['/health/live', '/x']],
    ['node:http', 400, ['/health/live']],
  ]
  const expected = rows.flatMap(([listener, status, paths]) => paths.map((path) => [listener, path, status] as const))
  test.each(expected)('to the %s %s: %p', async (listener, path, status) => {
    const port = ports[listener]()
    for (const method of ['GET', 'HEAD', 'POST']) {
      expect(await statusOf(port, `${method} ${path} HTTP/1.0\r\n\r\n`)).toBe(status)
    }
    expect(await statusOf(port, `GET http://other.test${path} HTTP/1.0\r\n\r\n`)).toBeLessThan(500)
  })
})

test.each(['gateway', 'edge', 'metrics', 'node:http'] as const)(
  'OPTIONS of HAProxy, without Host, to the %s',
  async (listener) => {
    expect(await statusOf(ports[listener](), 'OPTIONS / HTTP/1.0\r\n\r\n')).toBe(204)
    expect(await statusOf(ports[listener](), 'OPTIONS / HTTP/1.1\r\nHost: a b\r\n\r\n')).toBe(400)
  },
)

test('none of them is logged as an error', async () => {
  const logged = async () => (await service.output()).split('\n').filter((line) => line.startsWith('{'))
  // The process answers before its worker has started, and logs after that.
  await until('the first line', 20_000, async () => (await logged()).length > 0)
  const lines = await logged()
  expect(lines.filter((line) => JSON.parse(line).level >= 50 || JSON.parse(line).level === 'error')).toEqual([])
})
