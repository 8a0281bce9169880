// The event feed: its content, its scopes, and that a client that follows it receives every event once.
import { beforeAll, describe, expect, test } from 'bun:test'
import { webhookBody } from '../../../src/domain/event/body.ts'
import { recordEvent } from '../../../src/domain/event/service.ts'
import { codeOf, data, post } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { runTask } from '../../support/jobs.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'

const service = useTestService()
let who: Everybody
let trackId: string
beforeAll(async () => {
  who = await everybody(service)
  trackId = await uploadTrack(service, await tone(1))
  await service.runJobs()
  // Signatures of addresses in events are equal within a second only.
  service.clock.now = new Date()
})

const UNKNOWN = '00000000-0000-7000-8000-000000000000'
const EVENTS = `query ($first: Int, $after: String, $last: Int, $filter: EventFilter, $direction: OrderDirection) {
  events(first: $first, after: $after, last: $last, filter: $filter, direction: $direction) {
    totalCount pageInfo { endCursor hasNextPage }
    edges { cursor node { __typename id type organizationId createdAt body
      ... on TrackStatusChangedEvent { trackId collectionId creatorId uploadSessionId status previousStatus }
      ... on TrackFileEvent { trackId collectionId creatorId fileId variantId variantIndex isSuccess statusText }
      ... on CollectionEvent { collectionId creatorId title } } } } }`
const list = async (variables: object = {}, key = who.api) => (await data(service, EVENTS, variables, key)).events
const nodes = async (variables: object = {}, key = who.api): Promise<Json[]> =>
  (await list(variables, key)).edges.map(({ node }: Json) => node)
const ids = (events: Json[]): string[] => events.map(({ id }) => id)

const collectionOf = async (body: object, key?: string) =>
  (await service.v1('POST', '/collection', { body: { title: 'T', ...body }, key })).json.collection_id as string

/** Records an event of a collection that does not exist. */
const record = (tx: Parameters<typeof recordEvent>[0], collectionId: string, organizationId = who.organizationId) =>
  recordEvent(tx, organizationId, 'collection.updated', {
    organization_id: organizationId,
    creator_id: null,
    collection_id: collectionId,
    collection: { title: 'Recorded' },
  })

describe('content', () => {
  test('has a typed event for each file of a processed track, then one for its status', async () => {
    const all = (await nodes()).filter((event) => event.trackId === trackId)
    const stored = await service.services.db.trackFile.findMany({ where: { trackId }, orderBy: { variantId: 'asc' } })
    const files = all.filter(({ __typename }) => __typename === 'TrackFileEvent')
    expect(files.map((file) => file.fileId).sort()).toEqual(stored.map((file) => file.id).sort())
    for (const file of files) {
      expect(file).toMatchObject({ trackId, collectionId: who.collectionId, creatorId: null })
      expect(file.isSuccess).toBe(file.type === 'TRACK_FILE_CREATED')
      expect(file.statusText === null).toBe(file.isSuccess)
      expect(stored.find(({ id }) => id === file.fileId)?.variantId).toBe(file.variantId)
    }
    expect(all.at(-1)).toMatchObject({
      __typename: 'TrackStatusChangedEvent',
      type: 'TRACK_STATUS_CHANGED',
      uploadSessionId: null,
      trackId,
      previousStatus: 'PROCESSING',
      organizationId: who.organizationId,
    })
    expect(['READY', 'INCOMPLETE']).toContain(all.at(-1)?.status)
  })

  test('has typed events of a collection, whose body is the webhook body', async () => {
    const collectionId = await collectionOf({ title: 'Sóng', creator_id: who.creatorId })
    await service.v1('PUT', `/collection/${collectionId}`, { body: { title: 'Song' } })
    await service.v1('DELETE', `/collection/${collectionId}`)
    const collectionEvents = (await nodes()).filter((event) => event.collectionId === collectionId)
    expect(collectionEvents.map(({ type, title, creatorId }) => [type, title, creatorId])).toEqual([
      ['COLLECTION_CREATED', 'Sóng', who.creatorId],
      ['COLLECTION_UPDATED', 'Song', who.creatorId],
      ['COLLECTION_DELETED', 'Song', who.creatorId],
    ])
    expect(JSON.parse(collectionEvents[0].body)).toEqual({
      type: 'collection.created',
      timestamp: collectionEvents[0].createdAt,
      data: {
        organization_id: who.organizationId,
        creator_id: who.creatorId,
        collection_id: collectionId,
        collection: { id: collectionId, title: 'Sóng', organization_index: null },
      },
    })
    const row = await service.services.db.event.findUniqueOrThrow({ where: { id: collectionEvents[0].id } })
    expect(await webhookBody(service.services, row)).toBe(collectionEvents[0].body)
  })

  test('returns one event, with the same text each time', async () => {
    const [first] = await nodes({ first: 1 })
    const query = 'query ($id: ID!) { event(id: $id) { __typename id type body ... on CollectionEvent { title } } }'
    const answers = [
      await data(service, query, { id: first.id }, who.api),
      await data(service, query, { id: first.id }, who.viewer),
    ]
    expect(answers[0].event).toMatchObject({ id: first.id, type: first.type, body: first.body })
    expect(answers[1]).toEqual(answers[0])
    for (const [id, code] of [
      [UNKNOWN, 'not_found'],
      ['x', 'invalid_input'],
    ]) {
      expect(codeOf(await post(service, query, { id }, { key: who.api }))).toBe(code as string)
    }
  })

  test('filters by type and time, and lists in both directions', async () => {
    const all = await nodes({ first: 200 })
    const filter = { type: ['COLLECTION_CREATED', 'COLLECTION_DELETED'] }
    const some = await list({ filter, first: 200 })
    expect(new Set(some.edges.map(({ node }: Json) => node.type))).toEqual(new Set(filter.type))
    expect(some.totalCount).toBe(some.edges.length)
    const { createdAt } = all[3]
    const from = all.filter((event) => event.createdAt >= createdAt)
    expect(ids(await nodes({ filter: { createdFrom: createdAt }, first: 200 }))).toEqual(ids(from))
    const until = all.filter((event) => event.createdAt < createdAt)
    expect(ids(await nodes({ filter: { createdUntil: createdAt }, first: 200 }))).toEqual(ids(until))
    expect(ids(await nodes({ direction: 'DESC', first: 200 }))).toEqual(ids(all).reverse())
    expect(ids(await nodes({ last: 2 }))).toEqual(ids(all).slice(-2))
    expect(codeOf(await post(service, EVENTS, { filter: { createdFrom: 'soon' } }, { key: who.api }))).toBe(
      'invalid_input',
    )
  })
})

describe('scope', () => {
  test('shows a scoped key the events of its scope, including those of deleted records', async () => {
    const ofCreator = await collectionOf({ creator_id: who.creatorId })
    const elsewhere = await collectionOf({})
    await service.v1('DELETE', `/collection/${ofCreator}`)
    const seen = async (key: string) => new Set((await nodes({ first: 200 }, key)).map((event) => event.collectionId))
    expect(await seen(who.collectionKey)).toEqual(new Set([who.collectionId]))
    expect((await seen(who.creatorKey)).has(ofCreator)).toBe(true)
    expect((await seen(who.creatorKey)).has(elsewhere)).toBe(false)
    expect((await list({}, who.collectionKey)).totalCount).toBe((await nodes({ first: 200 }, who.collectionKey)).length)
    const hidden = (await nodes({ first: 200 })).find((event) => event.collectionId === elsewhere)
    for (const key of [who.collectionKey, who.creatorKey, who.otherApi, who.otherOwner]) {
      const answer = await post(service, 'query ($id: ID!) { event(id: $id) { id } }', { id: hidden.id }, { key })
      expect(codeOf(answer)).toBe('not_found')
    }
  })

  test('shows everything to administrators and unscoped api keys, and refuses other keys', async () => {
    const all = ids(await nodes({ first: 200 }))
    for (const key of [who.owner, who.admin, who.viewer]) expect(ids(await nodes({ first: 200 }, key))).toEqual(all)
    for (const key of [who.otherApi, who.otherOwner]) expect(await nodes({}, key)).toEqual([])
    expect(codeOf(await post(service, EVENTS, {}, { key: who.uploader }))).toBe('forbidden')
    expect(codeOf(await post(service, EVENTS, {}))).toBe('unauthenticated')
  })
})

describe('GET /v1/event', () => {
  const get = (query = '', key = who.api) => service.v1('GET', `/event${query}`, { key })

  test('lists the same events; next stays the same while there is no new event', async () => {
    const all = await nodes({ first: 200 })
    const seen: Json[] = []
    let next: string | null = null
    for (let page = 0; page < 100; page++) {
      const { status, json }: Json = await get(`?limit=3${next ? `&after=${next}` : ''}`)
      expect(status).toBe(200)
      expect(Object.keys(json).sort()).toEqual(['api_request_id', 'events', 'next', 'ok'])
      seen.push(...json.events)
      next = json.next
      if (json.events.length === 0) break
    }
    const bodies = all.map(({ body }) => JSON.parse(body))
    expect(seen.map(({ type, created_at, data }) => ({ type, timestamp: created_at, data }))).toEqual(bodies)
    expect(ids(seen)).toEqual(ids(all))
    expect(next).toBe((await list({ first: 200 })).pageInfo.endCursor)
    expect((await get(`?after=${next}`)).json).toMatchObject({ events: [], next })
  })

  test('takes comma-separated types; rejects unknown types, limits out of range and invalid cursors', async () => {
    const { json } = await get('?type=collection.created,%20collection.deleted&limit=200')
    const expected = await nodes({ filter: { type: ['COLLECTION_CREATED', 'COLLECTION_DELETED'] }, first: 200 })
    expect(ids(json.events)).toEqual(ids(expected))
    const uuidCursor = Buffer.from(`after:${UNKNOWN}`).toString('base64url')
    for (const query of ['?type=collection', '?type=', '?limit=0', '?limit=201', '?after=x', `?after=${uuidCursor}`]) {
      expect((await get(query)).json.code, query).toBe('invalid_input')
    }
  })

  test('answers an empty feed with next null, and 401 or 403 to keys that may not read it', async () => {
    expect((await get('', who.otherApi)).json).toMatchObject({ ok: true, events: [], next: null })
    expect((await service.v1('GET', '/event', { key: null })).status).toBe(401)
    expect((await get('', who.uploader)).status).toBe(403)
  })
})

describe('events that a filter or a scope leaves out', () => {
  const get = async (query: string, key = who.api) => (await service.v1('GET', `/event${query}`, { key })).json
  const newest = async () => (await list({ last: 1 })).pageInfo.endCursor as string
  const recordUnknown = () => service.services.db.$transaction((tx) => record(tx, UNKNOWN))

  test('are passed by the cursor', async () => {
    const from = await newest()
    for (let i = 0; i < 3; i++) await recordUnknown()
    const to = await newest()
    const rest = await get(`?type=webhook.disabled&after=${from}`)
    expect([rest.events, rest.next]).toEqual([[], to])
    expect((await get(`?type=webhook.disabled&after=${to}`)).next).toBe(to)
    const page = await list({ filter: { type: ['WEBHOOK_DISABLED'] }, after: from })
    expect([page.edges, page.pageInfo]).toEqual([[], { endCursor: to, hasNextPage: false }])
    const scoped = await list({ after: from }, who.collectionKey)
    expect([scoped.edges, scoped.pageInfo.endCursor]).toEqual([[], to])
  })

  test('are passed after the last match, but not while matches remain', async () => {
    const from = await newest()
    await recordUnknown()
    await collectionOf({})
    await collectionOf({})
    await recordUnknown()
    const to = await newest()
    const first = await get(`?type=collection.created&limit=1&after=${from}`)
    expect([first.events.length, first.next === to]).toEqual([1, false])
    const second = await get(`?type=collection.created&limit=5&after=${first.next}`)
    expect([second.events.length, second.next]).toEqual([1, to])
  })

  test('are examined in bounded numbers', async () => {
    const from = await newest()
    await service.services.pool.query(`BEGIN; SET LOCAL session_replication_role = replica;
      INSERT INTO event (id, organization_id, collection_id, type, data)
      SELECT gen_random_uuid(), '${who.organizationId}', '${UNKNOWN}', 'collection.updated', '{"collection_id":"${UNKNOWN}","collection":{"title":"Many"}}'
      FROM generate_series(1, 50000);
      COMMIT`)
    const to = await newest()
    const created = await collectionOf({})
    const rest = await get(`?type=collection.created&after=${from}`)
    expect([rest.events, rest.next]).toEqual([[], to])
    const page = await list({ filter: { type: ['COLLECTION_CREATED'] }, after: from })
    expect([page.edges, page.pageInfo]).toEqual([[], { endCursor: to, hasNextPage: true }])
    const { events } = await get(`?type=collection.created&after=${rest.next}`)
    expect(events.map(({ data }: Json) => data.collection_id)).toEqual([created])
    await service.services.pool.query(`DELETE FROM event WHERE data->'collection'->>'title' = 'Many'`)
  })
})

describe('order', () => {
  test('orders events by commit, and does not wait for open transactions', async () => {
    const { db } = service.services
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
    const { promise: isRecorded, resolve: recorded } = Promise.withResolvers<void>()
    const [slow, fast] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
    const slowWriter = db.$transaction(async (tx) => {
      await record(tx, slow)
      recorded()
      await mayCommit
    })
    await isRecorded
    await db.$transaction((tx) => record(tx, fast))
    const before = await list({ last: 1 })
    expect(before.edges[0].node.collectionId).toBe(fast)
    commit()
    await slowWriter
    const after = await list({ after: before.pageInfo.endCursor })
    expect(after.edges.map(({ node }: Json) => node.collectionId)).toEqual([slow])
  })

  test('keeps the order of events of one transaction, and has none of a rolled back one', async () => {
    const { db } = service.services
    const { pageInfo } = await list({ last: 1 })
    const collections = Array.from({ length: 5 }, () => Bun.randomUUIDv7())
    await db.$transaction(async (tx) => {
      for (const id of collections) await record(tx, id)
    })
    const broken = db.$transaction(async (tx) => {
      await record(tx, UNKNOWN)
      throw new Error('rolled back')
    })
    await expect(broken).rejects.toThrow('rolled back')
    expect((await nodes({ after: pageInfo.endCursor })).map((event) => event.collectionId)).toEqual(collections)
  })

  test('delivers each event of 20 concurrent writers once, in the same order, to several readers', async () => {
    const { db } = service.services
    const [WRITERS, EACH] = [20, 10]
    const { pageInfo } = await list({ last: 1 })
    const written = new Set<string>()
    const write = async (writer: number) => {
      for (let turn = 0; turn < EACH; turn++) {
        const id = Bun.randomUUIDv7()
        await db.$transaction(async (tx) => {
          await record(tx, id)
          // Delays the commit by a varying number of statements.
          for (let step = 0; step < (writer * 7 + turn * 3) % 11; step++) await tx.$queryRaw`SELECT 1`
        })
        written.add(id)
      }
    }
    const read = async (first: number) => {
      const seen: string[] = []
      let after = pageInfo.endCursor
      while (seen.length < WRITERS * EACH) {
        const isOver = written.size === WRITERS * EACH
        const page = await list({ after, first })
        seen.push(...page.edges.map(({ node }: Json) => node.collectionId))
        after = page.pageInfo.endCursor ?? after
        if (isOver && page.edges.length === 0) break
      }
      return seen
    }
    const readers = [7, 11, 100].map(read)
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    const [seen, ...others] = await Promise.all(readers)
    expect(seen?.length).toBe(WRITERS * EACH)
    expect(new Set(seen)).toEqual(written)
    for (const other of others) expect(other).toEqual(seen as string[])
  })

  test('numbers events again after a crash during the numbering', async () => {
    const { db, pool } = service.services
    const { pageInfo } = await list({ last: 1 })
    const ids = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
    for (const id of ids) await db.$transaction((tx) => record(tx, id))
    await pool.query(`BEGIN; SELECT event_number('${who.organizationId}', 5000); ROLLBACK`)
    expect((await nodes({ after: pageInfo.endCursor })).map((event) => event.collectionId)).toEqual(ids)
  })

  test('numbers more events than one statement does, and those that no client has read', async () => {
    const { pool } = service.services
    const { pageInfo } = await list({ last: 1 })
    const unnumbered = async () =>
      (await pool.query('SELECT count(*)::int AS count FROM event WHERE NOT is_numbered')).rows[0].count
    expect(await unnumbered()).toBe(0)
    const insert = `INSERT INTO event (id, organization_id, collection_id, type, data)
      SELECT gen_random_uuid(), '${who.organizationId}', '${UNKNOWN}', 'collection.updated', '{"collection_id":"${UNKNOWN}","collection":{"title":"Many"}}'
      FROM generate_series(1, 5001)`
    await pool.query(insert)
    expect((await list({ after: pageInfo.endCursor })).totalCount).toBe((await list()).totalCount)
    expect(await unnumbered()).toBe(0)
    await pool.query(insert)
    expect(await unnumbered()).toBe(5001)
    await runTask(service.services, 'number_events')
    expect(await unnumbered()).toBe(0)
    await pool.query(`DELETE FROM event WHERE data->'collection'->>'title' = 'Many'`)
  })

  test('deletes old events with their deliveries; a cursor stays valid after its event is deleted', async () => {
    const { db } = service.services
    const [first, second] = (await list({ first: 2 })).edges
    const third = (await list({ first: 3 })).edges[2].node.id
    const days = (age: number) => new Date(Date.now() - age * 86_400_000)
    await db.event.update({ where: { id: first.node.id }, data: { createdAt: days(30.01) } })
    await db.event.update({ where: { id: second.node.id }, data: { createdAt: days(29.99) } })
    const { organizationId } = who
    const endpoint = await db.webhookEndpoint.create({
      data: { organizationId, url: 'https://x.test', secrets: ['x'] },
    })
    const delivery = { organizationId, endpointId: endpoint.id }
    await db.webhookDelivery.create({ data: { ...delivery, eventId: first.node.id } })
    await db.webhookDelivery.create({ data: { ...delivery, eventId: second.node.id } })
    await runTask(service.services, 'forget_events')
    expect(await db.webhookDelivery.count()).toBe(1)
    expect(ids(await nodes({ first: 2 }))).toEqual([second.node.id, third])
    expect(ids(await nodes({ first: 2, after: first.cursor }))).toEqual([second.node.id, third])
  })
})
