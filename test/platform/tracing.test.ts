import { afterAll, describe, expect, test } from 'bun:test'
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { withOrigin } from '../../src/platform/origin.ts'
import { createTracing } from '../../src/platform/tracing/create.ts'
import { noTracing } from '../../src/platform/tracing/tracing.ts'
import { tone } from '../support/audio.ts'
import { deliverDue, startReceiver } from '../support/receiver.ts'
import { type Json, useTestService } from '../support/service.ts'

/** A span as OTLP's JSON has it. */
interface Sent {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code?: number }
}

/** A receiver of OTLP that reads JSON, without code of OpenTelemetry. */
function startCollector(answer: () => Response = () => Response.json({})) {
  const requests: { path: string; headers: Headers; body: Json }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const type = request.headers.get('content-type')
      const body = type === 'application/json' ? await request.json() : await request.arrayBuffer()
      requests.push({ path: new URL(request.url).pathname, headers: request.headers, body })
      return answer()
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    spans: (): Sent[] =>
      requests.flatMap(({ body }) =>
        body.resourceSpans.flatMap((resource: Json) => resource.scopeSpans.flatMap(({ spans }: Json) => spans)),
      ),
    stop: () => server.stop(true),
  }
}

const collector = startCollector()
const hooks = startReceiver()
afterAll(() => {
  collector.stop()
  hooks.stop()
})

const settings = (env: Record<string, string>) =>
  loadConfig({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env }).tracing
const log = createLog('silent', 'json')
const attribute = (span: Sent | undefined, key: string) =>
  Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0]

describe('a trace', () => {
  const service = useTestService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b',
    OTEL_SERVICE_NAME: 'audio',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })

  test('leads from the upload of a client through SQL, job and ffmpeg to the webhook', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`
    const created = await service.v1('POST', '/track', {
      body: { collection_id: service.demo.collection_id, file_name: 'a.wav' },
      headers: { traceparent },
    })
    const organizationId = service.demo.organization_id
    const endpoint = { organizationId, url: hooks.at(), secrets: ['whsec_c2VjcmV0'] }
    await service.services.db.webhookEndpoint.create({ data: endpoint })
    const put = await service.fetchEdge(created.json.track_upload.upload_url, {
      method: 'PUT',
      body: new Blob([await tone(1)]),
      headers: { traceparent },
    })
    const requestId = put.headers.get('x-request-id') ?? ''
    await service.runJobs()
    expect(await deliverDue(service)).toBeGreaterThan(0)
    await service.services.tracing.end()

    const spans = collector.spans().filter((span) => span.traceId === traceId)
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const find = (name: string) => spans.find((span) => span.name === name)
    const pathOf = (span: Sent | undefined): string[] =>
      span ? [...pathOf(byId.get(span.parentSpanId ?? '')), span.name] : []
    expect(find('PUT /upload/track/:id')?.parentSpanId).toBe('b7ad6b7169203331')
    expect(attribute(find('PUT /upload/track/:id'), 'http.response.status_code')).toBe(200)
    expect(attribute(find('PUT /upload/track/:id'), 'tonearm.request_id')).toBe(requestId)
    expect(pathOf(find('ffmpeg encode'))).toEqual([
      'PUT /upload/track/:id',
      'job process_track',
      'step decode',
      'ffmpeg encode',
    ])
    const webhook = spans.find((span) => span.name === 'webhook' && pathOf(span).includes('job process_track'))
    expect(pathOf(webhook).slice(0, 2)).toEqual(['PUT /upload/track/:id', 'job process_track'])
    const statements = spans.filter(({ name }) => name.startsWith('SQL '))
    expect(pathOf(statements.find((span) => pathOf(span).includes('POST /v1/track'))).length).toBe(2)
    expect(statements.some((span) => pathOf(span).includes('step publish'))).toBe(true)
    const texts = statements.map((span) => String(attribute(span, 'db.query.text')))
    expect(texts.filter((text) => text.includes(created.json.track_id))).toEqual([])
    expect(spans.every((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))).toBe(true)

    const [message] = hooks.all.filter(({ headers }) => headers.traceparent?.includes(webhook?.spanId ?? '-'))
    expect(message?.headers.traceparent).toBe(`00-${traceId}-${webhook?.spanId}-01`)
    expect(message?.headers['x-request-id']).toBe(requestId)

    const { path, headers, body } = collector.requests[0] ?? {}
    expect(path).toBe('/v1/traces')
    expect(headers?.get('x-token')).toBe('a b')
    const resource = Object.fromEntries(
      body.resourceSpans[0].resource.attributes.map(({ key, value }: Json) => [key, value.stringValue]),
    )
    expect(resource).toMatchObject({ 'service.name': 'audio', 'deployment.environment.name': 'test' })
  })
})

describe('sampling', () => {
  const traced = async (env: Record<string, string>, traceparent?: string) => {
    const tracing = await createTracing(settings(env), log)
    const before = collector.spans().length
    const remote = traceparent ? { traceparent } : undefined
    withOrigin({ requestId: null, span: null }, () =>
      tracing.inSpan('outer', { isRoot: true, remote }, () => tracing.inSpan('inner', {}, () => {})),
    )
    await tracing.end()
    return collector
      .spans()
      .slice(before)
      .map(({ name }) => name)
  }
  const recorded = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const unrecorded = recorded.replace(/01$/, '00')
  test.each([
    [{}, undefined, ['inner', 'outer']],
    [{}, unrecorded, []],
    [{}, 'nonsense', ['inner', 'outer']],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, recorded, []],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, unrecorded, ['inner', 'outer']],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, recorded, []],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, recorded, ['inner', 'outer']],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, undefined, []],
  ])('%p with parent %p records %p', async (env, parent, names) => {
    expect(await traced(env as Record<string, string>, parent)).toEqual(names)
  })

  test('sends protobuf by default', async () => {
    const other = startCollector()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: other.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }
    const tracing = await createTracing(settings(env), log)
    tracing.inSpan('a name to find', { isRoot: true }, () => {})
    await tracing.end()
    other.stop()
    expect(other.requests.map(({ headers }) => headers.get('content-type'))).toEqual(['application/x-protobuf'])
    expect(Buffer.from(other.requests[0]?.body).includes('a name to find')).toBe(true)
  })
})

describe('a receiver that fails', () => {
  test.each([
    ['refuses', () => new Response(null, { status: 500 })],
    ['is away', null],
  ] as const)(
    'that %s changes no result, and spans beyond the bound are dropped',
    async (_, answer) => {
      const other = startCollector(answer ?? undefined)
      if (!answer) other.stop()
      const tracing = await createTracing(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: other.url }), log)
      for (let i = 0; i < 10_000; i++) expect(tracing.inSpan('a', { isRoot: true }, () => i)).toBe(i)
      const fault = new Error('of the work')
      await expect(tracing.inSpan('a', { isRoot: true }, () => Promise.reject(fault))).rejects.toBe(fault)
      expect(() =>
        tracing.inSpan('a', { isRoot: true }, () => {
          throw fault
        }),
      ).toThrow(fault)
      const began = performance.now()
      await tracing.end()
      expect(performance.now() - began).toBeLessThan(8_000)
      other.stop()
    },
    20_000,
  )
})

test('without an endpoint nothing is traced', async () => {
  expect(await createTracing(loadConfig({}).tracing, log)).toBe(noTracing)
  expect(await createTracing(settings({ OTEL_SDK_DISABLED: 'true' }), log)).toBe(noTracing)
  expect(noTracing.inSpan('a', { isRoot: true }, (span) => span)).toBeNull()
})
