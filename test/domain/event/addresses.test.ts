// Addresses inside events are signed when the event is sent or read (contract, section 7).
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { sealSecret } from '../../../src/domain/delivery/secret.ts'
import { data } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { deliverDue, type Receiver, startReceiver } from '../../support/receiver.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'

afterAll(() => receiver.stop())
const service = useTestService()
let who: Everybody
let receiver: Receiver
/** Metadata of a client that looks like a file. */
const metadata = { path: 'a/b', url: 'c', is_success: true, file: { path: 'a/b', url: 'c' } }
beforeAll(async () => {
  who = await everybody(service)
  receiver = startReceiver()
  await data(service, SET, { input: { url: receiver.at() } }, who.owner)
  const trackId = await uploadTrack(service, await tone(2))
  await service.v1('PUT', `/track/${trackId}`, { body: { metadata } })
  await service.runJobs()
  // Addresses of the time of the events would have another domain and be refused at the edge.
  const changed = { domain: 'moved.test', signingSecrets: [sealSecret(service.services, 'new')] }
  await service.services.db.organization.update({ where: { id: who.organizationId }, data: changed })
})
afterEach(() => {
  service.clock.now = null
  receiver.all.length = 0
})

const SET = 'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhookEndpoint { id } } }'
const EVENTS = '{ events(first: 200) { nodes { body } } }'

const wait = (hours: number) => {
  service.clock.now = new Date(Date.now() + hours * 3_600_000)
}

/** The addresses in the data of an event. */
function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.includes('?verify=') ? [value] : []
  return value && typeof value === 'object' ? Object.values(value).flatMap(addressesIn) : []
}

/** Expects each file of some events, and each sibling file, to have an address that the edge delivers now. */
async function expectDelivered(events: Json[]) {
  const files = events.flatMap(({ data }) => [...(data.files ?? []), ...(data.file ? [data.file] : [])])
  expect(files.length).toBeGreaterThan(5)
  for (const { is_success, url, path } of files) expect(url !== null, path).toBe(is_success)
  const addresses = addressesIn(events)
  expect(addresses.some((address) => address.includes('.json?'))).toBe(true)
  expect(addresses.some((address) => address.includes('.dat?'))).toBe(true)
  for (const address of new Set(addresses)) {
    expect(new URL(address).host).toBe('moved.test')
    expect((await service.fetchEdge(address)).status, address).toBe(200)
  }
  const { track } = events.find(({ type }) => type === 'track.status_changed')?.data ?? {}
  expect(track).toMatchObject({ metadata, base_url: `http://moved.test/${track.base_path}` })
}
const sent = (): Json[] => receiver.all.map(({ body }) => JSON.parse(body))

test('are signed at the attempt', async () => {
  wait(2)
  expect(await deliverDue(service)).toBeGreaterThan(5)
  await expectDelivered(sent())
})

test('are signed again at a redelivery', async () => {
  wait(4)
  const { db, clock } = service.services
  await db.webhookDelivery.updateMany({ data: { state: 'pending', nextAttemptAt: clock(), deliveredAt: null } })
  await deliverDue(service)
  await expectDelivered(sent())
})

test('are signed when the feed is read', async () => {
  wait(6)
  await expectDelivered((await service.v1('GET', '/event?limit=200')).json.events)
})

test('are signed when GraphQL reads the body, with as many statements for many events as for one', async () => {
  wait(8)
  const read = async (query: string) => {
    // The first request records the use of the key.
    await service.graphql(query)
    const watched = watchStatements(service.services.graphql.pool)
    const { nodes } = (await service.graphql(query)).data.events
    watched.stop()
    return { nodes, count: watched.texts.length }
  }
  const many = await read(EVENTS)
  await expectDelivered(many.nodes.map(({ body }: Json) => JSON.parse(body)))
  const one = await read(EVENTS.replace('200', '1'))
  expect([one.nodes.length, one.count]).toEqual([1, many.count])
})
