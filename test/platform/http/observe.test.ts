import { describe, expect, test } from 'bun:test'
import { Writable } from 'node:stream'
import { type Logger, pino } from 'pino'
import { createRequestLog } from '../../../src/platform/http/request-log.ts'
import { type Answer, type Call, useTestService } from '../../support/service.ts'

const service = useTestService()

const samplesOf = async (name: string, labels: Record<string, unknown>) => {
  const { values = [] } = (await service.services.metrics.registry.getSingleMetric(name)?.get()) ?? {}
  const isEqual = (actualLabels: object) =>
    Object.entries(labels).every(([key, value]) => String(Reflect.get(actualLabels, key)) === String(value))
  return values.filter((sample) => isEqual(sample.labels))
}
const count = async (name: string, labels: Record<string, unknown>) =>
  (await samplesOf(name, labels)).reduce((sum, { value }) => sum + value, 0)
const requests = (route: string, method: string, status: number) =>
  count('tonearm_http_requests_total', { route, method, status })

describe('metrics of requests', () => {
  const trackId = '01990000-0000-7000-8000-000000000000'
  test.each([
    ['/v1/track/:trackId', 'GET', 404, `/v1/track/${trackId}`, {}],
    ['/v1/track/:trackId', 'HEAD', 404, `/v1/track/${trackId}`, {}],
    ['/v1/track', 'POST', 400, '/v1/track', { body: {} }],
    ['/v1/collection', 'GET', 401, '/v1/collection', { key: 'wrong' }],
    ['/v1/collection', 'PUT', 405, '/v1/collection', { body: {} }],
    ['/v1/stream/:trackId/:apiKey', 'GET', 404, `/v1/stream/${trackId}/secret`, { key: null }],
    ['/graphql', 'POST', 200, '/graphql', { body: { query: '{ viewer { __typename } }' } }],
    ['/openapi.json', 'GET', 200, '/openapi.json', { key: null }],
    ['unmatched', 'GET', 404, '/some/where', { key: null }],
    ['unmatched', 'OPTIONS', 204, '/v1/track', {}],
  ] as [string, string, number, string, Call][])(
    'count %s %s with %d once, by its pattern',
    async (route, method, status, path, call) => {
      const seconds = () => count('tonearm_http_request_duration_seconds', { route, method, le: '+Inf' })
      const [before, timed] = [await requests(route, method, status), await seconds()]
      const answer: Answer = await service.request(method, path, call)
      expect(answer.status).toBe(status)
      expect(await requests(route, method, status)).toBe(before + 1)
      expect(await seconds()).toBe(timed + 1)
    },
  )

  test('have a bounded number of routes and methods', async () => {
    const all = () => samplesOf('tonearm_http_requests_total', {})
    const before = (await all()).length
    for (let i = 0; i < 20; i++) await service.request('GET', `/random/${i}`, { key: null })
    expect((await all()).length).toBe(before)
    await service.gateway(new Request(`${service.services.config.publicUrl}/x`, { method: 'PROPFIND' }))
    expect(await requests('unmatched', 'other', 404)).toBe(1)
  })

  test.each([
    ['/:file', 'GET', 403, '/a/b.mp3?verify=1-2'],
    ['/upload/track/:id', 'PUT', 403, '/upload/track/x'],
    ['/upload/:cover/:id', 'POST', 403, '/upload/collection_cover/x'],
    ['/upload/notification', 'POST', 401, '/upload/notification'],
  ])('count %s %s with %d of the edge', async (route, method, status, path) => {
    const edge = () => count('tonearm_edge_requests_total', { route, method, status })
    const before = await edge()
    const body = method === 'GET' ? {} : { body: 'x' }
    expect((await service.fetchEdge(path, { method, ...body })).status).toBe(status)
    expect(await edge()).toBe(before + 1)
  })

  test.each([
    ['query', 'ok', '{ viewer { __typename } }'],
    ['query', 'error', `{ track(id: "${trackId}") { id } }`],
    ['mutation', 'error', `mutation { deleteCreator(id: "${trackId}") { deletedCreator { id } } }`],
  ])('time a %s that ends with %s, walked and compiled', async (type, outcome, query) => {
    const operations = () => count('tonearm_graphql_operation_duration_seconds', { type, outcome, le: '+Inf' })
    const before = await operations()
    const answers = []
    for (let i = 0; i < 4; i++) answers.push(await service.graphql(query))
    expect(answers.map(({ errors }) => (errors ? 'error' : 'ok'))).toEqual(Array(4).fill(outcome))
    expect(await operations()).toBe(before + 4)
  })
})

describe('lines of requests', () => {
  const exchange = { requestId: 'r', route: '/v1/track', viewer: null }
  function collect(level = 'info') {
    const lines: Record<string, unknown>[] = []
    const write = (chunk: Buffer, _: unknown, done: () => void) => {
      lines.push(JSON.parse(String(chunk)))
      done()
    }
    return { lines, log: pino({ level, base: {} }, new Writable({ write })) as Logger }
  }

  test('have the request, its pattern, status, time and key', () => {
    const { lines, log } = collect()
    const viewer = { type: 'key', keyId: 'k' } as never
    createRequestLog(log)({ ...exchange, viewer }, 'GET', 200, 12.345)
    expect(lines).toMatchObject([
      { requestId: 'r', method: 'GET', route: '/v1/track', status: 200, ms: 12.3, keyId: 'k', msg: 'request answered' },
    ])
  })

  test('are sampled at the stated share, except for errors', () => {
    const { lines, log } = collect()
    let next = 0
    const write = createRequestLog(log, 0.25, () => (next++ % 4) / 4)
    for (let i = 0; i < 100; i++) write(exchange, 'GET', 302, 1)
    expect(lines.map(({ sample }) => sample)).toEqual(Array(25).fill(0.25))
    for (let i = 0; i < 10; i++) write(exchange, 'GET', 404, 1)
    expect(lines.filter(({ status, sample }) => status === 404 && sample === undefined)).toHaveLength(10)
  })

  test('are bounded, errors apart from successes', () => {
    const { lines, log } = collect()
    const write = createRequestLog(log)
    for (let i = 0; i < 5000; i++) write(exchange, 'GET', 200, 1)
    // A second may end within the loop.
    expect(lines.length).toBeGreaterThanOrEqual(250)
    expect(lines.length).toBeLessThanOrEqual(500)
    write(exchange, 'GET', 500, 1)
    expect(lines.at(-1)?.status).toBe(500)
  })

  test('are not written at level warn', () => {
    const { lines, log } = collect('warn')
    createRequestLog(log)(exchange, 'GET', 500, 1)
    expect(lines).toEqual([])
  })
})
