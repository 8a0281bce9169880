// Refused requests whose body has not arrived: over sockets, because clients of HTTP hide what the connection does.
import { afterEach, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { listen, listenForStreams } from '../../../src/cli/listen.ts'
import type { RestLimits } from '../../../src/platform/http/unread-body.ts'
import { edgeRoutes } from '../../../src/roles/edge/app.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { open, target } from '../../support/wire.ts'

const MAX_UPLOAD_BYTES = 1_000_000
const service = useTestService({ MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) })
const WAIT_MS = 20_000
/** No limit that a test reaches. */
const FOREVER: RestLimits = {
  idleMs: 600_000,
  graceMs: 600_000,
  longestMs: 600_000,
  maxBytes: Number.POSITIVE_INFINITY,
  keptSeconds: 255,
}
const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const address = { hostname: '127.0.0.1', port: 0 }
const listeners = {
  edge: async (limits: RestLimits) => {
    const server = listen({ ...address, setting: 'EDGE_PORT', restLimits: limits, ...edgeRoutes(service.edge) })
    stops.push(() => server.stop(true))
    return server.port ?? 0
  },
  'edge for a bucket': async (limits: RestLimits) => {
    const server = await listenForStreams(async (request, path) => service.edge(request, undefined, path), {
      ...address,
      setting: 'EDGE_PORT',
      restLimits: limits,
    })
    stops.push(() => server.stop(true))
    return server.port
  },
  gateway: async (limits: RestLimits) => {
    const server = listen({
      ...address,
      setting: 'PORT',
      restLimits: limits,
      fetch: (request) => service.gateway(request),
    })
    stops.push(() => server.stop(true))
    return server.port ?? 0
  },
}
type Listener = keyof typeof listeners

/** A connection that records what it receives. */
async function connect(port: number) {
  const socket = await open(port)
  const state = { received: '', end: null as null | 'end' | string }
  socket.on('data', (chunk) => {
    state.received += chunk.toString('latin1')
  })
  socket.on('end', () => {
    state.end ??= 'end'
  })
  socket.on('error', ({ message }) => {
    state.end ??= message
  })
  return {
    socket,
    state,
    /** Waits for the status and the whole JSON of the answer. */
    answer: () => until('the answer', WAIT_MS, () => /^HTTP\/1\.1 \d+[\s\S]*\r\n\r\n[\s\S]*}/.test(state.received)),
    ended: () => until('the end of the connection', WAIT_MS, () => state.end),
  }
}

async function newUpload(): Promise<string> {
  const body = { collection_id: service.demo.collection_id, file_name: 'song.wav' }
  return target((await service.v1('POST', '/track', { body })).json.track_upload.upload_url)
}

const LENGTH = 400_000
const head = (method: string, path: string, ...lines: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: tonearm.test', ...lines].join('\r\n')}\r\n\r\n`

interface Refusal {
  status: number
  on: Listener[]
  method: string
  path: () => string | Promise<string>
  lines?: string[]
  length?: number
}
const edges: Listener[] = ['edge', 'edge for a bucket']
const refusals: Refusal[] = [
  { status: 413, on: edges, method: 'PUT', path: newUpload, length: MAX_UPLOAD_BYTES + 1 },
  { status: 403, on: edges, method: 'PUT', path: async () => `${await newUpload()}x` },
  { status: 403, on: edges, method: 'POST', path: () => '/upload/track-cover/x?signature=x' },
  { status: 415, on: edges, method: 'PUT', path: newUpload, lines: ['Content-Encoding: gzip'] },
  { status: 400, on: edges, method: 'PUT', path: newUpload, lines: ['Content-Range: bytes 0-1/2'] },
  { status: 405, on: edges, method: 'DELETE', path: () => '/a/file' },
  { status: 401, on: edges, method: 'POST', path: () => '/upload/notification' },
  { status: 401, on: ['gateway'], method: 'POST', path: () => '/v1/track' },
  { status: 404, on: ['gateway'], method: 'PUT', path: () => '/v1/nothing' },
  { status: 405, on: ['gateway'], method: 'PUT', path: () => '/v1/track' },
  {
    status: 413,
    on: ['gateway'],
    method: 'POST',
    path: () => '/v1/track',
    lines: ['Authorization: KEY'],
    length: 2 << 20,
  },
]
const rows = refusals.flatMap((refusal) =>
  refusal.on.flatMap((listener) =>
    ['close', 'keep-alive'].map((connection) => ({
      ...refusal,
      listener,
      connection,
      length: refusal.length ?? LENGTH,
    })),
  ),
)

test.each(rows)(
  '$status of $method at the $listener is sent before the body, which is discarded (Connection: $connection)',
  async ({ status, listener, method, path, lines = [], length, connection }) => {
    const { socket, state, answer, ended } = await connect(await listeners[listener](FOREVER))
    const headLines = lines.map((line) => line.replace('KEY', `Bearer ${service.demo.api_key}`))
    socket.write(head(method, await path(), `Content-Length: ${length}`, `Connection: ${connection}`, ...headLines))
    await answer()
    expect(state.received).toStartWith(`HTTP/1.1 ${status} `)
    for (let sent = 0; sent < length; sent += 100_000) socket.write(Buffer.alloc(Math.min(100_000, length - sent)))
    const isKept = connection === 'keep-alive' && listener !== 'edge for a bucket'
    if (isKept) {
      state.received = ''
      socket.write(head('DELETE', '/upload/other', 'Connection: close'))
      await answer()
    }
    expect(await ended()).toBe('end')
  },
)

test.each(edges)('a chunked body that is too large is refused while it arrives (%s)', async (listener) => {
  const { socket, state, answer, ended } = await connect(await listeners[listener](FOREVER))
  socket.write(head('PUT', await newUpload(), 'Transfer-Encoding: chunked', 'Connection: close'))
  const chunk = Buffer.alloc(100_000)
  const send = () => socket.write(Buffer.concat([Buffer.from('186a0\r\n'), chunk, Buffer.from('\r\n')]))
  for (let sent = 0; sent <= MAX_UPLOAD_BYTES; sent += chunk.length) send()
  await answer()
  expect(state.received).toStartWith('HTTP/1.1 413 ')
  for (let more = 0; more < 10; more++) send()
  socket.write('0\r\n\r\n')
  expect(await ended()).toBe('end')
})

/** Sends a byte every few milliseconds until the connection ends. */
function drip(socket: Socket) {
  const timer = setInterval(() => socket.write('a'), 10)
  socket.once('close', () => clearInterval(timer))
}

const bounds: [what: string, limits: Partial<RestLimits>, send: (socket: Socket) => void, connection: string][] = [
  ['the client stops sending', { idleMs: 50 }, () => {}, 'close'],
  ['the body arrives too slowly', { graceMs: 100 }, drip, 'close'],
  ['the longest time is over', { longestMs: 100 }, drip, 'close'],
  ['too much has arrived', { maxBytes: 100_000 }, (socket) => socket.write(Buffer.alloc(200_000)), 'close'],
]
const keepAliveBound: (typeof bounds)[number] = ['a kept connection drips', { keptSeconds: 1 }, drip, 'keep-alive']
describe.each([...edges, 'gateway'] as Listener[])('the connection to the %s is closed when', (listener) => {
  // For a bucket, no connection is kept whose body is incomplete.
  test.each(listener === 'edge for a bucket' ? bounds : [...bounds, keepAliveBound])(
    '%s',
    async (_, limits, send, connection) => {
      const { socket, state, answer, ended } = await connect(await listeners[listener]({ ...FOREVER, ...limits }))
      const path = listener === 'gateway' ? '/v1/track' : '/upload/track/x'
      socket.write(head('PUT', path, `Content-Length: ${LENGTH}`, `Connection: ${connection}`))
      await answer()
      send(socket)
      expect(await ended()).toBeString()
      expect(state.received).toMatch(/^HTTP\/1\.1 40[35] /)
    },
  )
})

test('an accepted request keeps its connection', async () => {
  const { socket, state, answer, ended } = await connect(await listeners.gateway({ ...FOREVER, idleMs: 1 }))
  const body = JSON.stringify({ title: 'Kept' })
  const key = `Authorization: Bearer ${service.demo.api_key}`
  for (const connection of ['keep-alive', 'close']) {
    state.received = ''
    const lines = [key, 'Content-Type: application/json', `Content-Length: ${body.length}`, `Connection: ${connection}`]
    socket.write(head('POST', '/v1/collection', ...lines) + body)
    await answer()
    expect(state.received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: \d+/i)
  }
  expect(await ended()).toBe('end')
})
