// The number of concurrent attempts to an endpoint: how it grows and falls, and that all workers share it.
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { AttemptResult } from '../../../src/domain/webhook/delivery/attempt.ts'
import { type ClaimedDelivery, claimDue } from '../../../src/domain/webhook/delivery/claim.ts'
import { createOutcomeRecorder } from '../../../src/domain/webhook/delivery/outcome.ts'
import { recordSuccesses } from '../../../src/domain/webhook/delivery/success.ts'
import { data } from '../../support/administrators.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { useTestService } from '../../support/service.ts'
import { untilBlocked } from '../../support/until.ts'

const service = useTestService()
let who: Everybody
beforeAll(async () => {
  who = await everybody(service)
})
afterEach(async () => {
  await service.services.db.webhookEndpoint.deleteMany()
})

const answered = (durationMs = 0, status = 204): AttemptResult => ({
  status,
  durationMs,
  answer: '',
  retryAfterMs: null,
})

/** Creates an endpoint that receives all events. */
async function endpoint(concurrency = 4): Promise<string> {
  const organizationId = service.demo.organization_id
  const secrets = ['whsec_c2VjcmV0']
  const row = { organizationId, url: 'https://hooks.example.com/', secrets, concurrency }
  return (await service.services.db.webhookEndpoint.create({ data: row })).id
}
const read = (id: string) => service.services.db.webhookEndpoint.findUniqueOrThrow({ where: { id } })
const concurrencyOf = async (id: string) => (await read(id)).concurrency

/** Records events that have been due for a second. */
async function recordEvents(count: number): Promise<void> {
  const text = `INSERT INTO event (id, organization_id, type, data, created_at)
    SELECT gen_random_uuid(), $1, 'collection.created', '{}', now() - interval '1 second' FROM generate_series(1, $2::int)`
  await service.services.pool.query(text, [service.demo.organization_id, count])
}
const claim = (limit = 100) => claimDue(service.services, { limit })
const succeed = (claimed: readonly ClaimedDelivery[], durationMs = 0) =>
  recordSuccesses(
    service.services,
    claimed.map((delivery) => ({ delivery, result: answered(durationMs) })),
  )

describe('grows', () => {
  test.each([
    { durationMs: 250, rounds: [4, 8, 16, 32, 64, 128, 256, 256], concurrency: 256 },
    { durationMs: 251, rounds: [4, 8, 16, 32, 64, 64, 64, 64], concurrency: 64 },
  ])('by one for each success within $durationMs ms, from 4 to $concurrency', async (expected) => {
    const id = await endpoint()
    await recordEvents(800)
    const rounds: number[] = []
    for (const _ of expected.rounds) {
      const claimed = await claim(500)
      rounds.push(claimed.length)
      await succeed(claimed, expected.durationMs)
    }
    expect(rounds).toEqual([...expected.rounds])
    expect(await concurrencyOf(id)).toBe(expected.concurrency)
    await service.services.db.event.deleteMany()
  })

  test('not beyond 64 after successes that are fast, not very fast; a greater concurrency stays', async () => {
    const [small, great] = [await endpoint(40), await endpoint(100)]
    await recordEvents(60)
    const claimed = await claim(500)
    expect(claimed).toHaveLength(100)
    await succeed(claimed, 500)
    expect([await concurrencyOf(small), await concurrencyOf(great)]).toEqual([64, 100])
    await service.services.db.event.deleteMany()
  })

  test('only while at least half of it is used', async () => {
    const id = await endpoint(6)
    await recordEvents(2)
    await succeed(await claim())
    expect(await concurrencyOf(id)).toBe(6)
    await recordEvents(3)
    await succeed(await claim())
    expect(await concurrencyOf(id)).toBe(9)
  })

  test('not by tests, and without a change of updatedAt', async () => {
    const id = await endpoint()
    const { updatedAt } = await read(id)
    for (const _ of [1, 2]) {
      await data(service, 'mutation ($id: ID) { sendTestWebhook(endpointId: $id) { __typename } }', { id }, who.owner)
    }
    expect(await succeed(await claim(), 5000)).toEqual([true, true])
    expect(await concurrencyOf(id)).toBe(4)
    await data(service, 'mutation ($id: ID) { sendTestWebhook(endpointId: $id) { __typename } }', { id }, who.owner)
    await recordEvents(3)
    const mixed = await claim()
    const durationOf = ({ event }: ClaimedDelivery) => (event.type === 'webhook.test' ? 5000 : 5)
    const ended = mixed.map((delivery) => ({ delivery, result: answered(durationOf(delivery)) }))
    expect(await recordSuccesses(service.services, ended)).toEqual([true, true, true, true])
    expect(await read(id)).toMatchObject({ concurrency: 7, updatedAt })
  })
})

describe('halves', () => {
  test.each([
    { durationMs: 1000, concurrency: 24 },
    { durationMs: 1001, concurrency: 8 },
    { durationMs: 14_000, concurrency: 8 },
  ])('after a success of $durationMs ms: 16 becomes $concurrency', async ({ durationMs, concurrency }) => {
    const id = await endpoint(16)
    await recordEvents(8)
    const claimed = await claim()
    await succeed(claimed, durationMs)
    expect([claimed.length, await concurrencyOf(id)]).toEqual([8, concurrency])
  })

  test('at each failure, to 4 at least; until a success it gets one attempt at a time', async () => {
    const id = await endpoint(20)
    await recordEvents(24)
    const record = createOutcomeRecorder(service.services)
    const claimed = await claim()
    const limits: number[] = []
    for (const delivery of claimed.slice(0, 4)) {
      expect(await record(delivery, answered(5, 500))).toBe(true)
      limits.push(await concurrencyOf(id))
    }
    expect([claimed.length, limits]).toEqual([20, [10, 5, 4, 4]])
    expect(await claim()).toEqual([])
    for (const delivery of claimed.slice(4)) await record(delivery, answered(5, 500))
    const probe = await claim()
    expect(probe).toHaveLength(1)
    await succeed(probe)
    expect(await read(id)).toMatchObject({ failingSince: null, concurrency: 4 })
    expect(await claim()).toHaveLength(3)
  })

  test('and restarts at 4 when the URL changes', async () => {
    const id = await endpoint(64)
    const update = `mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) {
      updateWebhookEndpoint(id: $id, input: $input) { __typename } }`
    const change = (input: object) => data(service, update, { id, input }, who.owner)
    await change({ url: 'https://hooks.example.com/', eventTypes: [] })
    expect(await concurrencyOf(id)).toBe(64)
    await change({ url: 'https://hooks.example.com/v2' })
    expect(await concurrencyOf(id)).toBe(4)
  })
})

describe('is shared', () => {
  test('by concurrent claims of all workers, and never exceeded', async () => {
    const id = await endpoint(8)
    await recordEvents(64)
    for (let round = 0; round < 10; round++) {
      const claimed = (await Promise.all(Array.from({ length: 8 }, () => claim()))).flat()
      expect(new Set(claimed.map((one) => one.id)).size).toBe(claimed.length)
      expect(claimed.length).toBeWithin(1, 9)
      await service.services.db.webhookDelivery.updateMany({
        where: { endpointId: id },
        data: { claimId: null, nextAttemptAt: new Date(0) },
      })
    }
  })

  test('with other endpoints: those with the fewest running attempts are served first', async () => {
    const [busy, idle] = [await endpoint(64), await endpoint(64)]
    await service.services.db.webhookEndpoint.update({ where: { id: idle }, data: { eventTypes: ['track.deleted'] } })
    await recordEvents(20)
    await claim(10)
    await service.services.db.webhookEndpoint.update({ where: { id: idle }, data: { eventTypes: [] } })
    await recordEvents(3)
    const claimed = await claim(5)
    expect(claimed.filter((one) => one.endpointId === idle)).toHaveLength(3)
    expect(claimed.filter((one) => one.endpointId === busy)).toHaveLength(2)
  })
})

describe('successes that are recorded together', () => {
  test('are each recorded under their own claim', async () => {
    const id = await endpoint()
    await recordEvents(3)
    const [first, lost, last] = (await claim()) as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery]
    await service.services.db.webhookDelivery.update({ where: { id: lost.id }, data: { claimId: crypto.randomUUID() } })
    expect(await succeed([first, lost, last])).toEqual([true, false, true])
    const rows = await service.services.db.webhookDelivery.findMany({
      where: { endpointId: id },
      include: { attempts: true },
    })
    const recorded = rows.map(({ id, state, attempts }) => [id === lost.id, state, attempts.length])
    expect(recorded.filter(([isLost]) => !isLost)).toEqual([
      [false, 'delivered', 1],
      [false, 'delivered', 1],
    ])
    expect(recorded.filter(([isLost]) => isLost)).toEqual([[true, 'pending', 0]])
  })

  test('wait for an endpoint that is being disabled or deleted, before they lock a delivery', async () => {
    const [off, gone] = [await endpoint(), await endpoint()]
    await recordEvents(2)
    const claimed = await claim()
    const { pool } = service.services
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query('UPDATE webhook_endpoint SET disabled_at = now() WHERE id = $1', [off])
    await client.query('DELETE FROM webhook_endpoint WHERE id = $1', [gone])
    const recorded = succeed(claimed)
    await untilBlocked(pool)
    await client.query(`UPDATE webhook_delivery SET state = 'failed', next_attempt_at = NULL WHERE endpoint_id = $1`, [
      off,
    ])
    await client.query('COMMIT')
    client.release()
    expect(await recorded).toEqual(claimed.map(({ endpointId }) => endpointId === off))
    const { db } = service.services
    expect(await db.webhookDelivery.count({ where: { endpointId: off, state: 'delivered' } })).toBe(2)
  })
  test('do not wait for the locked endpoint of another', async () => {
    const [locked, free] = [await endpoint(), await endpoint()]
    await recordEvents(1)
    const claimed = await claim()
    const of = (id: string) => claimed.find(({ endpointId }) => endpointId === id) as ClaimedDelivery
    const { pool } = service.services
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT id FROM webhook_endpoint WHERE id = $1 FOR UPDATE', [locked])
    const record = createOutcomeRecorder(service.services)
    const ended: string[] = []
    const all = [locked, free].map(async (id) => {
      expect(await record(of(id), answered())).toBe(true)
      ended.push(id)
    })
    await all[1]
    await untilBlocked(pool)
    expect(ended).toEqual([free])
    await client.query('COMMIT')
    client.release()
    await all[0]
    expect(await service.services.db.webhookDelivery.count({ where: { state: 'delivered' } })).toBe(2)
  })
})
