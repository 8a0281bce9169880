import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { tone } from '../support/audio.ts'
import { until } from '../support/until.ts'
import {
  cleanUp,
  createPlace,
  createTrack,
  type Place,
  type ServiceProcess,
  startProcess,
  untilStatus,
  uploadTo,
} from './process.ts'

setDefaultTimeout(120_000)

let folder: string
let postgres: EmbeddedPostgres
let door: Server
let doorPort: number
let place: Place
let service: ServiceProcess

/** PostgreSQL takes another port at each start: the service sees one address, open while the database is there. */
async function openDatabase(): Promise<void> {
  postgres = await startEmbeddedPostgres(join(folder, 'postgres'))
  const target = Number(new URL(postgres.url).port)
  door = createServer((client) => {
    const server = createConnection(target, '127.0.0.1')
    client.pipe(server).pipe(client)
    client.on('error', () => server.destroy())
    server.on('error', () => client.destroy())
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  door.listen(doorPort, '127.0.0.1', resolve)
  await promise
}

async function closeDatabase(): Promise<void> {
  door.close()
  await postgres.stop()
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-away-'))
  doorPort = await freePort()
  await openDatabase()
  const url = new URL(postgres.url)
  url.port = String(doorPort)
  place = await createPlace({
    DATABASE_URL: url.toString(),
    SECRET: 'a-root-secret-for-tests-of-40-characters',
    DEMO: 'on',
    DELIVERY_URL: 'http://{org_domain}',
  })
  service = await startProcess(place)
})
afterAll(async () => {
  await cleanUp(place)
  await closeDatabase()
  await rm(folder, { recursive: true, force: true })
})

test('while the database is away the service says so, stays alive, and recovers', async () => {
  const id = await uploadTo(service, await tone(2))
  await untilStatus(service, id, ['ready'])
  const { uploadUrl } = await createTrack(service)
  const stream = `/stream/${id}/${service.credentials.share_key}`
  const { location = '' } = Object.fromEntries((await service.v1('GET', stream)).headers)

  await closeDatabase()
  let reasons: string[] = []
  await until('the service not to be ready', 15_000, async () => {
    const ready = await fetch(`${service.url}/health/ready`)
    reasons = ((await ready.json()) as { reasons: string[] }).reasons
    return ready.status === 503
  })
  expect(reasons.join()).toMatch(/^database: /)
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200)

  for (const [method, path] of [
    ['GET', `/track/${id}`],
    ['POST', '/creator'],
  ] as const) {
    const { status, headers, json } = await service.v1(method, path, method === 'POST' ? { title: 'x' } : undefined)
    expect(status).toBe(503)
    expect(json.code).toBe('unavailable')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  for (const answer of [
    await service.v1('GET', stream),
    await fetch(location),
    await fetch(uploadUrl, { method: 'PUT', body: 'x' }),
  ]) {
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(answer.headers.get('cache-control') ?? 'no-store').toBe('no-store')
  }

  await openDatabase()
  await until('the service to be ready', 30_000, async () => (await fetch(`${service.url}/health/ready`)).ok)
  expect((await service.v1('GET', stream)).status).toBe(302)
  expect((await fetch(location)).status).toBe(200)
  const next = await uploadTo(service, await tone(2))
  await untilStatus(service, next, ['ready'], 60_000)
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})
