import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fillLibrary } from '../../support/library.ts'
import { createTrack, setStatus, startReplica } from '../../support/live.ts'
import { useTestService } from '../../support/service.ts'
import { subscribe } from '../../support/subscriber.ts'

const service = useTestService({ RATE_LIMITS: 'on' })
let replica: ReturnType<typeof startReplica>
let trackId: string
beforeAll(async () => {
  replica = startReplica(service)
  await fillLibrary(service.services.pool, service.demo.organization_id, { collections: 1, tracks: 210 })
  trackId = await createTrack(service)
})
afterAll(() => replica.stop())

const aliases = (field: string, count: number) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')
/** 20 pages of 200 tracks. */
const WIDE = aliases('tracks(first: 200) { nodes { id } }', 20)
const watchWith = (query: string) =>
  subscribe(replica.url, {
    key: service.demo.api_key,
    variables: { trackId },
    query: `subscription ($trackId: ID) { trackChanged(trackId: $trackId) { status ${query} } }`,
  })

/** The cost of an operation, as the process reports it that has the subscription. */
async function readCost(query: string): Promise<{ requested: number; remaining: number }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${service.demo.api_key}` }
  const response = await fetch(replica.url, { method: 'POST', headers, body: JSON.stringify({ query }) })
  return (await response.json()).extensions.cost
}

/** Changes the status of the track once for each event, and waits for it. */
async function sendEvents(client: ReturnType<typeof subscribe>, count: number): Promise<void> {
  for (let event = 0; event < count; event++) {
    const received = client.received.length
    await setStatus(service, trackId, event % 2 === 0 ? 'processing' : 'ready')
    await client.until('the next event', () => client.received.length > received)
  }
}

test('each event costs what the subscription costs, and has the records of an answer of its own', async () => {
  const before = await readCost('{ __typename }')
  const client = watchWith(`track { collection { ${WIDE} } }`)
  await client.change('the current state', () => true)
  // 9 events of 4,000 records, of 25,000 that an answer may have.
  await sendEvents(client, 8)
  const after = await readCost('{ __typename }')
  const [cost] = client.received.map(({ extensions }) => extensions.cost.requested)
  expect(cost).toBeWithin(4200, 4300)
  expect(client.received.map(({ errors }) => errors)).toEqual(Array(9).fill(undefined))
  expect(client.received.map(({ extensions }) => extensions.cost.requested)).toEqual(Array(9).fill(cost))
  // Its start, and 9 events.
  expect(before.remaining - after.remaining).toBe(10 * cost)
  client.leave()
})

test('a subscription ends with `rate_limited` when its points are used up', async () => {
  const client = watchWith(`track { collection { ${WIDE} } }`)
  await client.change('the current state', () => true)
  const expensive = '{ collections(first: 200) { nodes { tracks(first: 115) { nodes { id } } } } }'
  let { remaining, requested } = await readCost(expensive)
  while (remaining >= requested) ({ remaining, requested } = await readCost(expensive))
  while (remaining >= 4000) ({ remaining } = await readCost(`{ ${WIDE} }`))
  await setStatus(service, trackId, 'processing')
  await client.ended()
  expect(client.received.at(-1)).toMatchObject({ errors: [{ extensions: { code: 'rate_limited' } }] })
  expect(replica.notifications.count()).toBe(0)
})
