import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { tone } from '../support/audio.ts'
import { until } from '../support/until.ts'
import { longNoise } from './noise.ts'
import {
  cleanUp,
  createPlace,
  createTrack,
  isAlive,
  type Place,
  postgresPid,
  processesOn,
  type ServiceProcess,
  startProcess,
  untilStatus,
  uploadTo,
} from './process.ts'

setDefaultTimeout(400_000)

let place: Place
let service: ServiceProcess
beforeAll(async () => {
  place = await createPlace()
  service = await startProcess(place)
})
afterAll(() => cleanUp(place))

/** Kills the service, checks that no process survives, and starts it again. */
async function crashAndRestart(): Promise<void> {
  const postgres = await postgresPid(place.env.DATA_DIR ?? '')
  expect(isAlive(postgres)).toBe(true)
  service.kill('SIGKILL')
  await service.exited
  await until('PostgreSQL to end', 30_000, async () => !isAlive(postgres))
  await until('ffmpeg to end', 60_000, async () => (await processesOn(place.folder)).length === 0)
  service = await startProcess(place)
  console.log(`ready ${Math.round(service.startMs)} ms after a crash`)
}

test('a service that is killed while it processes loses nothing', async () => {
  const before = await uploadTo(service, await tone(2))
  await untilStatus(service, before, ['ready'])
  const cutOff = await uploadTo(service, await longNoise(4))
  await untilStatus(service, cutOff, ['processing'])

  await crashAndRestart()
  const track = await untilStatus(service, cutOff, ['ready', 'incomplete', 'error', 'init_error'], 300_000)
  expect(track.track_status_id).toBe('ready')
  expect(track.duration).toBeCloseTo(240, -1)
  for (const id of [before, cutOff]) {
    const { files } = (await service.v1('GET', `/track/${id}`)).json
    expect(files.map((file: { is_success: boolean }) => file.is_success)).toEqual([true, true, true, true, true])
    const link = await service.v1('GET', `/stream/${id}/${service.credentials.share_key}`)
    expect(link.status).toBe(302)
    const sound = await fetch(link.headers.get('location') ?? '')
    expect((await sound.arrayBuffer()).byteLength).toBe(Number(sound.headers.get('content-length')))
  }
})

test('a service that is killed during an upload keeps nothing of it, and the address may be used again', async () => {
  const bytes = await tone(20)
  const { id, uploadUrl } = await createTrack(service)
  const incoming = join(place.env.DATA_DIR ?? '', 'storage/.incoming')
  const half = sendHalf(uploadUrl, bytes)
  await until('half of the bytes to arrive', 60_000, async () => (await readdir(incoming)).length > 0)

  await crashAndRestart()
  await half
  const { json } = await service.v1('GET', `/track/${id}`)
  expect(json.track.track_status_id).toBe('initialized')
  const put = await fetch(uploadUrl, { method: 'PUT', body: new Blob([bytes]) })
  expect(put.status).toBe(200)
  expect(put.headers.get('x-checksum-sha256')).toBe(createHash('sha256').update(bytes).digest('hex'))
  await untilStatus(service, id, ['ready'])
})

/** Announces all bytes, sends half of them, and keeps the connection open until the server closes it. */
async function sendHalf(address: string, bytes: Uint8Array): Promise<void> {
  const url = new URL(address)
  const { promise, resolve } = Promise.withResolvers<void>()
  const head = `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: ${bytes.length}\r\n\r\n`
  let remaining = Buffer.concat([Buffer.from(head), bytes.subarray(0, bytes.length / 2)])
  const write = (socket: Bun.Socket) => {
    remaining = remaining.subarray(socket.write(remaining))
  }
  const ended = { close: () => resolve(), error: () => resolve(), connectError: () => resolve() }
  await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(url.port),
    socket: { open: write, drain: write, data: () => {}, ...ended },
  })
  return promise
}
