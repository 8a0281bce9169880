import { createServer } from 'node:net'

/** Below the ports that Linux gives to outgoing connections: one of these must not take the port of a service that restarts. */
const [FIRST, LAST] = [12_000, 32_000]
/** Test processes that run at once have numbers from 1 and each its own part of the ports. Two would otherwise choose the same free port. */
const PART = 1250
const parts = (LAST - FIRST) / PART
const partStart = FIRST + (Number(process.env.BUN_TEST_WORKER_ID ?? 0) % parts) * PART
/** Not 1: the port after the first one of a service is the default of the second. */
const STEP = 7
/** Two runs of the suite at once begin at different places. */
let offset = Math.floor(Math.random() * PART)

/** Returns a free loopback port for a program that is stopped and started again. No two calls return the same port, until all of a part were used. */
export async function lastingPort(): Promise<number> {
  for (let tries = 0; tries < PART; tries++) {
    offset = (offset + STEP) % PART
    if (await isFree(partStart + offset)) return partStart + offset
  }
  throw new Error(`no port from ${partStart} to ${partStart + PART - 1} is free`)
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}
