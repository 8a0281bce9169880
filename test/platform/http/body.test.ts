import { afterAll, beforeAll, expect, test } from 'bun:test'
import { errorResponse, readText } from '../../../src/platform/http/rest.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { open } from '../../support/wire.ts'

const service = useTestService()
let server: Bun.Server<undefined>
/** Errors of requests. */
const thrown: unknown[] = []
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      try {
        return new Response(await readText(request, 0.5))
      } catch (error) {
        thrown.push(error)
        return errorResponse(error, { accept: null, requestId: 'r', log: service.services.log })
      }
    },
  })
})
afterAll(() => server?.stop(true))

const lengths: [what: string, header: string, part: string][] = [
  ['a declared length', 'Content-Length: 10', '1'],
  ['chunks', 'Transfer-Encoding: chunked', '1\r\n1\r\n'],
]
test.each(lengths)(
  'a body with %s that does not arrive is refused, and its connection closed',
  async (_, header, part) => {
    const socket = await open(server.port ?? 0)
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(`POST / HTTP/1.1\r\nHost: edge.test\r\n${header}\r\n\r\n${part}`)
    await closed
    const answer = Buffer.concat(received).toString()
    expect(answer).toStartWith('HTTP/1.1 400')
    expect(answer).toContain('body: must arrive within 0.5 seconds')
  },
)

test.each(lengths)('a client with %s that disconnects is no failure of the service', async (_, header, part) => {
  thrown.length = 0
  const socket = await open(server.port ?? 0)
  socket.write(`POST / HTTP/1.1\r\nHost: edge.test\r\n${header}\r\n\r\n${part}`, () => socket.destroy())
  await until('the error', 20_000, () => thrown.length > 0)
  expect(thrown).toMatchObject([{ code: 'invalid_input', message: 'body: the client has disconnected' }])
})

test('a body in time is read', async () => {
  const answer = await fetch(`http://127.0.0.1:${server.port}`, { method: 'POST', body: 'in time' })
  expect(await answer.text()).toBe('in time')
})
