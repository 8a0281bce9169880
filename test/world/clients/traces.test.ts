// Traces as a process sends them by default, read by OpenTelemetry's own definitions of the protocol.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { cleanUp, createPlace, type Place, type ServiceProcess, startProcess } from '../../faults/process.ts'
import { installPackages, succeed } from './packages.ts'

interface Report {
  mistake: string | null
  isComplete: boolean
  services: string[]
  spans: { name: string; traceId: string; parentSpanId?: string }[]
}

let place: Place
let service: ServiceProcess
const bodies: { type: string | null; path: string; bytes: ArrayBuffer }[] = []
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const { headers, url } = request
    bodies.push({ type: headers.get('content-type'), path: new URL(url).pathname, bytes: await request.arrayBuffer() })
    return new Response(new Uint8Array(), { headers: { 'content-type': 'application/x-protobuf' } })
  },
})
beforeAll(async () => {
  await installPackages()
  place = await createPlace({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.port}` })
  service = await startProcess(place)
}, 300_000)
afterAll(async () => {
  await cleanUp(place)
  await receiver.stop(true)
})

test('are complete messages of the protocol, with the trace of a client', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const { api_key, collection_id } = service.credentials
  const answer = await fetch(`${service.url}/v1/collection/${collection_id}`, {
    headers: { authorization: `Bearer ${api_key}`, traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  })
  expect(answer.status).toBe(200)
  // It sends what waits before it ends.
  service.kill('SIGTERM')
  await service.exited
  expect(bodies.length).toBeGreaterThan(0)
  for (const { type, path } of bodies) expect([type, path]).toEqual(['application/x-protobuf', '/v1/traces'])
  const files = bodies.map((_, index) => join(place.folder, `body-${index}`))
  for (const [index, { bytes }] of bodies.entries()) await Bun.write(files[index] ?? '', bytes)
  const reports: Report[] = JSON.parse(await succeed([process.execPath, 'programs/otlp.ts', ...files]))
  expect(reports.map(({ mistake, isComplete }) => [mistake, isComplete])).toEqual(bodies.map(() => [null, true]))
  expect(new Set(reports.flatMap(({ services }) => services))).toEqual(new Set(['tonearm']))
  const expectedId = Buffer.from(traceId, 'hex').toString('base64')
  const names = reports
    .flatMap(({ spans }) => spans)
    .filter((span) => span.traceId === expectedId)
    .map(({ name }) => name)
  expect(names).toContain('GET /v1/collection/:collectionId')
  expect(names.some((name) => name.startsWith('SQL '))).toBe(true)
}, 60_000)
