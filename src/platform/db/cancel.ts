import { createConnection, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

const CANCEL_REQUEST = 80_877_102
const SSL_REQUEST = 80_877_103
const TIMEOUT_MS = 5_000

export interface CancelRequest {
  /** A host, or the folder of a socket of the file system. */
  host: string
  port: number
  /** Settings of TLS, or whether the session uses it. */
  tls: boolean | ConnectionOptions
  /** As the server sent them at the start of the session. */
  processID: number
  secretKey: number
}

/**
 * Sends the protocol's CancelRequest on a connection of its own, encrypted if the session is: a proxy that accepts only
 * TLS drops it otherwise. Resolves when the server has closed the connection, or after five seconds.
 */
export async function sendCancelRequest({ host, port, tls, processID, secretKey }: CancelRequest): Promise<void> {
  const socket = createConnection(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  const closed = untilClosed(socket)
  socket.on('connect', () => {
    if (!tls) send(socket, [16, CANCEL_REQUEST, processID, secretKey])
    else send(socket, [8, SSL_REQUEST])
  })
  socket.once('data', (answer) => {
    // `S`: the server continues with the handshake.
    if (!tls || answer[0] !== 0x53) return socket.destroy()
    const settings = typeof tls === 'object' ? tls : {}
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const secured = connectTls({ host, ...servername, ...settings, socket })
    secured.on('secureConnect', () => send(secured, [16, CANCEL_REQUEST, processID, secretKey]))
    secured.on('error', () => socket.destroy())
    secured.on('close', () => socket.destroy())
    secured.resume()
  })
  await closed
}

function untilClosed(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy())
  socket.on('error', () => {})
  socket.on('close', () => resolve())
  return promise
}

function send(socket: Pick<Socket, 'write'>, integers: readonly number[]): void {
  const message = Buffer.alloc(4 * integers.length)
  for (const [place, value] of integers.entries()) message.writeInt32BE(value, 4 * place)
  socket.write(message)
}
