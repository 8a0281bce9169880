import { Webhook } from 'standardwebhooks'
import { replyNoContent, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { cleanUp, createPlace, isAlive, type Place, postgresPid, type ServiceProcess, startProcess } from './process.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests check answers field by field
type Json = any

export interface Storm {
  events: number
  /** Number of kills of the process. */
  kills: number
  /** Share of messages that the receiver refuses, 0 to 1. */
  refused: number
}

/** The result of a storm. */
export interface Aftermath {
  /** Events in the feed at the end. */
  recorded: number
  /** The number of these that the receiver accepted. */
  arrived: number
  /** Creations that were answered, and are not in the feed. */
  forgotten: number
  messages: number
  forged: number
  /** Messages of an id that came before with another body. */
  changed: number
  seconds: number
}

/** Longer than any claim: attempts due later are made due at once. */
const FAR_MS = 60_000

/** Causes events while the process that sends them is killed again and again; a receiver refuses some at random. */
export async function sendThroughStorm({ events, kills, refused }: Storm): Promise<Aftermath> {
  const began = performance.now()
  const place = await createPlace()
  const took = new Set<string>()
  const bodies = new Map<string, string>()
  const told = { messages: 0, forged: 0, changed: 0 }
  let webhook: Webhook | null = null
  const receiver = startReceiver(({ headers, body }) => {
    const id = headers['webhook-id'] ?? ''
    told.messages += 1
    if ((bodies.get(id) ?? body) !== body) told.changed += 1
    bodies.set(id, body)
    try {
      webhook?.verify(body, headers)
    } catch {
      told.forged += 1
    }
    if (Math.random() < refused) return new Response('not now', { status: 500 })
    took.add(id)
    return replyNoContent()
  })
  try {
    let service = await startProcess(place)
    const token = await signIn(service)
    const set = 'mutation ($url: String!) { updateWebhook(input: { url: $url }) { secret } }'
    webhook = new Webhook((await graphql(service, token, set, { url: receiver.at() })).updateWebhook.secret)

    const created = new Set<string>()
    for (let kill = 1; kill <= kills; kill++) {
      const causing = cause(service, created, Math.floor((events * kill) / kills))
      await Bun.sleep(200 + Math.random() * 600)
      service = await killAndRestart(place, service)
      await causing
    }
    await cause(service, created, events)
    await until('every delivery to be taken', 120_000, () => isAllSent(service, token))

    const feed = await readFeed(service)
    const subjects = new Set(feed.map(({ data }) => data.collection_id))
    return {
      recorded: feed.length,
      arrived: feed.filter(({ id }) => took.has(id)).length,
      forgotten: [...created].filter((id) => !subjects.has(id)).length,
      ...told,
      seconds: (performance.now() - began) / 1000,
    }
  } finally {
    await receiver.stop()
    await cleanUp(place)
  }
}

/** Creates collections, ten at a time, until this number was answered or the service has ended. */
async function cause(service: ServiceProcess, created: Set<string>, goal: number): Promise<void> {
  const one = async () => {
    const { json } = await service.v1('POST', '/collection', { title: 'In a storm' })
    if (json?.collection_id) created.add(json.collection_id)
  }
  try {
    while (created.size < goal) await Promise.all(Array.from({ length: Math.min(10, goal - created.size) }, one))
  } catch {
    // It was killed.
  }
}

async function killAndRestart(place: Place, service: ServiceProcess): Promise<ServiceProcess> {
  const postgres = await postgresPid(place.env.DATA_DIR ?? '')
  service.kill('SIGKILL')
  await service.exited
  await until('PostgreSQL to end', 10_000, async () => !isAlive(postgres))
  return startProcess(place)
}

export async function graphql(
  service: ServiceProcess,
  token: string | null,
  query: string,
  variables: object,
): Promise<Json> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const body = JSON.stringify({ query, variables })
  const { data, errors } = await (await fetch(`${service.url}/graphql`, { method: 'POST', headers, body })).json()
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

/** Signs in as the owner of the demo organization. @returns its token */
export async function signIn(service: ServiceProcess): Promise<string> {
  const query =
    'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { token } }'
  return (await graphql(service, null, query, service.credentials.admin)).signIn.token
}

/** Whether no delivery is pending. Deliveries that wait for minutes become due at once. */
async function isAllSent(service: ServiceProcess, token: string): Promise<boolean> {
  const list = `{ webhookDeliveries(filter: { state: PENDING }, first: 200) { totalCount edges { node { id nextAttemptAt } } } }`
  const { totalCount, edges } = (await graphql(service, token, list, {})).webhookDeliveries
  for (const { node } of edges) {
    if (Date.parse(node.nextAttemptAt) - Date.now() < FAR_MS) continue
    await graphql(service, token, 'mutation ($id: ID!) { redeliverWebhook(deliveryId: $id) { __typename } }', node)
  }
  return totalCount === 0
}

async function readFeed(service: ServiceProcess): Promise<Json[]> {
  const all: Json[] = []
  for (let after = ''; ; ) {
    const { json } = await service.v1('GET', `/event?limit=200&type=collection.created${after}`)
    if (json.events.length === 0) return all
    all.push(...json.events)
    after = `&after=${json.next}`
  }
}
