import { createServer } from 'node:net'

/** Below the ports that Linux gives to outgoing connections: one of these must not take the port of a service that restarts. */
const [FIRST, LAST] = [12_000, 32_000]

/** Returns a free loopback port for a program that is stopped and started again. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}
