// Listeners who stop reading: browsers that have buffered enough, and clients that only take places.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { type StreamServer, serveStreams } from '../../../src/platform/http/stream-server.ts'
import { createS3Storage } from '../../../src/platform/storage/s3.ts'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { createDeliveryLimit, type DeliveryPlaces } from '../../../src/roles/edge/deliveries.ts'
import { playableTrack } from '../../support/playable.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { open, target } from '../../support/wire.ts'

const FILE_BYTES = 16 << 20
const CHUNK = new Uint8Array(1 << 16)

const service = useTestService()
let bucket: Server
/** Objects that the bucket is sending. */
const sending = new Set<ServerResponse>()
/** Bytes after which the bucket waits: as many readers would fill the buffers of the kernel with gigabytes. */
let bytesAtOnce = FILE_BYTES
const servers: StreamServer[] = []
const sockets: Socket[] = []
let address: string

/** Sends an object as fast as its reader takes it. */
async function sendObject(response: ServerResponse): Promise<void> {
  sending.add(response)
  const ended = new Promise<void>((resolve) => response.once('close', resolve))
  ended.then(() => sending.delete(response))
  response.writeHead(206, { 'content-length': String(FILE_BYTES) })
  for (let sent = 0; sent < FILE_BYTES && !response.destroyed; sent += CHUNK.length) {
    if (sent >= bytesAtOnce) return
    if (response.write(CHUNK)) continue
    await new Promise<void>((resolve) => {
      response.once('drain', resolve)
      ended.then(resolve)
    })
  }
  response.end()
}

beforeAll(async () => {
  bucket = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (request.method === 'GET') void sendObject(response)
      else response.writeHead(200, { etag: '"1"', 'content-length': request.method === 'HEAD' ? '7' : '0' }).end()
    })
  })
  await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(bucket.address() as { port: number }).port}`
  const keys = { accessKeyId: 'key', secretAccessKey: 'secret', region: 'us-east-1' }
  service.services.storage = createS3Storage({ endpoint, bucket: 'audio', ...keys }, undefined, { answerMs: 10_000 })
  const id = await playableTrack(service, { indexes: ['hq'] })
  await service.services.db.trackFile.updateMany({ where: { trackId: id }, data: { size: BigInt(FILE_BYTES) } })
  const { files } = (await service.v1('GET', `/track/${id}`)).json
  address = files[0].url
})
afterEach(async () => {
  bytesAtOnce = FILE_BYTES
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) await server.stop(true)
  await until('the end of all objects', 10_000, () => sending.size === 0)
})
afterAll(() => {
  bucket.closeAllConnections()
  bucket.close()
})

async function listen(places: DeliveryPlaces, receiveMs?: number): Promise<number> {
  const edge = createEdge(service.services, undefined, places)
  const handle = async (request: Request, path: string, peer: string | undefined) =>
    edge(request, { peer: () => peer, setIdle: () => {} }, path)
  const server = await serveStreams(handle, { hostname: '127.0.0.1', port: 0, receiveMs })
  servers.push(server)
  return server.port
}

/** Requests the file and stops reading after the head of the answer. */
async function pausedReader(port: number): Promise<{ head: string; socket: Socket }> {
  const socket = await open(port)
  sockets.push(socket)
  const { promise, resolve } = Promise.withResolvers<string>()
  socket.once('data', (bytes: Uint8Array) => {
    socket.pause()
    resolve(new TextDecoder('latin1').decode(bytes.subarray(0, 1000)))
  })
  socket.write(`GET ${target(address)} HTTP/1.1\r\nHost: edge.test\r\nRange: bytes=0-\r\n\r\n`)
  return { head: await promise, socket }
}

test.each([300, 1000])(
  '%d paused readers leave storage to uploads, checks and workers',
  async (readers) => {
    bytesAtOnce = CHUNK.length
    const port = await listen({ total: readers, share: readers })
    const opened = await Promise.all(Array.from({ length: readers }, () => pausedReader(port)))
    expect(opened.filter(({ head }) => head.startsWith('HTTP/1.1 206'))).toHaveLength(readers)
    expect(sending.size).toBe(readers)
    const { storage } = service.services
    const file = join(service.dataDir, 'small')
    await Bun.write(file, 'content')
    await storage.check()
    await storage.put('files/a', file, 'audio/wav')
    expect(await storage.size('files/a')).toBe(7)
    expect(await storage.remove(['files/a'])).toEqual([])
  },
  60_000,
)

test('a client and an organization have a share of the places, which readers give back', async () => {
  const port = await listen({ total: 3, share: 2 })
  const [first] = await Promise.all([pausedReader(port), pausedReader(port)])
  const refused = await pausedReader(port)
  expect(refused.head).toStartWith('HTTP/1.1 503')
  expect(refused.head.toLowerCase()).toContain('retry-after: 5')
  first?.socket.destroy()
  await until('the place', 10_000, () => sending.size === 1)
  expect((await pausedReader(port)).head).toStartWith('HTTP/1.1 206')
})

test('another client and another organization have places left', async () => {
  const withPlace = createDeliveryLimit({ total: 3, share: 1 })
  const read = (client: string, organizationId: string) =>
    withPlace({ client, organizationId }, async () => new ReadableStream<Uint8Array>())
  await read('a', 'one')
  await expect(read('a', 'two')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  await expect(read('b', 'one')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  const bytes = (await read('b', 'two')) as ReadableStream<Uint8Array>
  await read('c', 'three')
  await expect(read('d', 'four')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  await bytes.cancel()
  expect(await read('b', 'two')).toBeInstanceOf(ReadableStream)
  await expect(withPlace({ client: 'e', organizationId: 'five' }, async () => null)).rejects.toThrow()
})

test('a reader that reads nothing for its time is disconnected', async () => {
  const port = await listen({ total: 1, share: 1 }, 20)
  const { socket } = await pausedReader(port)
  await until('the end of the object', 10_000, () => sending.size === 0)
  expect((await pausedReader(port)).head).toStartWith('HTTP/1.1 206')
  socket.destroy()
})
