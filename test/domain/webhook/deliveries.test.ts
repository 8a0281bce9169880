// Webhook deliveries in GraphQL: the list, its filters and related records.
import { beforeAll, describe, expect, test } from 'bun:test'
import type { Event, WebhookEndpoint } from '../../../src/platform/db/generated/client/client.ts'
import { codeOf, data, post } from '../../support/administrators.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
let who: Everybody
let created: Event
let deleted: Event
let endpoints: WebhookEndpoint[]
/** IDs of the deliveries, newest first. */
let all: string[]
beforeAll(async () => {
  who = await everybody(service)
  const { db } = service.services
  const collection = (await service.v1('POST', '/collection', { body: { title: 'Announced' } })).json.collection_id
  await service.v1('DELETE', `/collection/${collection}`)
  const eventOf = (type: string) => db.event.findFirstOrThrow({ where: { type, collectionId: collection } })
  created = await eventOf('collection.created')
  deleted = await eventOf('collection.deleted')
  const { organizationId } = who
  endpoints = []
  for (const path of ['a', 'b']) {
    const url = `https://hooks.example.com/${path}`
    endpoints.push(await db.webhookEndpoint.create({ data: { organizationId, url, secrets: ['x'] } }))
  }
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  const rows = [
    { endpointId: id(0), eventId: created.id, state: 'delivered' as const, attemptCount: 2, deliveredAt: at(9) },
    { endpointId: id(0), eventId: deleted.id, state: 'failed' as const, attemptCount: 8 },
    { endpointId: id(1), eventId: created.id, state: 'pending' as const, nextAttemptAt: at(30) },
  ]
  all = []
  for (const [place, one] of rows.entries()) {
    all.unshift((await db.webhookDelivery.create({ data: { ...one, organizationId, createdAt: at(place) } })).id)
  }
  const attempt = { deliveryId: all[2] ?? '', durationMs: 12 }
  await db.webhookAttempt.create({ data: { ...attempt, number: 2, status: 204, answer: '' } })
  await db.webhookAttempt.create({ data: { ...attempt, number: 1, status: null, answer: 'no answer within 15 s' } })
})

const id = (place: number) => endpoints[place]?.id ?? ''
const UNKNOWN = '00000000-0000-7000-8000-000000000000'
const FIELDS = `id state attemptCount nextAttemptAt deliveredAt createdAt endpoint { id url }
  event { __typename id type body ... on CollectionEvent { title } }
  attempts { number status durationMs answer createdAt }`
const LIST = `query ($filter: WebhookDeliveryFilter, $orderBy: WebhookDeliveryOrder, $first: Int, $after: String) {
  webhookDeliveries(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    totalCount pageInfo { endCursor hasNextPage } nodes { ${FIELDS} } } }`
const ONE = `query ($id: ID!) { webhookDelivery(id: $id) { ${FIELDS} } }`
const list = async (variables: object = {}, key = who.viewer) =>
  (await data(service, LIST, variables, key)).webhookDeliveries
const ids = (page: Json): string[] => page.nodes.map((node: Json) => node.id)

test('lists deliveries newest or oldest first, in pages', async () => {
  expect([ids(await list()), ids(await list())]).toEqual([all, all])
  expect(ids(await list({ orderBy: { field: 'CREATED_AT', direction: 'ASC' } }))).toEqual(all.toReversed())
  const first = await list({ first: 2 })
  expect([ids(first), first.totalCount, first.pageInfo.hasNextPage]).toEqual([all.slice(0, 2), 3, true])
  expect(ids(await list({ first: 2, after: first.pageInfo.endCursor }))).toEqual(all.slice(2))
})

test('shows the endpoint, the event and every attempt of a delivery', async () => {
  const [, , node] = (await list()).nodes
  expect(node).toEqual({
    id: all[2],
    state: 'DELIVERED',
    attemptCount: 2,
    nextAttemptAt: null,
    deliveredAt: '2026-01-01T00:00:09.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
    endpoint: { id: id(0), url: endpoints[0]?.url },
    event: {
      __typename: 'CollectionEvent',
      id: created.id,
      type: 'COLLECTION_CREATED',
      title: 'Announced',
      body: expect.stringContaining('"type":"collection.created"'),
    },
    attempts: [
      { number: 1, status: null, durationMs: 12, answer: 'no answer within 15 s', createdAt: expect.any(String) },
      { number: 2, status: 204, durationMs: 12, answer: '', createdAt: expect.any(String) },
    ],
  })
  for (const key of [who.owner, who.admin, who.viewer]) {
    expect((await data(service, ONE, { id: all[2] }, key)).webhookDelivery).toEqual(node)
  }
})

describe('filters', () => {
  test.each([
    ['state', () => ({ state: 'FAILED' }), [1]],
    ['endpoint', () => ({ endpointId: id(1) }), [0]],
    ['event', () => ({ eventId: created.id }), [0, 2]],
    ['type', () => ({ type: ['COLLECTION_DELETED'] }), [1]],
    ['types', () => ({ type: ['COLLECTION_DELETED', 'COLLECTION_CREATED'] }), [0, 1, 2]],
    ['from', () => ({ createdFrom: '2026-01-01T00:00:01Z' }), [0, 1]],
    ['until', () => ({ createdUntil: '2026-01-01T00:00:01Z' }), [2]],
    ['all of it', () => ({ endpointId: id(0), eventId: created.id, state: 'PENDING' }), []],
  ])('filters by %s', async (_, filter, places) => {
    const page = await list({ filter: filter() })
    expect(ids(page)).toEqual(places.map((place) => all[place] ?? ''))
    expect(page.totalCount).toBe(places.length)
  })

  test('filters the deliveries of an endpoint', async () => {
    const query = `query ($filter: WebhookDeliveryFilter) { webhookEndpoints(first: 10) {
      nodes { deliveries(filter: $filter, first: 1) { totalCount nodes { id event { id } } } } } }`
    for (const _ of [1, 2]) {
      const { nodes } = (await data(service, query, {}, who.admin)).webhookEndpoints
      expect(nodes.map((node: Json) => node.deliveries)).toEqual([
        { totalCount: 2, nodes: [{ id: all[1], event: { id: deleted.id } }] },
        { totalCount: 1, nodes: [{ id: all[0], event: { id: created.id } }] },
      ])
    }
    const filter = { eventId: deleted.id }
    const { nodes } = (await data(service, query, { filter }, who.admin)).webhookEndpoints
    expect(nodes.map((node: Json) => node.deliveries.totalCount)).toEqual([1, 0])
  })

  test.each([{ endpointId: 'x' }, { eventId: '1' }, { createdFrom: 'soon' }])(
    'refuses an invalid ID or time: %j',
    async (filter) => {
      const answer = await post(service, LIST, { filter }, { key: who.owner })
      expect(codeOf(answer), answer.text).toBe('invalid_input')
    },
  )
})

test('refuses keys; other organizations see only their own deliveries', async () => {
  for (const key of [who.api, who.collectionKey, who.uploader]) {
    expect(codeOf(await post(service, LIST, {}, { key }))).toBe('forbidden')
    expect(codeOf(await post(service, ONE, { id: all[0] }, { key }))).toBe('forbidden')
  }
  expect(codeOf(await post(service, LIST, {}))).toBe('unauthenticated')
  expect((await list({}, who.otherOwner)).totalCount).toBe(0)
  expect((await list({ filter: { endpointId: id(0) } }, who.otherOwner)).totalCount).toBe(0)
  for (const [key, deliveryId] of [
    [who.otherOwner, all[0]],
    [who.owner, UNKNOWN],
  ]) {
    expect(codeOf(await post(service, ONE, { id: deliveryId }, { key: key ?? null }))).toBe('not_found')
  }
})
