import { createConnection } from 'node:net'
import type { PoolClient } from 'pg'

const CANCEL_REQUEST = 80_877_102
const TIMEOUT_MS = 5_000

/** Fields of node-postgres that its types do not declare. */
interface Addressed {
  host: string
  port: number
  processID: number
  secretKey: number
}

/**
 * Asks the server to cancel the running statement of a connection, by the protocol's CancelRequest: a pooler forwards it
 * to the session that runs the statement, whose process id only the pooler has. Needs no connection of the pool. Not
 * encrypted, as in libpq: it contains nothing but the number that allows it. Never fails, because it may come too late
 * anyway.
 */
export function cancelStatement(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Addressed
  const { promise, resolve } = Promise.withResolvers<void>()
  const request = Buffer.alloc(16)
  for (const [place, value] of [16, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(value, 4 * place)
  const socket = createConnection(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy())
  socket.on('connect', () => socket.write(request))
  socket.on('data', () => {})
  socket.on('error', () => {})
  // The server closes the connection.
  socket.on('close', () => resolve())
  return promise
}
