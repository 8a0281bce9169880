import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { sendCancelRequest } from '../../../src/platform/db/cancel.ts'
import { certificate } from '../../support/certificate.ts'

const KEY = { processID: 7, secretKey: -9 }
const CANCEL = [16, 80_877_102, 7, -9]
const integersOf = (bytes: Buffer) =>
  Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readInt32BE(4 * place))

/** A server that closes a connection after its second message. @returns the messages of one connection */
async function receive(accept: (socket: Socket, seen: (bytes: Buffer) => void) => void, tls: boolean | object) {
  const messages: number[][] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    accept(socket, (bytes) => messages.push(integersOf(bytes)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await sendCancelRequest({ host: '127.0.0.1', port, tls: tls as boolean, ...KEY })
  server.close()
  return messages
}

test('is sent in plain text for a session without TLS', async () => {
  const messages = await receive((socket, seen) => {
    socket.once('data', (bytes) => {
      seen(bytes as Buffer)
      socket.end()
    })
  }, false)
  expect(messages).toEqual([CANCEL])
})

test('is encrypted for a session with TLS', async () => {
  const messages = await receive(
    (socket, seen) => {
      socket.once('data', (bytes) => {
        seen(bytes as Buffer)
        const secured = new TLSSocket(socket, { isServer: true, ...certificate })
        secured.on('error', () => {})
        secured.once('data', (request: Buffer) => {
          seen(request)
          secured.end()
        })
        socket.write('S')
      })
    },
    { rejectUnauthorized: false },
  )
  expect(messages).toEqual([[8, 80_877_103], CANCEL])
})

test('is not sent at all when the server refuses TLS', async () => {
  const messages = await receive((socket, seen) => {
    socket.on('data', (bytes) => {
      seen(bytes as Buffer)
      socket.write('N')
    })
  }, true)
  expect(messages).toEqual([[8, 80_877_103]])
})
