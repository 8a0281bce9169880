import { expect, test } from 'bun:test'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { createBodyLimit } from '../../../src/roles/edge/bodies.ts'
import { createForeign } from '../../spec/support.ts'
import { test as folderTest } from '../../support/folder-only.ts'
import { useTestService } from '../../support/service.ts'
import { listen, open, target } from '../../support/wire.ts'

const service = useTestService({ TRUSTED_PROXIES: '1' })
const CLIENT = '192.0.2.1'
const MIB = 1 << 20
let addresses = 0
/** A body of unknown length. */
const origin = (client: string | null = null, address: string | null = `/upload/track/${++addresses}`) => ({
  client,
  address,
  organization: null as string | null,
  bytes: null as number | null,
})
/** Memory for a number of large bodies. */
const placesFor = (bodies: number) => ({ total: bodies * MIB, most: MIB })

/** Reads bodies until `end` is called. */
function occupy(withBody: ReturnType<typeof createBodyLimit>, ...origins: ReturnType<typeof origin>[]) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const open = Promise.all(origins.map((from) => withBody(from, () => promise)))
  open.catch(() => {})
  return {
    end: async () => {
      resolve('whole')
      return open
    },
  }
}
const read = (withBody: ReturnType<typeof createBodyLimit>, from = origin()) =>
  withBody(from, async () => 'read').catch(({ code, status, retryAfterSeconds }) => [code, status, retryAfterSeconds])
const refusal = ['unavailable', 503, 5]

test('one body more than the limit is refused, and a place is free again after each end', async () => {
  const withBody = createBodyLimit(placesFor(2))
  const first = occupy(withBody, origin())
  const second = occupy(withBody, origin())
  expect(await read(withBody)).toEqual(refusal)
  expect(await first.end()).toEqual(['whole'])
  expect(await read(withBody)).toBe('read')
  await second.end()
  const failed = withBody(origin(), () => Promise.reject(new Error('broken off')))
  await expect(failed).rejects.toThrow('broken off')
  const both = occupy(withBody, origin(), origin())
  expect(await read(withBody)).toEqual(refusal)
  expect(await both.end()).toEqual(['whole', 'whole'])
})

test('the bodies for one organization take half of the memory, from any number of clients', async () => {
  const withBody = createBodyLimit(placesFor(4))
  const of = (organization: string, client: string) => ({ ...origin(client), organization })
  const open = occupy(withBody, of('a', '192.0.2.1'), of('a', '192.0.2.2'))
  expect(await read(withBody, of('a', '192.0.2.3'))).toEqual(refusal)
  expect(await read(withBody, of('b', '192.0.2.3'))).toBe('read')
  expect(await read(withBody, origin('192.0.2.4'))).toBe('read')
  await open.end()
  expect(await read(withBody, of('a', '192.0.2.3'))).toBe('read')
})

test.each([
  { what: 'a short body takes its length', bytes: MIB / 4, fit: 8 },
  { what: 'a body takes 192 KiB at least', bytes: 1, fit: 10 },
  { what: 'a body takes no more than its buffers', bytes: 99 * MIB, fit: 2 },
  { what: 'a chunked body takes its buffers', bytes: null, fit: 2 },
])('$what', async ({ bytes, fit }) => {
  const withBody = createBodyLimit(placesFor(2))
  const open = occupy(withBody, ...Array.from({ length: fit }, () => ({ ...origin(), bytes })))
  expect(await read(withBody, { ...origin(), bytes })).toEqual(refusal)
  expect(await open.end()).toHaveLength(fit)
  expect(await read(withBody, { ...origin(), bytes })).toBe('read')
})

test('an upload address has two bodies at once; others wait, and begin in order', async () => {
  const withBody = createBodyLimit(placesFor(10))
  const one = origin(null, '/upload/track/one')
  const order: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const bodies = ends.map(({ promise }, number) =>
    withBody(one, async () => {
      order.push(number)
      await promise
    }),
  )
  expect(await read(withBody)).toBe('read')
  expect(order).toEqual([0, 1])
  for (const [number, { resolve }] of ends.entries()) {
    resolve()
    await bodies[number]
  }
  expect(order).toEqual([0, 1, 2, 3, 4])
  expect(await read(withBody, one)).toBe('read')
})

test('a body that fails lets the next one of its address begin', async () => {
  const withBody = createBodyLimit(placesFor(10))
  const one = origin(null, '/upload/track/failing')
  const fail = () => withBody(one, () => Promise.reject(new Error('broken off'))).catch(() => 'failed')
  const all: unknown[] = await Promise.all([fail(), fail(), fail(), fail(), read(withBody, one)])
  expect(all).toEqual([...Array(4).fill('failed'), 'read'])
})

test('one client has three quarters of the memory', async () => {
  const withBody = createBodyLimit(placesFor(4))
  const most = occupy(withBody, origin(CLIENT), origin(CLIENT), origin(CLIENT))
  expect(await read(withBody, origin(CLIENT))).toEqual(refusal)
  expect(await read(withBody, origin('192.0.2.2'))).toBe('read')
  await most.end()
  expect(await read(withBody, origin(CLIENT))).toBe('read')
})

folderTest('an edge counts clients by the address that its proxy names, and networks of IPv6 as one', async () => {
  const edge = createEdge(service.services, placesFor(2))
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        controller.enqueue(new Uint8Array(1))
        begun.resolve()
        await finish.promise
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const foreign = await createForeign(service)
  // Of another organization, whose share is not that of the first body.
  const send = async (forwarded: string, content: BodyInit, key = foreign.key, collection = foreign.collectionId) => {
    const fields = { collection_id: collection, file_name: 'a.wav' }
    const { json } = await service.v1('POST', '/track', { body: fields, key })
    const headers = { 'x-forwarded-for': forwarded }
    const request = new Request(json.track_upload.upload_url, { method: 'PUT', body: content, headers })
    return edge(request, { peer: () => '127.0.0.1' })
  }
  const first = send('2001:db8::1', body, service.demo.api_key, service.demo.collection_id)
  await begun.promise
  const refused = await send('2001:db8::2', 'x')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await send('2001:db8:1::1', 'x')).status).toBe(200)
  finish.resolve()
  expect((await first).status).toBe(200)
  expect((await send('2001:db8::2', 'x')).status).toBe(200)
})

test('notifications of a bucket, which come from one client to one path, have no share', async () => {
  const edge = createEdge(service.services, placesFor(3))
  const headers = { authorization: `Bearer ${service.services.signing.notificationToken}` }
  const notify = () =>
    edge(new Request('http://edge.test/upload/notification', { method: 'POST', body: '{}', headers }), {
      peer: () => CLIENT,
    })
  const answers = await Promise.all([notify(), notify(), notify()])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})

folderTest('a client that closes its connection receives the refusal of a body that it is still sending', async () => {
  const server = listen(service)
  try {
    const fields = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
    const { json } = await service.v1('POST', '/track', { body: fields })
    expect((await fetch(server.at(json.track_upload.upload_url), { method: 'PUT', body: 'x' })).status).toBe(200)
    const bytes = 16 * MIB
    const head = `PUT ${target(json.track_upload.upload_url)} HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n`
    const socket = await open(server.port)
    const sent = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const received: Buffer[] = []
    socket.on('error', () => sent.resolve())
    socket.on('close', () => closed.resolve())
    socket.write(`${head}Content-Length: ${bytes}\r\n\r\n`)
    // Reads after it has sent everything, as many clients do.
    socket.write(new Uint8Array(bytes), () => sent.resolve())
    await sent.promise
    socket.on('data', (chunk) => received.push(chunk))
    await closed.promise
    const [answer, body = ''] = Buffer.concat(received).toString().split('\r\n\r\n')
    expect(answer).toStartWith('HTTP/1.1 409')
    // In one chunk: Bun sends no length with a streamed answer.
    expect(JSON.parse(body.split('\r\n')[1] ?? '').code).toBe('upload_completed')
  } finally {
    server.stop()
  }
})
