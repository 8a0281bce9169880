import { expect, test } from 'bun:test'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { createBodyLimit } from '../../../src/roles/edge/bodies.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService({ TRUSTED_PROXIES: '1' })
const CLIENT = '192.0.2.1'
let addresses = 0
const origin = (client: string | null = null, address: string | null = `/upload/track/${++addresses}`) => ({
  client,
  address,
})

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
  const withBody = createBodyLimit(2)
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

test('an upload address has two bodies at once', async () => {
  const withBody = createBodyLimit(10)
  const one = origin(null, '/upload/track/one')
  const both = occupy(withBody, one, one)
  expect(await read(withBody, one)).toEqual(refusal)
  expect(await read(withBody)).toBe('read')
  await both.end()
  expect(await read(withBody, one)).toBe('read')
})

test('one client has half of the places', async () => {
  const withBody = createBodyLimit(4)
  const half = occupy(withBody, origin(CLIENT), origin(CLIENT))
  expect(await read(withBody, origin(CLIENT))).toEqual(refusal)
  expect(await read(withBody, origin('192.0.2.2'))).toBe('read')
  await half.end()
  expect(await read(withBody, origin(CLIENT))).toBe('read')
})

test('an edge counts clients by the address that its proxy names, and networks of IPv6 as one', async () => {
  const edge = createEdge(service.services, 2)
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
  const send = async (forwarded: string, content: BodyInit) => {
    const fields = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
    const { json } = await service.v1('POST', '/track', { body: fields })
    const headers = { 'x-forwarded-for': forwarded }
    const request = new Request(json.track_upload.upload_url, { method: 'PUT', body: content, headers })
    return edge(request, { peer: () => '127.0.0.1' })
  }
  const first = send('2001:db8::1', body)
  await begun.promise
  const refused = await send('2001:db8::2', 'x')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await send('2001:db8:1::1', 'x')).status).toBe(200)
  finish.resolve()
  expect((await first).status).toBe(200)
  expect((await send('2001:db8::2', 'x')).status).toBe(200)
})

test('notifications of a bucket, which come from one client to one path, have no share', async () => {
  const edge = createEdge(service.services, 3)
  const headers = { authorization: `Bearer ${service.services.signing.notificationToken}` }
  const notify = () =>
    edge(new Request('http://edge.test/upload/notification', { method: 'POST', body: '{}', headers }), {
      peer: () => CLIENT,
    })
  const answers = await Promise.all([notify(), notify(), notify()])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})
