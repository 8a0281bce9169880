// Uploads that run longer than their address is valid.
import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { Socket } from 'node:net'
import type { Services } from '../../../src/platform/context.ts'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { test } from '../../support/folder-only.ts'
import { runTask } from '../../support/jobs.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { exchange, listen, open, target } from '../../support/wire.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const service = useTestService()
let server: ReturnType<typeof listen>
beforeAll(() => {
  server = listen(service)
}, 60_000)
afterEach(() => {
  service.clock.now = null
})
afterAll(() => server.stop())

async function newUpload() {
  const body = { collection_id: service.demo.collection_id, file_name: 'song.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  return { id: json.track_id as string, url: json.track_upload.upload_url as string }
}
const track = (id: string) => service.services.db.track.findUniqueOrThrow({ where: { id } })
const head = (url: string, length: number) =>
  `PUT ${target(url)} HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`

/** Begins a PUT whose bytes are sent one by one. */
async function begin({ id, url }: { id: string; url: string }, length: number) {
  const socket: Socket = await open(server.port)
  const answer = Promise.withResolvers<string>()
  socket.on('data', (chunk) => answer.resolve(chunk.toString('latin1')))
  socket.write(`${head(url, length)}x`)
  await until('the upload to begin', 20_000, async () => (await track(id)).uploadActiveAt !== null)
  return { socket, answer: answer.promise }
}

/** Sends a byte at a time, and waits until its arrival is recorded. */
async function sendAt(id: string, socket: Socket, now: number) {
  service.clock.now = new Date(now)
  socket.write('x')
  await until('the byte to be recorded', 20_000, async () => (await track(id)).uploadActiveAt?.getTime() === now)
}

test('an upload of any duration is not expired while bytes arrive', async () => {
  const upload = await newUpload()
  const { socket, answer } = await begin(upload, 12)
  const began = Date.now()
  for (let hour = 1; hour <= 10; hour++) {
    await sendAt(upload.id, socket, began + hour * HOUR)
    await runTask(service.services, 'expire_uploads')
    expect((await track(upload.id)).status).toBe('initialized')
  }
  socket.write('x')
  expect(await answer).toStartWith('HTTP/1.1 200')
})

test('it expires ten minutes after its last bytes, and is then answered with 410', async () => {
  const upload = await newUpload()
  const { socket, answer } = await begin(upload, 3)
  const last = Date.now() + 2 * HOUR
  await sendAt(upload.id, socket, last)
  service.clock.now = new Date(last + 10 * MINUTE - 1)
  await runTask(service.services, 'expire_uploads')
  expect((await track(upload.id)).status).toBe('initialized')
  service.clock.now = new Date(last + 10 * MINUTE)
  await runTask(service.services, 'expire_uploads')
  expect(await track(upload.id)).toMatchObject({ status: 'init_error', statusCode: 'upload_expired' })
  socket.write('x')
  const text = await answer
  expect(text).toStartWith('HTTP/1.1 410')
  expect(text).toContain('"code":"expired"')
})

test('a track that expires between the last byte and the completion answers 410', async () => {
  const { id, url } = await newUpload()
  const { storage } = service.services
  const edge = createEdge({
    ...service.services,
    storage: {
      ...storage,
      receive: async (...args) => {
        const received = await storage.receive(...args)
        service.clock.now = new Date(Date.now() + 2 * HOUR)
        await runTask(service.services, 'expire_uploads')
        return received
      },
    },
  })
  const answer = await edge(new Request(url, { method: 'PUT', body: 'x' }))
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([410, 'expired'])
  expect((await track(id)).statusCode).toBe('upload_expired')
})

test.each([
  ['an empty', ''],
  ['an interrupted', 'x'],
])('%s PUT does not expire another of the same address that is running', async (_, body) => {
  const upload = await newUpload()
  const { socket, answer } = await begin(upload, 2)
  if (body === '') expect((await exchange(server.port, head(upload.url, 0))).status).toBe(400)
  else {
    const second = await open(server.port)
    second.end(`${head(upload.url, 100)}${body}`)
    await new Promise((resolve) => second.once('close', resolve))
  }
  await service.services.db.track.update({ where: { id: upload.id }, data: { uploadExpiresAt: new Date(0) } })
  await runTask(service.services, 'expire_uploads')
  expect((await track(upload.id)).status).toBe('initialized')
  socket.write('x')
  expect(await answer).toStartWith('HTTP/1.1 200')
})

test('arrival is recorded once a minute, not for each chunk, and a database that is away does not end the upload', async () => {
  const { id, url } = await newUpload()
  const began = Date.now()
  let writes = 0
  const { db } = service.services
  const marks = new Proxy(db.track, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name !== 'updateMany') return value
      return async (args: Parameters<typeof target.updateMany>[0]) => {
        writes += 1
        if (writes === 2) throw new Error('Connection ended')
        return target.updateMany(args)
      }
    },
  })
  const counting = new Proxy(db, { get: (target, name) => (name === 'track' ? marks : Reflect.get(target, name)) })
  const edge = createEdge({ ...service.services, db: counting as Services['db'] })
  let sent = 0
  const body = new ReadableStream({
    pull: (controller) => {
      service.clock.now = new Date(began + sent * 1000)
      if (sent++ === 290) return controller.close()
      controller.enqueue(new Uint8Array(16))
    },
  })
  const answer = await edge(new Request(url, { method: 'PUT', body }))
  expect(answer.status).toBe(200)
  expect(writes).toBe(5)
  expect((await track(id)).sourceBytes).toBe(4640n)
})
