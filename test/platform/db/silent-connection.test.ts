// Connections that are lost without a word: a host that is gone, or a firewall that drops a flow.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import { openPool } from '../../../src/platform/db/client.ts'
import { toAppError } from '../../../src/platform/errors.ts'
import { createLog } from '../../../src/platform/log.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
/** Connections of clients, whose bytes are passed on until they are silent. */
const passed = new Set<Socket>()
const silent = new Set<Socket>()
const proxy = createServer((client) => {
  const { hostname, port } = new URL(service.services.pool.options.connectionString ?? '')
  const server = connect({ host: hostname, port: Number(port) })
  passed.add(client)
  client.on('data', (bytes) => silent.has(client) || server.write(bytes))
  server.on('data', (bytes) => silent.has(client) || client.write(bytes))
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('error', () => {})
    one.on('close', () => other.destroy())
  }
  client.on('close', () => passed.delete(client))
})
beforeAll(() => new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  for (const client of passed) client.destroy()
  proxy.close()
})

test.each(['SELECT 1 AS one', { text: 'SELECT 1 AS one', name: 'one' }])(
  'a statement without an answer fails after its time, and the next one has another connection: %j',
  async (statement) => {
    const url = new URL(service.services.pool.options.connectionString ?? '')
    url.port = String((proxy.address() as { port: number }).port)
    const { pool, close } = openPool(url.href, createLog('silent', 'json'), { max: 1, statementTimeoutMs: 100 })
    try {
      const ask = () => pool.query(statement)
      expect((await ask()).rows).toEqual([{ one: 1 }])
      for (const client of passed) silent.add(client)
      const failed = await ask().catch((error: unknown) => toAppError(error))
      expect(failed).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
      expect((await ask()).rows).toEqual([{ one: 1 }])
    } finally {
      await close()
    }
  },
)
