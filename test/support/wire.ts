import { connect, type Socket } from 'node:net'
import { listen as listenOn, SLACK_BYTES } from '../../src/cli/listen.ts'
import type { RestLimits } from '../../src/platform/http/unread-body.ts'
import { edgeRoutes } from '../../src/roles/edge/app.ts'
import type { TestService } from './service.ts'

/** The edge on a port of its own, as the process listens. @param limits of bodies of refused requests */
export function listen(service: TestService, limits?: RestLimits) {
  const server = listenOn({
    port: 0,
    hostname: '127.0.0.1',
    setting: 'EDGE_PORT',
    restLimits: limits,
    maxRequestBodySize: service.services.config.maxUploadBytes + SLACK_BYTES,
    ...edgeRoutes(service.edge),
  })
  const port = server.port ?? 0
  return {
    port,
    /** An address of the edge, on this port. */
    at: (address: string) => {
      const { pathname, search } = new URL(address, 'http://edge.test')
      return `http://127.0.0.1:${port}${pathname}${search}`
    },
    stop: () => server.stop(true),
  }
}

/** An answer as it came over the wire: nothing that a client's library adds or leaves out. */
export interface WireAnswer {
  status: number
  headers: Headers
  body: Buffer
}

export function open(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect(port, '127.0.0.1', () => resolve(socket))
  socket.on('error', reject)
  return promise
}

/** Path and query of an address, for a request line. */
export function target(address: string): string {
  const { pathname, search } = new URL(address, 'http://edge.test')
  return pathname + search
}

/**
 * Sends bytes as they are and reads until the other side closes; ask for `Connection: close`.
 * @param parts sent one after the other
 */
export async function exchange(port: number, ...parts: (string | Uint8Array)[]): Promise<WireAnswer> {
  const socket = await open(port)
  const { promise, resolve } = Promise.withResolvers<void>()
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk))
  socket.on('close', () => resolve())
  for (const part of parts) socket.write(part)
  await promise
  return toAnswer(Buffer.concat(received))
}

function toAnswer(bytes: Buffer): WireAnswer {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n')
  const headers = new Headers()
  for (const line of lines) headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())
  return { status: Number(first.split(' ')[1]), headers, body: bytes.subarray(end + 4) }
}
