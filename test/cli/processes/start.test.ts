// A whole service of several processes (operating.md, WEB_CONCURRENCY).
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  cleanUp,
  createPlace,
  isAlive,
  type Place,
  runMain,
  type ServiceProcess,
  startProcess,
} from '../../faults/process.ts'
import { cloneDatabase } from '../../support/postgres.ts'
import { SECRET } from '../../support/service.ts'
import { until } from '../../support/until.ts'

let place: Place
let service: ServiceProcess
beforeAll(async () => {
  place = await createPlace({ DATABASE_URL: await cloneDatabase(), SECRET, DEMO: 'empty', WEB_CONCURRENCY: '2' })
  service = await startProcess(place)
  await untilAllStarted()
}, 60_000)
const places: Place[] = []
afterAll(() => cleanUp(place, ...places))

/** Process ids of the latest processes, by name. */
async function pids(): Promise<Record<string, number>> {
  const lines = (await service.output()).matchAll(/^\{.*"process started".*$/gm)
  return Object.fromEntries([...lines].map(([line]) => [JSON.parse(line).process, JSON.parse(line).pid]))
}

/** The service is ready as soon as one of its processes is. */
const untilAllStarted = () =>
  until('all processes to start', 20_000, async () => Object.keys(await pids()).length === 3)

/** One request on a connection of its own. */
const request = (path: string) => fetch(service.url + path, { keepalive: false })

/** Value of a metric of each process that has it. */
async function metric(name: string): Promise<Record<string, number>> {
  const samples = (await (await request('/metrics')).text()).matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))
  return Object.fromEntries(
    [...samples].map(([, labels = '', value]) => [/process="([^"]+)"/.exec(labels)?.[1], Number(value)]),
  )
}

test('requests are answered by both processes, and any of them returns the metrics of all', async () => {
  for (let i = 0; i < 40; i++) expect((await request('/v1/none')).status).toBe(404)
  const answered = await metric('tonearm_http_requests_total')
  expect(Object.keys(answered)).toEqual(['web-1', 'web-2'])
  expect((answered['web-1'] ?? 0) + (answered['web-2'] ?? 0)).toBe(40)
  const started = await metric('process_start_time_seconds')
  expect(Object.keys(started)).toEqual(['web-1', 'web-2', 'worker', 'supervisor'])
})

test.each(['1', '2'])('another service with %s processes on the same port stops with one sentence', async (count) => {
  const { PORT } = place.env
  const other = await createPlace({ ...place.env, WEB_CONCURRENCY: count, PORT: PORT ?? '' })
  places.push(other)
  other.env.EDGE_PORT = String(Number(PORT) + 1)
  const { exitCode, stdout, stderr } = await runMain(other)
  expect([exitCode, stderr]).toEqual([1, `PORT: 127.0.0.1:${PORT} is in use by another process\n`])
  expect(stdout).not.toContain('Tonearm is running')
})

test('while a killed process is replaced, no request fails but the one in flight', async () => {
  const before = await pids()
  process.kill(before['web-1'] ?? 0, 'SIGKILL')
  let failed = 0
  await until('another process in its place', 20_000, async () => {
    const answer = await request('/health/live').catch(() => null)
    if (!answer?.ok) failed += 1
    return (await pids())['web-1'] !== before['web-1']
  })
  expect(failed).toBeLessThanOrEqual(1)
  expect(await pids()).toMatchObject({ 'web-2': before['web-2'], worker: before.worker })
  expect(Object.keys(await metric('process_start_time_seconds'))).toHaveLength(4)
})

test('SIGTERM ends all processes with status 0, SIGKILL leaves none', async () => {
  const first = Object.values(await pids())
  expect(first.map(isAlive)).toEqual([true, true, true])
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  expect(first.map(isAlive)).toEqual([false, false, false])
  service = await startProcess(place)
  await untilAllStarted()
  const second = Object.values(await pids())
  service.kill('SIGKILL')
  await service.exited
  await until('all processes to end', 10_000, () => !second.some(isAlive))
})
