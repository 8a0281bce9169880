// Endpoints with more deliveries than one statement changes: disabling and deleting them marks first, a task does the rest.
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type ClaimedDelivery, claimDue } from '../../../src/domain/webhook/delivery/claim.ts'
import { DELIVERY_CHUNK } from '../../../src/domain/webhook/delivery/give-up.ts'
import { createOutcomeRecorder } from '../../../src/domain/webhook/delivery/outcome.ts'
import { DAY_MS } from '../../../src/platform/time.ts'
import * as database from '../../support/administrators.ts'
import { codeOf, data, post } from '../../support/administrators.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { runTask } from '../../support/jobs.ts'
import { readEntries } from '../../support/queue.ts'
import { type Json, useTestService } from '../../support/service.ts'

/** Two chunks and a half. */
const EVENTS = 2.5 * DELIVERY_CHUNK

const service = useTestService()
const rowsOf = async (text: string, values?: unknown[]): Promise<Json[]> =>
  (await database.sql(service, text, values)).rows
let who: Everybody
beforeAll(async () => {
  who = await everybody(service)
})
afterEach(async () => {
  service.clock.now = null
  await rowsOf('DELETE FROM event')
  await rowsOf('DELETE FROM webhook_endpoint')
})

/** An endpoint with pending deliveries of a number of events. */
async function endpointWith(events: number): Promise<string> {
  const { id } = await service.services.db.webhookEndpoint.create({
    data: { organizationId: who.organizationId, url: 'https://hooks.example.com/', secrets: ['whsec_c2VjcmV0'] },
  })
  await addEvents(events)
  return id
}
const addEvents = (events: number) =>
  rowsOf(
    `INSERT INTO event (id, organization_id, type, data, created_at)
     SELECT gen_random_uuid(), $1, 'collection.created', '{}', now() - interval '1 minute' FROM generate_series(1, $2)`,
    [who.organizationId, events],
  )
const statesOf = async (id: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await rowsOf('SELECT state, count(*)::int AS n FROM webhook_delivery WHERE endpoint_id = $1 GROUP BY 1', [id])
    ).map(({ state, n }) => [state, n]),
  )
const markOf = async (id: string): Promise<Json> =>
  (await rowsOf('SELECT disabled_reason, give_up_before, deleted_at FROM webhook_endpoint WHERE id = $1', [id]))[0]
const queued = async () =>
  (await readEntries(service.services.pool, { task: 'clear_webhook_endpoint' })).map(
    ({ payload }) => payload.endpointId,
  )
const claim = (limit = 10) => claimDue(service.services, { limit })
const clear = (endpointId: string, signal = new AbortController().signal) =>
  runTask(service.services, 'clear_webhook_endpoint', { endpointId }, { signal })

const UPDATE = `mutation ($id: ID!, $isEnabled: Boolean) { updateWebhookEndpoint(id: $id, input: { isEnabled: $isEnabled }) {
  webhookEndpoint { isEnabled disabledReason } } }`
const DELETE = 'mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) { deletedWebhookEndpoint { id } } }'
const setEnabled = (id: string, isEnabled: boolean) => data(service, UPDATE, { id, isEnabled }, who.owner)

/** The three ways to disable an endpoint. */
const disablings: [how: string, reason: string, disable: (id: string) => Promise<unknown>][] = [
  ['its administrator', 'administrator', (id) => setEnabled(id, false)],
  ['an answer of 410', 'gone', () => failWith(410)],
  [
    'five days of failures',
    'failing',
    async (id) => {
      await rowsOf('UPDATE webhook_endpoint SET failing_since = $2 WHERE id = $1', [
        id,
        new Date(Date.now() - 5 * DAY_MS),
      ])
      await failWith(500)
    },
  ],
]
async function failWith(status: number): Promise<void> {
  const [claimed] = await claim(1)
  const result = { status, durationMs: 1, answer: '', retryAfterMs: null }
  expect(await createOutcomeRecorder(service.services)(claimed as ClaimedDelivery, result)).toBe(true)
}

describe('an endpoint with many pending deliveries', () => {
  test.each(disablings)('is disabled by %s: at once one chunk, the rest by the task', async (_, reason, disable) => {
    const id = await endpointWith(EVENTS)
    await disable(id)
    expect(await markOf(id)).toMatchObject({ disabled_reason: reason, give_up_before: expect.any(Date) })
    const { pending = 0, failed = 0 } = await statesOf(id)
    expect(pending).toBeGreaterThan(DELIVERY_CHUNK)
    expect(failed).toBeLessThanOrEqual(DELIVERY_CHUNK + 1)
    expect(await queued()).toContain(id)
    expect(await claim()).toEqual([])
    await clear(id)
    const after = await statesOf(id)
    expect(after.pending).toBeUndefined()
    expect(after.failed).toBe(EVENTS)
    expect(await markOf(id)).toMatchObject({ disabled_reason: reason, give_up_before: null })
  })

  test('is cleared in chunks, also by a task that is stopped and repeated', async () => {
    const id = await endpointWith(EVENTS)
    await setEnabled(id, false)
    const stopping = AbortSignal.abort(new Error('the process is stopping'))
    await clear(id, stopping).catch(() => {})
    expect(await statesOf(id)).toEqual({ failed: 2 * DELIVERY_CHUNK, pending: EVENTS - 2 * DELIVERY_CHUNK })
    await clear(id)
    await clear(id)
    expect([await statesOf(id), (await markOf(id)).give_up_before]).toEqual([{ failed: EVENTS }, null])
  })

  test('sends nothing until then, but tests and requested deliveries after it', async () => {
    const id = await endpointWith(EVENTS)
    await setEnabled(id, false)
    const [{ id: failed }] = await rowsOf(
      `SELECT id FROM webhook_delivery WHERE endpoint_id = $1 AND state = 'failed' LIMIT 1`,
      [id],
    )
    await data(
      service,
      'mutation ($id: ID!) { redeliverWebhook(deliveryId: $id) { webhookDelivery { id } } }',
      { id: failed },
      who.owner,
    )
    await data(
      service,
      'mutation ($id: ID!) { sendTestWebhook(endpointId: $id) { webhookDelivery { id } } }',
      { id },
      who.owner,
    )
    expect(await claim()).toEqual([])
    await clear(id)
    const claimed = await claim()
    expect(claimed).toHaveLength(2)
    expect(claimed.map(({ id }) => id)).toContain(failed)
  })

  test('enabled before its task has ended, gives up the deliveries from before and keeps those after', async () => {
    const id = await endpointWith(EVENTS)
    await setEnabled(id, false)
    await setEnabled(id, true)
    await service.v1('POST', '/collection', { body: { title: 'After' } })
    expect(await claim()).toEqual([])
    await clear(id)
    expect(await statesOf(id)).toEqual({ failed: EVENTS, pending: 1 })
    expect(await claim()).toHaveLength(1)
  })

  test('has no task and no mark with fewer deliveries than a chunk', async () => {
    const id = await endpointWith(3)
    await setEnabled(id, false)
    expect([await statesOf(id), (await markOf(id)).give_up_before]).toEqual([{ failed: 3 }, null])
    expect(await queued()).not.toContain(id)
  })
})

describe('a deleted endpoint', () => {
  const READ = `query ($id: ID!) { webhookEndpoints { totalCount nodes { id } } webhook { id }
    webhookDeliveries(first: 1) { totalCount nodes { id } } webhookEndpoint(id: $id) { id } }`
  const read = async (id: string) => (await post(service, READ, { id }, { key: who.owner })).json.data

  test('is not read any more, gets no events and no attempts, and its rows are deleted in chunks', async () => {
    const id = await endpointWith(EVENTS)
    const [running] = await claim(1)
    await data(service, DELETE, { id }, who.owner)
    expect(await read(id)).toEqual({
      webhookEndpoints: { totalCount: 0, nodes: [] },
      webhook: null,
      webhookDeliveries: { totalCount: 0, nodes: [] },
      webhookEndpoint: null,
    })
    expect((await service.v1('GET', `/organization/${who.organizationId}`)).json.organization.webhook_url).toBeNull()
    await addEvents(5)
    expect(await statesOf(id)).toEqual({ pending: EVENTS })
    expect(await claim()).toEqual([])
    const result = { durationMs: 1, answer: '', retryAfterMs: null }
    for (const status of [200, 410]) {
      expect(await createOutcomeRecorder(service.services)(running as ClaimedDelivery, { ...result, status })).toBe(
        false,
      )
    }
    const stopping = AbortSignal.abort(new Error('the process is stopping'))
    await clear(id, stopping).catch(() => {})
    expect(await statesOf(id)).toEqual({ pending: EVENTS - DELIVERY_CHUNK })
    await clear(id)
    await clear(id)
    expect([await statesOf(id), await markOf(id)]).toEqual([{}, undefined])
  })

  test('is refused as unknown by every change, and is not counted', async () => {
    const id = await endpointWith(1)
    const [{ id: deliveryId }] = await rowsOf('SELECT id FROM webhook_delivery WHERE endpoint_id = $1', [id])
    await data(service, DELETE, { id }, who.owner)
    const changes = [
      DELETE,
      'mutation ($id: ID!) { updateWebhookEndpoint(id: $id, input: { isEnabled: true }) { webhookEndpoint { id } } }',
      'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }',
      'mutation ($id: ID!) { sendTestWebhook(endpointId: $id) { webhookDelivery { id } } }',
      'mutation ($id: ID!) { redeliverFailedWebhooks(endpointId: $id, since: "2026-01-01T00:00:00Z") { count } }',
    ]
    for (const change of changes) {
      expect([change, codeOf(await post(service, change, { id }, { key: who.owner }))]).toEqual([change, 'not_found'])
    }
    const redeliver = 'mutation ($id: ID!) { redeliverWebhook(deliveryId: $id) { webhookDelivery { id } } }'
    expect(codeOf(await post(service, redeliver, { id: deliveryId }, { key: who.owner }))).toBe('not_found')
    const CREATE = `mutation ($url: String!) { createWebhookEndpoint(input: { url: $url }) { webhookEndpoint { id } } }`
    for (let place = 1; place <= 10; place++) {
      await data(service, CREATE, { url: `https://hooks.example.com/${place}` }, who.owner)
    }
  })
})
