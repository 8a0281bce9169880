// Redelivery of one event or of all failed events, and tests of an endpoint (contract, section 7).
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { codeOf, data, post } from '../../support/administrators.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { deliverDue, type Receiver, replyNoContent, startReceiver } from '../../support/receiver.ts'
import { useTestService } from '../../support/service.ts'

afterAll(() => receiver.stop())
const service = useTestService()
let who: Everybody
let receiver: Receiver
let answer = replyNoContent
let endpoint: { id: string; secret: string }
beforeAll(async () => {
  who = await everybody(service)
  receiver = startReceiver(() => answer())
})
beforeEach(async () => {
  answer = replyNoContent
  const payload = await set({ url: receiver.at() })
  endpoint = { id: payload.webhookEndpoint.id, secret: payload.secret }
})
afterEach(async () => {
  receiver.all.length = 0
  await service.services.db.webhookEndpoint.deleteMany()
})

const DELIVERY = 'webhookDelivery { id state attemptCount nextAttemptAt event { id type } endpoint { id } }'
const AGAIN = `mutation ($id: ID!) { redeliverWebhook(deliveryId: $id) { ${DELIVERY} } }`
const FAILED = `mutation ($id: ID, $since: DateTime!) { redeliverFailedWebhooks(endpointId: $id, since: $since) {
  count webhookEndpoint { id } } }`
const TEST = `mutation ($id: ID) { sendTestWebhook(endpointId: $id) { ${DELIVERY} } }`
const SET = 'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { secret webhookEndpoint { id } } }'
const set = async (input: object) => (await data(service, SET, { input }, who.owner)).updateWebhook
const again = async (id: string) => (await data(service, AGAIN, { id }, who.admin)).redeliverWebhook.webhookDelivery
const failed = async (since = new Date(0)) =>
  (await data(service, FAILED, { since: since.toISOString() }, who.admin)).redeliverFailedWebhooks
const sendTest = async (id?: string) => (await data(service, TEST, { id }, who.admin)).sendTestWebhook.webhookDelivery
const collection = (title: string) => service.v1('POST', '/collection', { body: { title } })
const all = () => service.services.db.webhookDelivery.findMany({ orderBy: { event: { seq: 'asc' } } })
const refuse = () => new Response(null, { status: 500 })
const titles = () => receiver.all.map(({ body }) => JSON.parse(body).data.collection?.title)

test('sends a delivered event again with the same ID and continues to count attempts', async () => {
  await collection('One')
  await deliverDue(service)
  const [row] = await all()
  const id = row?.id ?? ''
  for (const attemptCount of [1, 2]) {
    const delivery = await again(id)
    expect(delivery).toMatchObject({ id, state: 'PENDING', attemptCount, endpoint: { id: endpoint.id } })
    expect(await deliverDue(service)).toBe(1)
  }
  expect(new Set(receiver.all.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  const attempts = await service.services.db.webhookAttempt.findMany({ where: { deliveryId: id } })
  expect(attempts.map(({ number }) => number).sort()).toEqual([1, 2, 3])
})

test('restarts the schedule of a failed delivery', async () => {
  answer = refuse
  await collection('One')
  const [row] = await all()
  const id = row?.id ?? ''
  await service.services.db.webhookDelivery.update({ where: { id }, data: { attemptCount: 7 } })
  await deliverDue(service)
  expect(await all()).toMatchObject([{ state: 'failed', attemptCount: 8 }])
  await again(id)
  const before = Date.now()
  await deliverDue(service)
  const [after] = await all()
  expect(after).toMatchObject({ state: 'pending', attemptCount: 9, attemptsBefore: 8 })
  expect(((after?.nextAttemptAt?.getTime() ?? 0) - before) / 1000).toBeWithin(4, 8)
})

test('sends failed and missed events since a time, without delivered events and events of other types', async () => {
  await set({ eventTypes: ['COLLECTION_CREATED'] })
  await collection('Arrived')
  await deliverDue(service)
  answer = refuse
  await collection('Waiting when it was switched off')
  await deliverDue(service)
  await set({ isEnabled: false })
  expect((await all()).map(({ state, nextAttemptAt }) => [state, nextAttemptAt])).toEqual([
    ['delivered', null],
    ['failed', null],
  ])
  const away = await collection('While it was off')
  await service.v1('DELETE', `/collection/${away.json.collection_id}`)
  await set({ isEnabled: true })
  receiver.all.length = 0
  answer = replyNoContent
  expect(await failed(new Date(Date.now() + 60_000))).toMatchObject({ count: 0 })
  expect(await failed()).toEqual({ count: 2, webhookEndpoint: { id: endpoint.id } })
  expect(await failed()).toMatchObject({ count: 0 })
  expect(await deliverDue(service)).toBe(2)
  expect(titles()).toEqual(['Waiting when it was switched off', 'While it was off'])
  expect(await failed()).toMatchObject({ count: 0 })
})

test('attempts a requested redelivery to a disabled endpoint once', async () => {
  answer = refuse
  await collection('One')
  await deliverDue(service)
  await set({ isEnabled: false })
  const [row] = await all()
  await again(row?.id ?? '')
  expect(await deliverDue(service)).toBe(1)
  expect(await all()).toMatchObject([{ state: 'failed', attemptCount: 2, nextAttemptAt: null }])
})

test('sends a test once to one endpoint, also to a disabled one, without changing it', async () => {
  const { db } = service.services
  await db.webhookEndpoint.create({
    data: { organizationId: who.organizationId, url: receiver.at('/second'), secrets: ['whsec_c2VjcmV0'] },
  })
  await set({ isEnabled: false, eventTypes: ['COLLECTION_DELETED'] })
  const before = await db.webhookEndpoint.findUniqueOrThrow({ where: { id: endpoint.id } })
  answer = () => new Response(null, { status: 410 })
  for (const id of [undefined, endpoint.id]) {
    const delivery = await sendTest(id)
    expect(delivery).toMatchObject({ state: 'PENDING', endpoint: { id: endpoint.id }, event: { type: 'WEBHOOK_TEST' } })
    await deliverDue(service)
  }
  expect((await all()).map(({ state, attemptCount }) => [state, attemptCount])).toEqual([
    ['failed', 1],
    ['failed', 1],
  ])
  expect(await db.webhookEndpoint.findUnique({ where: { id: endpoint.id } })).toEqual(before)
  const [{ headers, body, path } = { headers: {}, body: '', path: '' }] = receiver.all
  expect([receiver.all.length, path]).toEqual([2, '/hook'])
  expect(new Webhook(endpoint.secret).verify(body, headers)).toMatchObject({
    type: 'webhook.test',
    data: { organization_id: who.organizationId, webhook_endpoint_id: endpoint.id },
  })
  expect(await failed()).toMatchObject({ count: 0 })
})

test('does not find unknown, foreign and missing endpoints and deliveries', async () => {
  await collection('One')
  const [row] = await all()
  const id = row?.id ?? ''
  const unknown = '00000000-0000-7000-8000-000000000000'
  const since = new Date(0).toISOString()
  const calls: [string, object, string][] = [
    [AGAIN, { id }, who.otherOwner],
    [AGAIN, { id: unknown }, who.owner],
    [FAILED, { id: endpoint.id, since }, who.otherOwner],
    [FAILED, { since }, who.otherOwner],
    [TEST, { id: endpoint.id }, who.otherOwner],
    [TEST, { id: unknown }, who.owner],
    [TEST, {}, who.otherOwner],
  ]
  for (const [query, variables, key] of calls) {
    expect(codeOf(await post(service, query, variables, { key })), query).toBe('not_found')
  }
  for (const [query, variables] of [
    [AGAIN, { id: 'x' }],
    [FAILED, { since: 'soon' }],
    [TEST, { id: 'x' }],
  ] as [string, object][]) {
    expect(codeOf(await post(service, query, variables, { key: who.owner })), query).toBe('invalid_input')
  }
  expect(await service.services.db.webhookDelivery.findUnique({ where: { id } })).toEqual(row ?? null)
})
