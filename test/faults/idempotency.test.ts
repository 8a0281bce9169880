import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '../support/until.ts'
import { cleanUp, createPlace, isAlive, type Place, postgresPid, type ServiceProcess, startProcess } from './process.ts'

setDefaultTimeout(400_000)

const CLIENTS = 12
const KILLS = 5
/** How long clients send requests to a service before it is killed. */
const SERVING_MS = 1000

let place: Place
let service: ServiceProcess
beforeAll(async () => {
  place = await createPlace()
  service = await startProcess(place)
})
afterAll(() => cleanUp(place))

test('clients that repeat until they are answered create one record per key, however often the service is killed', async () => {
  const titles: string[] = []
  let isOver = false
  const createCollections = async () => {
    while (!isOver) {
      const title = crypto.randomUUID()
      titles.push(title)
      while (!(await createCollection(title)));
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, createCollections))
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(SERVING_MS)
    const postgres = await postgresPid(place.env.DATA_DIR ?? '')
    service.kill('SIGKILL')
    await service.exited
    await until('PostgreSQL to end', 60_000, async () => !isAlive(postgres))
    service = await startProcess(place)
  }
  isOver = true
  await clients

  expect(titles.length).toBeGreaterThan(CLIENTS * KILLS)
  const titleCounts = new Map<string, number>()
  for (const title of await listTitles()) titleCounts.set(title, (titleCounts.get(title) ?? 0) + 1)
  expect(titles.filter((title) => titleCounts.get(title) !== 1)).toEqual([])
})

/** One attempt with the title as its key; false unless the answer is 200. */
async function createCollection(title: string): Promise<boolean> {
  const { api_key } = service.credentials
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json', 'idempotency-key': title }
  const init = { method: 'POST', headers, body: JSON.stringify({ title }) }
  const response = await fetch(`${service.url}/v1/collection`, init).catch(() => null)
  if (response?.ok && (await response.json().catch(() => null))) return true
  // A service that is starting refuses connections at once.
  await Bun.sleep(10)
  return false
}

async function listTitles(): Promise<string[]> {
  const titles: string[] = []
  for (;;) {
    const { json } = await service.v1('GET', `/collection?limit=200&offset=${titles.length}`)
    if (json.collections.length === 0) return titles
    titles.push(...json.collections.map(({ title }: { title: string }) => title))
  }
}
