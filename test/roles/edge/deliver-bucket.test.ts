import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type StreamServer, serveStreams } from '../../../src/platform/http/stream-server.ts'
import { createS3Storage } from '../../../src/platform/storage/s3.ts'
import { tone } from '../../support/audio.ts'
import { type Bucket, startBucket } from '../../support/bucket.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { exchange, open, target } from '../../support/wire.ts'

const service = useTestService()
let bucket: Bucket
let server: StreamServer
let file: Json
let bytes: Buffer
beforeAll(async () => {
  const id = await uploadTrack(service, await tone(2))
  await service.runJobs()
  const { files } = (await service.v1('GET', `/track/${id}`)).json
  file = files.find(({ variant }: Json) => variant.index === 'hq')
  const { storageKey } = await service.services.db.trackFile.findUniqueOrThrow({ where: { id: file.id } })
  bytes = Buffer.from((await service.objects.read(storageKey ?? '')) ?? new Uint8Array())
  bucket = await startBucket()
  await bucket.put(storageKey ?? '', new Uint8Array(bytes))
  service.services.storage = createS3Storage(bucket.settings, undefined, { pauseMs: 1 })
  const address = { hostname: '127.0.0.1', port: 0 }
  server = await serveStreams(async (request, path) => service.edge(request, undefined, path), address)
}, 60_000)
beforeEach(() => bucket.reset())
afterAll(async () => {
  await server.stop(true)
  await bucket.stop()
})

const ask = (method: string, ...headers: string[]) => {
  const lines = [`${method} ${target(file.url)} HTTP/1.1`, 'Host: edge.test', 'Connection: close', ...headers]
  return exchange(server.port, `${lines.join('\r\n')}\r\n\r\n`)
}

describe('a file in a bucket has its exact Content-Length on the wire', () => {
  test.each([
    { what: 'whole', headers: [], status: 200, start: 0, end: Number.POSITIVE_INFINITY },
    { what: 'the first two bytes', headers: ['Range: bytes=0-1'], status: 206, start: 0, end: 2 },
    { what: 'an open range', headers: ['Range: bytes=100-'], status: 206, start: 100, end: Number.POSITIVE_INFINITY },
    { what: 'a suffix', headers: ['Range: bytes=-100'], status: 206, start: -100, end: Number.POSITIVE_INFINITY },
  ])('$what', async ({ headers, status, start, end }) => {
    const answer = await ask('GET', ...headers)
    const expected = bytes.subarray(start, end === Number.POSITIVE_INFINITY ? undefined : end)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('transfer-encoding')).toBeNull()
    expect(answer.headers.get('content-length')).toBe(String(expected.length))
    expect(answer.body.equals(expected)).toBe(true)
    expect(answer.headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`)
  })

  test('HEAD has it without a body', async () => {
    const answer = await ask('HEAD')
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    expect(answer.body.length).toBe(0)
  })
})

test('304, 412 and 416 have no body, and failures have a length', async () => {
  const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`
  const answers = [
    await ask('GET', `If-None-Match: ${etag}`),
    await ask('GET', 'If-Match: "other"'),
    await ask('GET', `Range: bytes=${bytes.length}-`),
  ]
  expect(answers.map(({ status, body }) => [status, body.length])).toEqual([
    [304, 0],
    [412, 0],
    [416, 0],
  ])
  const refused = await ask('POST', 'Content-Length: 0')
  expect([refused.status, refused.headers.get('content-length')]).toEqual([405, String(refused.body.length)])
})

test('a path with dot segments is refused, like any path that was not signed', async () => {
  const path = target(file.url).replace('/', '/x/../')
  const answer = await exchange(server.port, `GET ${path} HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n\r\n`)
  expect(answer.status).toBe(403)
})

test('a request after a complete one uses the same connection', async () => {
  const request = `GET ${target(file.url)} HTTP/1.1\r\nHost: edge.test\r\nRange: bytes=0-1\r\n`
  const both = await exchange(server.port, `${request}\r\n`, `${request}Connection: close\r\n\r\n`)
  expect(both.body.toString('latin1').match(/HTTP\/1.1 206/g)).toHaveLength(1)
})

test('a bucket that fails is 503, and a missing object 404', async () => {
  bucket.intercept((_, key) => (key.startsWith('files/') ? new Response(null, { status: 503 }) : null))
  expect((await ask('GET')).status).toBe(503)
  bucket.intercept((_, key) => (key.startsWith('files/') ? new Response(null, { status: 404 }) : null))
  expect((await ask('GET')).status).toBe(404)
})

test('the request to the bucket ends when the client leaves', async () => {
  let isCancelled = false
  bucket.intercept((_, key) => {
    if (!key.startsWith('files/')) return null
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => {
        isCancelled = true
      },
    })
    return new Response(body, { status: 206 })
  })
  const socket = await open(server.port)
  socket.write(`GET ${target(file.url)} HTTP/1.1\r\nHost: edge.test\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  await until('the request to the bucket to end', 20_000, () => isCancelled)
})

test('a body reaches the edge, and an interrupted one leaves nothing', async () => {
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  const head = (length: number) =>
    `POST ${target(json.cover_upload?.upload_url ?? json.track_cover_upload.upload_url)} HTTP/1.1\r\nHost: e\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`
  const socket = await open(server.port)
  socket.write(head(100))
  socket.write('half')
  socket.destroy()
  const answer = await exchange(server.port, head(6), Buffer.from('\x89PNG\r\n', 'latin1'))
  expect([answer.status, JSON.parse(answer.body.toString()).size]).toEqual([200, 6])
})
