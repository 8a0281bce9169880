import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { cleanUp, createPlace, type ServiceProcess, startProcess } from '../faults/process.ts'
import type { Figure } from './main.ts'

const MIB = 1 << 20
const COVER_BYTES = 19 * MIB
const COUNT = 200
const PIECE_BYTES = 64 << 10
const SAMPLE_MS = 20

/** 200 covers of 19 MB at once, as forms: the memory of the service. */
export async function benchCovers(): Promise<Figure[]> {
  const place = await createPlace({ WORKERS: '1' })
  try {
    const service = await startProcess(place)
    const addresses: string[] = []
    for (let number = 0; number < COUNT; number++) {
      addresses.push((await service.v1('POST', '/collection', { title: 'C' })).json.collection_cover_upload.upload_url)
    }
    const before = await memoryOf(service, 'VmRSS')
    let peak = before
    const sampling = setInterval(async () => {
      peak = Math.max(peak, await memoryOf(service, 'VmRSS'))
    }, SAMPLE_MS)
    const statuses = await Promise.all(addresses.map(post))
    clearInterval(sampling)
    const counts = Object.entries(Object.groupBy(statuses, String)).map(([status, all]) => `${all?.length} x ${status}`)
    console.log(`covers: ${counts.join(', ')}; memory ${before / MIB} -> ${peak / MIB} MiB`)
    const growth = (peak - before) / MIB
    return [
      {
        what: `${COUNT} covers of 19 MB at once: memory growth`,
        measured: `${growth.toFixed(0)} MiB`,
        goal: '< 512 MiB',
        isMet: growth < 512,
      },
    ]
  } finally {
    await cleanUp(place)
  }
}

const piece = randomBytes(PIECE_BYTES)
const HEAD =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.gif"\r\nContent-Type: image/gif\r\n\r\nGIF89a'
const TAIL = '\r\n--b--\r\n'

/** Sends one form piece by piece, so that all of them run at the same time. */
function post(address: string): Promise<number> {
  const { hostname, port, pathname, search } = new URL(address)
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('data', (answer) => resolve(Number(answer.toString('latin1').split(' ')[1])))
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('closed without an answer')))
  async function send() {
    const length = HEAD.length + COVER_BYTES + TAIL.length
    socket.write(
      `POST ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
        `Content-Length: ${length}\r\nConnection: close\r\n\r\n${HEAD}`,
    )
    for (let sent = 0; sent < COVER_BYTES && !socket.destroyed; sent += PIECE_BYTES) {
      if (!socket.write(piece)) await new Promise<void>((next) => socket.once('drain', next))
      else await new Promise<void>((next) => setImmediate(next))
    }
    socket.write(TAIL)
  }
  send().catch(reject)
  return promise.catch(() => 0).finally(() => socket.destroy())
}

async function memoryOf({ pid }: ServiceProcess, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
}
