import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { tone } from '../support/audio.ts'
import { until } from '../support/until.ts'
import { type FaultyDatabase, startDatabase } from './database.ts'
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

let database: FaultyDatabase
let place: Place
let service: ServiceProcess

beforeAll(async () => {
  database = await startDatabase()
  place = await createPlace({
    DATABASE_URL: database.url,
    SECRET: 'a-root-secret-for-tests-of-40-characters',
    DEMO: 'empty',
    DELIVERY_URL: 'http://{org_domain}',
  })
  service = await startProcess(place)
})
afterAll(async () => {
  await cleanUp(place)
  await database.stop()
})

test('while the database is away the service says so, stays alive, and recovers', async () => {
  const id = await uploadTo(service, await tone(2))
  await untilStatus(service, id, ['ready'])
  const { uploadUrl } = await createTrack(service)
  const stream = `/stream/${id}/${service.credentials.share_key}`
  const { location = '' } = Object.fromEntries((await service.v1('GET', stream)).headers)

  await database.close()
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

  await database.open()
  await until('the service to be ready', 30_000, async () => (await fetch(`${service.url}/health/ready`)).ok)
  expect((await service.v1('GET', stream)).status).toBe(302)
  expect((await fetch(location)).status).toBe(200)
  const next = await uploadTo(service, await tone(2))
  await untilStatus(service, next, ['ready'], 60_000)
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})
