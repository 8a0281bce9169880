import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { startApart } from './edge-process.ts'
import type { Figure } from './main.ts'
import { memoryOf } from './upload.ts'

const MIB = 1 << 20
const COUNT = 1000
const BYTES = 5 * MIB
const PIECE_BYTES = 64 << 10
/** Of the slow senders. */
const SLOW_BYTES_PER_SECOND = 1 << 20
const SAMPLE_MS = 20
/** Addresses of clients: one gets half of the places. */
const CLIENTS = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
/** Creations of tracks at once. */
const PARALLEL = 20
const MAX_MIB = 400

/** 1,000 recordings of 5 MiB at once, fast and slow: the memory of a process that is only an edge, and the answers. */
export async function benchPuts(): Promise<Figure[]> {
  const { gateway, edgePid, stop } = await startApart()
  try {
    const rows: Figure[] = []
    for (const [what, rate] of [
      ['fast', Number.POSITIVE_INFINITY],
      ['slow', SLOW_BYTES_PER_SECOND],
    ] as const) {
      const addresses = await inParallel(COUNT, async () => {
        const body = { collection_id: gateway.credentials.collection_id, file_name: 'a.mp3' }
        return (await gateway.v1('POST', '/track', body)).json.track_upload.upload_url as string
      })
      let peak = 0
      const sampling = setInterval(async () => {
        peak = Math.max(peak, await memoryOf(edgePid))
      }, SAMPLE_MS)
      const began = performance.now()
      const tries = await Promise.all(
        addresses.map((address, at) => putUntilAccepted(address, rate, CLIENTS[at % CLIENTS.length] ?? '')),
      )
      const seconds = (performance.now() - began) / 1000
      clearInterval(sampling)
      const refusals = tries.flat().filter((status) => status === 503).length
      const others = tries.flat().filter((status) => status !== 503 && status !== 200)
      console.log(
        `puts, ${what}: ${seconds.toFixed(1)} s, ${refusals} x 503, other answers: ${others.length > 0 ? others.slice(0, 9).join(' ') : 'none'}; ` +
          `memory at most ${Math.round(peak / MIB)} MiB`,
      )
      rows.push({
        what: `${COUNT} ${what} PUTs of 5 MiB at once: memory of the edge`,
        measured: `${Math.round(peak / MIB)} MiB`,
        goal: `< ${MAX_MIB} MiB, all 200 or 503`,
        isMet: peak < MAX_MIB * MIB && others.length === 0,
      })
    }
    return rows
  } finally {
    await stop()
  }
}

async function inParallel<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let begun = 0
  const worker = async () => {
    while (begun++ < count) results.push(await run())
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  return results
}

/** Sends a recording again after each 503, as a client does. @returns the statuses */
async function putUntilAccepted(address: string, bytesPerSecond: number, client: string): Promise<number[]> {
  const statuses: number[] = []
  for (;;) {
    const { status, retryAfter } = await put(address, bytesPerSecond, client)
    statuses.push(status)
    if (status !== 503 || retryAfter === 0) return statuses
    await Bun.sleep(1000 * retryAfter * (1 + Math.random()))
  }
}

const piece = randomBytes(PIECE_BYTES)

/** Sends one recording piece by piece, so that all of them run at the same time. Status 0: closed without an answer. */
async function put(
  address: string,
  bytesPerSecond: number,
  client: string,
): Promise<{ status: number; retryAfter: number }> {
  const { hostname, port, pathname, search } = new URL(address)
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: client })
  socket.on('data', (answer) => resolve(answer.toString('latin1')))
  socket.on('error', () => resolve(''))
  socket.on('close', () => resolve(''))
  async function send() {
    const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${BYTES}\r\n\r\n`
    socket.write(head)
    const began = performance.now()
    for (let sent = 0; sent < BYTES && !socket.destroyed; sent += PIECE_BYTES) {
      const wait = (1000 * sent) / bytesPerSecond - (performance.now() - began)
      if (wait > 0) await Bun.sleep(wait)
      if (socket.write(piece)) await new Promise<void>((next) => setImmediate(next))
      else {
        const { promise: drained, resolve: next } = Promise.withResolvers<void>()
        socket.once('drain', next)
        socket.once('close', next)
        await drained
      }
    }
  }
  send().catch(() => resolve(''))
  const answer = await promise
  socket.destroy()
  return {
    status: Number(answer.split(' ')[1] ?? 0),
    retryAfter: Number(/^retry-after: (\d+)/im.exec(answer)?.[1] ?? 0),
  }
}
