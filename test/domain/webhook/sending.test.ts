// Sending an event: the request, the evaluation of the answer, and the schedule of attempts (contract, section 7).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { delayAfter, MAX_ATTEMPTS } from '../../../src/domain/webhook/delivery/schedule.ts'
import type { WebhookDelivery } from '../../../src/platform/db/generated/client/client.ts'
import { readRetryAfter } from '../../../src/platform/egress/retry-after.ts'
import { data } from '../../support/administrators.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { deliverDue, type Received, type Receiver, replyNoContent, startReceiver } from '../../support/receiver.ts'
import { useTestService } from '../../support/service.ts'

afterAll(() => receiver.stop())
const service = useTestService()
let who: Everybody
let receiver: Receiver
let answer: () => Response
beforeAll(async () => {
  who = await everybody(service)
  receiver = startReceiver(({ path }) => (path === '/other' ? replyNoContent() : answer()))
})
beforeEach(() => {
  answer = replyNoContent
})
afterEach(async () => {
  service.clock.now = null
  receiver.all.length = 0
  await service.services.db.webhookEndpoint.deleteMany()
})

const CREATE = `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) {
  secret webhookEndpoint { id } } }`
const ROTATE = 'mutation ($id: ID) { rotateWebhookSecret(id: $id) { secret } }'
const create = async (path = '/hook', more: object = {}): Promise<{ id: string; secret: string }> => {
  const { createWebhookEndpoint } = await data(
    service,
    CREATE,
    { input: { url: receiver.at(path), ...more } },
    who.owner,
  )
  return { id: createWebhookEndpoint.webhookEndpoint.id, secret: createWebhookEndpoint.secret }
}
const collection = async (title = 'Sóng'): Promise<string> =>
  (await service.v1('POST', '/collection', { body: { title } })).json.collection_id
const message = (place: number): Received => receiver.all[place] ?? { headers: {}, body: '', path: '' }
const endpoint = (id: string) => service.services.db.webhookEndpoint.findUniqueOrThrow({ where: { id } })
const deliveries = (endpointId: string) =>
  service.services.db.webhookDelivery.findMany({
    where: { endpointId },
    include: { event: true, attempts: { orderBy: { number: 'asc' } } },
    orderBy: { event: { seq: 'asc' } },
  })
const delivery = async (endpointId: string) =>
  (await deliveries(endpointId))[0] as Awaited<ReturnType<typeof deliveries>>[0]

/** Sets the clock to the next attempt and makes it. */
async function tryNext({ nextAttemptAt }: Pick<WebhookDelivery, 'nextAttemptAt'>): Promise<void> {
  service.clock.now = nextAttemptAt
  expect(await deliverDue(service)).toBe(1)
}

describe('the request', () => {
  test('is signed as specified and contains the event as in the feed', async () => {
    const { id, secret } = await create()
    await collection()
    expect(await deliverDue(service)).toBe(1)
    const { headers, body, path } = message(0)
    const { event, ...row } = await delivery(id)
    expect([path, headers['webhook-id'], headers['content-type']]).toEqual([
      '/hook',
      event.id,
      'application/json; charset=utf-8',
    ])
    expect(headers['x-adn-event']).toBe('collection.created')
    expect(new Webhook(secret).verify(body, headers)).toEqual({
      type: 'collection.created',
      timestamp: event.createdAt.toISOString(),
      data: event.data,
    })
    expect(row).toMatchObject({ state: 'delivered', attemptCount: 1, nextAttemptAt: null, claimId: null })
    expect(row.attempts).toMatchObject([{ number: 1, status: 204, answer: '' }])
    expect(row.deliveredAt).toBeInstanceOf(Date)
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow()
  })

  test('has a signature of each secret during a rotation', async () => {
    const { id, secret: old } = await create()
    const { secret: young } = (await data(service, ROTATE, { id }, who.owner)).rotateWebhookSecret
    await collection()
    await deliverDue(service)
    const { headers, body } = message(0)
    for (const secret of [old, young]) new Webhook(secret).verify(body, headers)
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
    service.clock.now = new Date(Date.now() + 24 * 3_600_000)
    await service.services.db.webhookDelivery.updateMany({ data: { state: 'pending', nextAttemptAt: new Date() } })
    await deliverDue(service)
    expect(message(1).headers['webhook-signature']?.split(' ')).toHaveLength(1)
    expect([message(1).body, message(1).headers['webhook-id']]).toEqual([body, headers['webhook-id']])
  })

  test('is planned for every enabled endpoint with its type, in the transaction of the event', async () => {
    const all = await create('/all')
    const created = await create('/created', { eventTypes: ['COLLECTION_CREATED'] })
    const deleted = await create('/deleted', { eventTypes: ['COLLECTION_DELETED', 'COLLECTION_UPDATED'] })
    const off = await create('/off', { isEnabled: false })
    await service.v1('DELETE', `/collection/${await collection()}`)
    const planned = async ({ id }: { id: string }) => (await deliveries(id)).map(({ event }) => event.type)
    expect(await planned(all)).toEqual(['collection.created', 'collection.deleted'])
    expect(await planned(created)).toEqual(['collection.created'])
    expect(await planned(deleted)).toEqual(['collection.deleted'])
    expect(await planned(off)).toEqual([])
    await deliverDue(service)
    expect(receiver.all.map(({ path }) => path).sort()).toEqual(['/all', '/all', '/created', '/deleted'])
  })
})

describe('the answer', () => {
  const refusal =
    (status: number, headers = {}, body = 'no') =>
    () =>
      new Response(body, { status, headers })
  test.each([{ status: 200 }, { status: 201 }, { status: 299 }])('$status is a success', async ({ status }) => {
    answer = refusal(status)
    const { id } = await create()
    await collection()
    await deliverDue(service)
    expect(await delivery(id)).toMatchObject({ state: 'delivered', attempts: [{ status, answer: 'no' }] })
  })

  test.each([{ status: 301, headers: { location: '/elsewhere' } }, { status: 404 }, { status: 500 }])(
    '$status means that it is tried again',
    async ({ status, headers }) => {
      answer = refusal(status, headers)
      const { id } = await create()
      await collection()
      await deliverDue(service)
      expect(await delivery(id)).toMatchObject({ state: 'pending', deliveredAt: null, attempts: [{ status }] })
      expect(receiver.all.map(({ path }) => path)).toEqual(['/hook'])
    },
  )

  test('stores the first KiB of the answer, or the reason why there is none', async () => {
    answer = refusal(500, {}, `\0${'é'.repeat(30_000)}`)
    const { id } = await create()
    await collection()
    await deliverDue(service)
    const [attempt] = (await delivery(id)).attempts
    expect(attempt?.answer).toBe(`\uFFFD${'é'.repeat(511)}`)
    await service.services.db.webhookEndpoint.updateMany({ data: { url: 'http://127.0.0.1:1/' } })
    await tryNext(await delivery(id))
    expect((await delivery(id)).attempts[1]).toMatchObject({ status: null, answer: 'no connection to the host' })
    await service.services.db.webhookEndpoint.updateMany({ data: { secrets: ['under another root secret'] } })
    await tryNext(await delivery(id))
    expect((await delivery(id)).attempts[2]).toMatchObject({ status: null, answer: 'the request could not be created' })
  })

  test('Retry-After lengthens the pause, in seconds or to a date, by at most a day', async () => {
    const waits: number[] = []
    const { id } = await create()
    await collection()
    for (const wish of ['100', 'Fri, 31 Dec 9999 23:59:59 GMT', '1']) {
      answer = refusal(503, { 'retry-after': wish })
      const now = (await delivery(id)).nextAttemptAt as Date
      await tryNext({ nextAttemptAt: now })
      waits.push(((await delivery(id)).nextAttemptAt?.getTime() ?? 0) - now.getTime())
    }
    expect(waits.slice(0, 2)).toEqual([100_000, 86_400_000])
    expect(waits[2]).toBeGreaterThanOrEqual(0.9 * 30 * 60_000)
  })

  test('410 disables the endpoint, gives up its deliveries and notifies the other endpoints', async () => {
    const other = await create('/other', { eventTypes: ['WEBHOOK_DISABLED'] })
    const { id } = await create('/gone')
    await collection('One')
    await collection('Two')
    answer = refusal(410)
    await deliverDue(service)
    expect(await endpoint(id)).toMatchObject({ disabledReason: 'gone', disabledAt: expect.any(Date) })
    expect((await deliveries(id)).map(({ state, nextAttemptAt }) => [state, nextAttemptAt])).toEqual([
      ['failed', null],
      ['failed', null],
    ])
    const [notified] = await deliveries(other.id)
    expect(notified?.event).toMatchObject({
      type: 'webhook.disabled',
      data: { organization_id: who.organizationId, webhook_endpoint_id: id, disabled_reason: 'gone' },
    })
    const query =
      '{ events(last: 1) { edges { node { __typename type ... on WebhookEvent { webhookEndpointId disabledReason } } } } }'
    for (const _ of [1, 2]) {
      expect((await data(service, query, {}, who.viewer)).events.edges[0].node).toEqual({
        __typename: 'WebhookEvent',
        type: 'WEBHOOK_DISABLED',
        webhookEndpointId: id,
        disabledReason: 'gone',
      })
    }
  })
})

describe('the schedule', () => {
  const SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 36_000]
  test('plans eight attempts with a jitter of 10 %', () => {
    expect(MAX_ATTEMPTS).toBe(8)
    for (const [place, seconds] of SECONDS.entries()) {
      expect(delayAfter(place + 1, null, 0.5)).toBe(seconds * 1000)
      expect(delayAfter(place + 1, null, 0)).toBe(seconds * 900)
      expect(delayAfter(place + 1, null, 1)).toBe(seconds * 1100)
    }
    expect(new Set(Array.from({ length: 20 }, () => delayAfter(2, null))).size).toBeGreaterThan(10)
    expect(delayAfter(8, 1000)).toBeNull()
  })

  test('reads dates and seconds of Retry-After', () => {
    const now = new Date('2026-01-01T00:00:00Z')
    const read = (value?: string) => readRetryAfter(value, now)
    expect([read('0'), read(' 7 '), read('Thu, 01 Jan 2026 00:01:00 GMT')]).toEqual([0, 7000, 60_000])
    expect(read('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(0)
    for (const value of [undefined, '', 'soon', '-1', '1.5', '9999999999']) expect(read(value)).toBeNull()
  })

  test('gives up after the eighth failed attempt', async () => {
    answer = () => new Response(null, { status: 500 })
    const { id } = await create()
    await collection()
    await deliverDue(service)
    for (const seconds of SECONDS) {
      const before = service.clock.now ?? new Date()
      const row = await delivery(id)
      const wait = ((row.nextAttemptAt?.getTime() ?? 0) - before.getTime()) / 1000
      expect(wait / seconds).toBeWithin(0.8, 1.11)
      await tryNext(row)
    }
    const row = await delivery(id)
    expect(row).toMatchObject({ state: 'failed', attemptCount: 8, nextAttemptAt: null })
    expect(row.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(new Set(receiver.all.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([row.event.id]))
    expect(await endpoint(id)).toMatchObject({ disabledAt: null, failingSince: row.attempts[0]?.createdAt })
  })

  test('disables an endpoint after five days without a success; a success resets the time', async () => {
    answer = () => new Response(null, { status: 500 })
    const { id } = await create()
    const began = Date.now()
    const at = async (days: number) => {
      service.clock.now = new Date(began + days * 86_400_000)
      await service.services.db.webhookDelivery.updateMany({
        data: { state: 'pending', nextAttemptAt: service.clock.now },
      })
      await deliverDue(service)
      return endpoint(id)
    }
    await collection()
    expect((await at(0)).failingSince).toEqual(new Date(began))
    expect((await at(4.999)).disabledAt).toBeNull()
    answer = replyNoContent
    expect((await at(5)).failingSince).toBeNull()
    answer = () => new Response(null, { status: 500 })
    expect((await at(6)).disabledAt).toBeNull()
    expect((await at(10.999)).disabledAt).toBeNull()
    expect(await at(11)).toMatchObject({ disabledReason: 'failing', disabledAt: new Date(began + 11 * 86_400_000) })
    expect(await delivery(id)).toMatchObject({ state: 'failed', nextAttemptAt: null })
  })
})
