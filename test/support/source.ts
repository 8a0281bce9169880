import { createServer, type Socket } from 'node:net'

/** A reaction of a source to a request: its head as it came, and the number of earlier requests. */
export type Answer = (socket: Socket, head: string, count: number) => void

/** A server of recordings whose answers a test decides, byte by byte. */
export async function startSource(answers: Record<string, Answer>) {
  const requests: string[] = []
  const open = new Set<Socket>()
  const counts = new Map<string, number>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    socket.once('data', (data) => {
      const head = data.toString('latin1')
      const name = /^\w+ \/([^ ?]*)/.exec(head)?.[1] ?? ''
      const count = counts.get(name) ?? 0
      counts.set(name, count + 1)
      requests.push(head)
      answers[name]?.(socket, head, count)
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const { port } = server.address() as { port: number }
  return {
    requests,
    host: `127.0.0.1:${port}`,
    at: (path: string) => `http://127.0.0.1:${port}/${path}`,
    /** Open connections. */
    openCount: () => open.size,
    stop: () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

/** The head of an answer. */
export const headOf = (status: string, headers: Record<string, string | number> = {}) =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
