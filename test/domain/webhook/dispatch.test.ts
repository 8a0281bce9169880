// The dispatcher: it is notified of new deliveries, slow receivers do not delay others, and no delivery is lost or sent twice.
import { afterEach, expect, test } from 'bun:test'
import { type ClaimedDelivery, claimDue } from '../../../src/domain/webhook/delivery/claim.ts'
import { type Dispatcher, deliver, startDispatcher } from '../../../src/domain/webhook/delivery/dispatch.ts'
import { createOutcomeRecorder } from '../../../src/domain/webhook/delivery/outcome.ts'
import { type Receiver, replyNoContent, startReceiver } from '../../support/receiver.ts'
import { useTestService } from '../../support/service.ts'
import { untilBlocked } from '../../support/until.ts'

const service = useTestService()
const open: (Dispatcher | Receiver)[] = []
afterEach(async () => {
  service.clock.now = null
  await Promise.all(open.splice(0).map((one) => one.stop(0)))
  await service.services.db.webhookEndpoint.deleteMany()
})

const dispatcher = async () => {
  const started = await startDispatcher(service.services)
  open.push(started)
  return started
}
const receiver = (...args: Parameters<typeof startReceiver>) => {
  const started = startReceiver(...args)
  open.push(started)
  return started
}
const endpoint = async (url: string) => {
  const data = { organizationId: service.demo.organization_id, url, secrets: ['whsec_c2VjcmV0'] }
  return (await service.services.db.webhookEndpoint.create({ data })).id
}
const recordEvents = (count: number) =>
  Promise.all(Array.from({ length: count }, () => service.v1('POST', '/collection', { body: { title: 'T' } })))
const deliveries = (endpointId: string) => service.services.db.webhookDelivery.findMany({ where: { endpointId } })
const idsOf = ({ all }: Receiver) => all.map(({ headers }) => headers['webhook-id'])
const never = new AbortController().signal

test('a receiver that never answers delays only itself, with four concurrent attempts and then one', async () => {
  const hanging = Promise.withResolvers<Response>()
  const [slow, quick] = [receiver(() => hanging.promise), receiver()]
  const [slowId, quickId] = [await endpoint(slow.at()), await endpoint(quick.at())]
  const running = await dispatcher()
  await recordEvents(30)
  await quick.received(30)
  await slow.received(4)
  expect(new Set(idsOf(quick)).size).toBe(30)
  expect(slow.all).toHaveLength(4)
  const { db } = service.services
  await db.webhookEndpoint.update({ where: { id: slowId }, data: { failingSince: new Date() } })
  await db.webhookDelivery.updateMany({
    where: { endpointId: slowId, claimId: { not: null } },
    data: { claimId: null },
  })
  await running.stop(0)
  expect((await deliveries(quickId)).every(({ state }) => state === 'delivered')).toBe(true)
  expect(await claimDue(service.services, { limit: 100 })).toHaveLength(1)
  expect(await claimDue(service.services, { limit: 100 })).toEqual([])
  hanging.resolve(replyNoContent())
})

test('notifies the dispatcher of an event at its commit, and not of an attempt planned for later', async () => {
  const { notifications, db } = service.services
  let noticeCount = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const hear = () => {
    noticeCount += 1
    resolve()
  }
  const listener = { hear, resume: () => {} }
  const subscription = { channel: 'webhook_due', field: 'queue', value: 'webhook', owner: 'test', listener }
  const unsubscribe = await notifications.subscribe(subscription)
  await endpoint('https://hooks.example.com/')
  await recordEvents(1)
  await promise
  await db.webhookDelivery.updateMany({ data: { nextAttemptAt: new Date(Date.now() + 60_000) } })
  await recordEvents(1)
  await notifications.subscribe(subscription).then((end) => end())
  expect(noticeCount).toBe(2)
  unsubscribe()
})

test('claims deliveries to working endpoints first, and can exclude failing endpoints', async () => {
  const [failing, working] = [await endpoint('https://a.example.com/'), await endpoint('https://b.example.com/')]
  await service.services.db.webhookEndpoint.update({ where: { id: failing }, data: { failingSince: new Date() } })
  await recordEvents(3)
  const claim = async (limit: number, isFailingLeftOut: boolean) =>
    (await claimDue(service.services, { limit, isFailingLeftOut })).map((one) => one.endpointId)
  expect(await claim(2, false)).toEqual([working, working])
  expect(await claim(10, true)).toEqual([working])
  expect(await claim(10, true)).toEqual([])
  expect(await claim(10, false)).toEqual([failing])
})

test('two dispatchers deliver each event once', async () => {
  const quick = receiver()
  const id = await endpoint(quick.at())
  const running = [await dispatcher(), await dispatcher()]
  await recordEvents(40)
  await quick.received(40)
  await Promise.all(running.map((one) => one.stop(5000)))
  expect(new Set(idsOf(quick)).size).toBe(40)
  expect(quick.all).toHaveLength(40)
  expect((await deliveries(id)).every(({ state, attemptCount }) => state === 'delivered' && attemptCount === 1)).toBe(
    true,
  )
})

test('a stop waits for running attempts; an aborted attempt is due at once and not counted', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const slow = receiver(() => promise)
  const id = await endpoint(slow.at())
  const first = await dispatcher()
  await recordEvents(1)
  await slow.received(1)
  await first.stop(20)
  const [row] = await deliveries(id)
  expect(row).toMatchObject({ state: 'pending', attemptCount: 0, claimId: null })
  expect(row?.nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now())
  const second = await dispatcher()
  await slow.received(2)
  const stopped = second.stop(5000)
  resolve(replyNoContent())
  await stopped
  expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attemptCount: 1 }])
  expect(new Set(idsOf(slow)).size).toBe(1)
})

test('an expired claim is due again, and its previous owner records nothing', async () => {
  const quick = receiver()
  const id = await endpoint(quick.at())
  await recordEvents(1)
  const [lost] = await claimDue(service.services, { limit: 1 })
  expect(await claimDue(service.services, { limit: 1 })).toEqual([])
  service.clock.now = new Date(Date.now() + 29_000)
  expect(await claimDue(service.services, { limit: 1 })).toEqual([])
  service.clock.now = new Date(Date.now() + 31_000)
  const [claimedDelivery] = await claimDue(service.services, { limit: 1 })
  expect(claimedDelivery?.id).toBe(lost?.id as string)
  const late = { status: 500, durationMs: 1, answer: 'late', retryAfterMs: null }
  expect(await createOutcomeRecorder(service.services)(lost as ClaimedDelivery, late)).toBe(false)
  await deliver(service.services, createOutcomeRecorder(service.services), claimedDelivery as ClaimedDelivery, never)
  expect(await createOutcomeRecorder(service.services)(lost as ClaimedDelivery, late)).toBe(false)
  expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attemptCount: 1 }])
  const { failingSince } = await service.services.db.webhookEndpoint.findUniqueOrThrow({ where: { id } })
  expect(failingSince).toBeNull()
})

test('records a running attempt of a disabled endpoint, but not of a deleted one', async () => {
  const quick = receiver()
  const { db } = service.services
  const [off, gone] = [await endpoint(quick.at()), await endpoint(quick.at())]
  await recordEvents(1)
  const claimed = await claimDue(service.services, { limit: 10 })
  const of = (endpointId: string) => claimed.find((one) => one.endpointId === endpointId) as ClaimedDelivery
  await db.webhookDelivery.updateMany({ where: { endpointId: off }, data: { state: 'failed', nextAttemptAt: null } })
  await deliver(service.services, createOutcomeRecorder(service.services), of(off), never)
  expect(await deliveries(off)).toMatchObject([{ state: 'delivered', attemptCount: 1 }])
  await db.webhookEndpoint.delete({ where: { id: gone } })
  await deliver(service.services, createOutcomeRecorder(service.services), of(gone), never)
  expect(
    await createOutcomeRecorder(service.services)(of(gone), {
      status: 500,
      durationMs: 1,
      answer: '',
      retryAfterMs: null,
    }),
  ).toBe(false)
  expect(await deliveries(gone)).toEqual([])
})

test('deleting an endpoint while an event is recorded does not fail the event', async () => {
  const { pool } = service.services
  const id = await endpoint('https://hooks.example.com/')
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('DELETE FROM webhook_endpoint WHERE id = $1', [id])
  const recorded = recordEvents(1)
  await untilBlocked(pool)
  await client.query('COMMIT')
  client.release()
  expect((await recorded)[0]?.json.ok).toBe(true)
  expect(await deliveries(id)).toEqual([])
})
