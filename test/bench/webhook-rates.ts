import { join } from 'node:path'
import { Client } from 'pg'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, type Place, type ServiceProcess, startProcess } from '../faults/process.ts'
import { graphql, signIn } from '../faults/webhook-storm.ts'
import { type Receiver, replyNoContent, startReceiver } from '../support/receiver.ts'
import type { Figure } from './main.ts'

const EVENTS = 3000
/** 10,000 tracks with seven events each. */
const CATALOG = 70_000
const CATALOG_MINUTES = 15
const RATE = 1000
const CONNECTIONS = 64
const MOST_FOR_SLOW = 4

interface Bench {
  service: ServiceProcess
  token: string
  database: Client
}

interface Endpoint {
  id: string
  type: 'created' | 'deleted'
  receiver: Receiver
  /** The most requests that were open at once. */
  peak: () => number
}

/** Deliveries per second to endpoints that answer at once, after 200 ms, and next to one that needs 5 s. */
export async function benchWebhookRates(): Promise<Figure[]> {
  const place = await createPlace()
  const receivers: Receiver[] = []
  try {
    const service = await startProcess(place)
    const token = await signIn(service)
    return await withDatabase(place, async (database) => {
      const bench = { service, token, database }
      const open = async (type: Endpoint['type'], delayMs: number) => {
        const endpoint = await createEndpoint(bench, type, delayMs)
        receivers.push(endpoint.receiver)
        return endpoint
      }
      return [
        ...(await measureAtOnce(bench, await open('created', 0))),
        ...(await measureDelayed(bench, await open('created', 200))),
        ...(await measureNeighbors(bench, await open('created', 0), await open('deleted', 5000))),
      ]
    })
  } finally {
    await cleanUp(place)
    for (const receiver of receivers) await receiver.stop()
  }
}

async function measureAtOnce(bench: Bench, endpoint: Endpoint): Promise<Figure[]> {
  const before = await bareRate(endpoint.receiver.at('/bare'))
  const rate = await deliver(bench, endpoint, EVENTS)
  const bare = (before + (await bareRate(endpoint.receiver.at('/bare')))) / 2
  await disable(bench, endpoint)
  console.log(`webhooks, 0 ms: ${rate.toFixed(0)}/s, bare requests ${bare.toFixed(0)}/s`)
  return [
    {
      what: 'webhooks, endpoint at 0 ms: deliveries/s',
      measured: rate.toFixed(0),
      goal: `>= ${RATE}`,
      isMet: rate >= RATE,
    },
    {
      what: 'webhooks, endpoint at 0 ms: deliveries/s / bare requests/s',
      measured: (rate / bare).toFixed(2),
      goal: '>= 0.3',
      isMet: rate / bare >= 0.3,
    },
  ]
}

async function measureDelayed(bench: Bench, endpoint: Endpoint): Promise<Figure[]> {
  const rate = await deliver(bench, endpoint, EVENTS)
  await disable(bench, endpoint)
  const minutes = CATALOG / rate / 60
  console.log(`webhooks, 200 ms: ${rate.toFixed(0)}/s, at most ${endpoint.peak()} at once`)
  return [
    {
      what: `webhooks, endpoint at 200 ms: minutes for ${CATALOG} deliveries`,
      measured: `${minutes.toFixed(1)} (${rate.toFixed(0)}/s)`,
      goal: `<= ${CATALOG_MINUTES}`,
      isMet: minutes <= CATALOG_MINUTES,
    },
  ]
}

/** The rates alone surround the rates together, because the machine may become slower. */
async function measureNeighbors(bench: Bench, fast: Endpoint, slow: Endpoint): Promise<Figure[]> {
  const alone = [await deliver(bench, fast, EVENTS)]
  await record(bench, slow, EVENTS)
  await slow.receiver.received(MOST_FOR_SLOW)
  const together = [await deliver(bench, fast, EVENTS), await deliver(bench, fast, EVENTS)]
  await disable(bench, slow)
  alone.push(await deliver(bench, fast, EVENTS))
  const ratio = sum(together) / sum(alone)
  return [
    {
      what: 'webhooks, next to an endpoint at 5 s: deliveries/s / alone',
      measured: ratio.toFixed(2),
      goal: '>= 0.8',
      isMet: ratio >= 0.8,
    },
    {
      what: 'webhooks, endpoint at 5 s: requests at once',
      measured: String(slow.peak()),
      goal: `<= ${MOST_FOR_SLOW}`,
      isMet: slow.peak() <= MOST_FOR_SLOW,
    },
  ]
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Records events in one transaction. @returns deliveries per second from its commit to the last arrival */
async function deliver(bench: Bench, endpoint: Endpoint, count: number): Promise<number> {
  const { receiver } = endpoint
  const last = receiver.received(receiver.all.length + count)
  await record(bench, endpoint, count)
  const began = performance.now()
  await last
  return (count / (performance.now() - began)) * 1000
}

async function record({ database, service }: Bench, { type }: Endpoint, count: number): Promise<void> {
  await database.query(
    `INSERT INTO event (id, organization_id, type, data)
     SELECT gen_random_uuid(), $1::uuid, $2, jsonb_build_object('organization_id', $1::text, 'title', repeat('x', 500))
     FROM generate_series(1, $3::int)`,
    [service.credentials.organization_id, `collection.${type}`, count],
  )
}

async function createEndpoint({ service, token }: Bench, type: Endpoint['type'], delayMs: number): Promise<Endpoint> {
  let [running, peak] = [0, 0]
  const receiver = startReceiver(async () => {
    running += 1
    peak = Math.max(peak, running)
    if (delayMs > 0) await Bun.sleep(delayMs)
    running -= 1
    return replyNoContent()
  })
  const create = `mutation ($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { webhookEndpoint { id } } }`
  const input = { url: receiver.at(), eventTypes: [`COLLECTION_${type.toUpperCase()}`] }
  const { createWebhookEndpoint } = await graphql(service, token, create, { input })
  return { id: createWebhookEndpoint.webhookEndpoint.id, type, receiver, peak: () => peak }
}

async function disable({ service, token }: Bench, { id }: Endpoint): Promise<void> {
  const update = `mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(id: $id, input: $input) { __typename } }`
  await graphql(service, token, update, { id, input: { isEnabled: false } })
}

/** Requests per second of a process that sends the same bodies without a database. */
async function bareRate(url: string): Promise<number> {
  const script = join(import.meta.dir, 'webhook-reference.ts')
  const command = [process.execPath, script, url, String(EVENTS), String(CONNECTIONS)]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  return Number(await new Response(child.stdout).text())
}

async function withDatabase<T>({ env }: Place, use: (database: Client) => Promise<T>): Promise<T> {
  const postgres = await joinEmbeddedPostgres(join(env.DATA_DIR ?? '', 'postgres'))
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
    await postgres.stop()
  }
}
