import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { chmod, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { tone } from '../support/audio.ts'
import { type QueueEntry, readEntries } from '../support/queue.ts'
import { subscribe } from '../support/subscriber.ts'
import { FFMPEG } from '../support/tools.ts'
import { until } from '../support/until.ts'
import { longNoise } from './noise.ts'
import {
  cleanUp,
  createPlace,
  createTrack,
  isAlive,
  type Place,
  postgresPid,
  startProcess,
  untilStatus,
  uploadTo,
} from './process.ts'

setDefaultTimeout(180_000)

const places: Place[] = []
async function place(env?: Record<string, string>): Promise<Place> {
  const newPlace = await createPlace(env)
  places.push(newPlace)
  return newPlace
}
afterEach(() => cleanUp(...places.splice(0)))
afterAll(() => cleanUp(...places))

/** Replaces ffmpeg by a script that waits until `open` is called, so that a job is running for exactly that long. */
async function gateFfmpeg(ownPlace: Place) {
  const [script, gate] = [join(ownPlace.folder, 'ffmpeg.sh'), join(ownPlace.folder, 'gate')]
  await mkdir(gate)
  // The restricted view of the disk hides the gate. The script fails there, so that the service does not use the view.
  const isVisible = `[ -e '${gate}' ] || [ -e '${gate}.open' ] || exit 1`
  const wait = `[ "$1" = -version ] || while [ ! -e '${gate}.open' ]; do sleep 0.05; done`
  await Bun.write(script, `#!/bin/sh\n${isVisible}\n${wait}\nexec '${FFMPEG}' "$@"\n`)
  await chmod(script, 0o755)
  ownPlace.env.FFMPEG = script
  return { open: () => rename(gate, `${gate}.open`) }
}

test('SIGTERM lets a short job finish and ends with status 0', async () => {
  const ownPlace = await place()
  const gate = await gateFfmpeg(ownPlace)
  const first = await startProcess(ownPlace)
  const id = await uploadTo(first, await tone(1, 'mp3'))
  await untilStatus(first, id, ['processing'])
  const postgres = await postgresPid(ownPlace.env.DATA_DIR ?? '')
  first.kill('SIGTERM')
  await until('the service to stop', 10_000, async () => (await first.output()).includes('"stopping"'))
  await gate.open()
  expect(await first.exited).toBe(0)
  expect(isAlive(postgres)).toBe(false)
  const second = await startProcess(ownPlace)
  expect((await second.v1('GET', `/track/${id}`)).json.track.track_status_id).toBe('ready')
})

test('a signal that arrives twice at once, as Ctrl-C does through a wrapper, still stops in order', async () => {
  const service = await startProcess(await place())
  service.kill('SIGINT')
  service.kill('SIGINT')
  expect(await service.exited).toBe(0)
})

test('SIGTERM hands a long job to the next start at once, its attempt not spent', async () => {
  const ownPlace = await place({ WORKERS: '1' })
  const first = await startProcess(ownPlace)
  const id = await uploadTo(first, await longNoise(360))
  await untilStatus(first, id, ['processing'])
  const began = performance.now()
  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)
  const stopSeconds = (performance.now() - began) / 1000
  console.log(`stopped after ${stopSeconds.toFixed(1)} s with a job under way`)
  expect(stopSeconds).toBeLessThan(35)
  expect(await jobsOf(ownPlace)).toMatchObject([{ attempts: 0, lockedBy: null, isDue: true }])

  const second = await startProcess(ownPlace)
  const restarted = performance.now()
  await until(
    'the job to run',
    10_000,
    async () => (await second.output()).includes('"started"') && (await isRunning(ownPlace)),
  )
  console.log(`the job ran again ${Math.round(performance.now() - restarted)} ms after the next start`)
  expect((await second.v1('GET', `/track/${id}`)).json.track.track_status_id).toBe('processing')
})

test('SIGTERM lets a slow download finish, and takes no new requests', async () => {
  const ownPlace = await place()
  const service = await startProcess(ownPlace)
  const bytes = await tone(180)
  const id = await uploadTo(service, bytes)
  await untilStatus(service, id, ['ready'])
  const body = { title: 'Original', api_key_type_id: 'share', variants: ['original'] }
  const { json } = await service.v1('POST', '/api_key', body)
  const link = await service.v1('GET', `/stream/${id}/${json.api_key}`)
  const location = link.headers.get('location') ?? ''
  const download = Bun.spawn(['curl', '-s', '--limit-rate', '6M', '-o', join(ownPlace.folder, 'sound'), location], {
    stderr: 'inherit',
  })
  await until('the download to begin', 10_000, async () => Bun.file(join(ownPlace.folder, 'sound')).size > 0)
  service.kill('SIGTERM')
  await until('the door to close', 20_000, async () => !(await fetch(`${service.url}/health/live`).catch(() => null)))
  expect(download.exitCode).toBe(null)
  expect(await download.exited).toBe(0)
  expect(Buffer.compare(await Bun.file(join(ownPlace.folder, 'sound')).bytes(), bytes)).toBe(0)
  expect(await service.exited).toBe(0)
})

test('SIGTERM does not wait for subscribers; they reconnect and receive the end', async () => {
  const ownPlace = await place()
  const first = await startProcess(ownPlace)
  const { id, uploadUrl } = await createTrack(first)
  const { api_key: key, graphql_url: url } = first.credentials
  const client = subscribe(url, { key, variables: { trackId: id }, isPersistent: true })
  await client.change('the state of now', ({ status }) => status === 'INITIALIZED')
  expect((await fetch(uploadUrl, { method: 'PUT', body: new Blob([await tone(1)]) })).status).toBe(200)
  const began = performance.now()
  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)
  expect(performance.now() - began).toBeLessThan(15_000)
  await startProcess(ownPlace)
  await client.change('the end', ({ status }) => status === 'READY')
  client.leave()
})

/** The queue of a service that has stopped. */
async function jobsOf({ env }: Place): Promise<QueueEntry[]> {
  const postgres = await startEmbeddedPostgres(join(env.DATA_DIR ?? '', 'postgres'))
  try {
    return await readProcessing(postgres.url)
  } finally {
    await postgres.stop()
  }
}

/** Whether the service's worker has locked its job. */
async function isRunning({ env }: Place): Promise<boolean> {
  const folder = join(env.DATA_DIR ?? '', 'postgres')
  const [password, status] = [Bun.file(join(folder, 'password')), Bun.file(join(folder, 'cluster/postmaster.pid'))]
  const port = (await status.text()).split('\n')[3]
  const jobs = await readProcessing(`postgres://tonearm:${await password.text()}@127.0.0.1:${port}/tonearm`)
  return jobs.length === 1 && jobs[0]?.lockedBy !== null
}

async function readProcessing(connectionString: string): Promise<QueueEntry[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return await readEntries(client, { task: 'process_track' })
  } finally {
    await client.end()
  }
}
