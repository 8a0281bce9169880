// Usage: play requests and listens counted in the ledger.
import { beforeAll, describe, expect, test } from 'bun:test'
import { makeKey } from '../../spec/support.ts'
import { codeOf, data, post, sql } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
let who: Everybody
beforeAll(async () => {
  who = await everybody(service)
})

const USAGE = `query ($from: DateTime, $to: DateTime, $groupBy: [UsageGroup!], $creatorId: ID, $collectionId: ID, $trackId: ID, $top: Int) {
  usage(from: $from, to: $to, groupBy: $groupBy, creatorId: $creatorId, collectionId: $collectionId, trackId: $trackId, top: $top) { day creatorId collectionId trackId keyId variantId requests listens } }`
const usage = async (variables: object = {}, key = who.api): Promise<Json[]> =>
  (await data(service, USAGE, variables, key)).usage
const refusal = async (variables: object) => (await post(service, USAGE, variables, { key: who.api })).json.errors[0]
const NONE = { day: null, creatorId: null, collectionId: null, trackId: null, keyId: null, variantId: null }
const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** Writes ledger rows: [time, creator, collection, track, key, variant]. */
async function ledger(rows: [string, string | null, string, number, number, number][], organization?: string) {
  for (const [at, creator, collection, track, key, variant] of rows) {
    await sql(
      service,
      `INSERT INTO play_event (id, organization_id, created_at, creator_id, collection_id, track_id, key_id, variant_id)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7)`,
      [organization ?? who.organizationId, at, creator, collection, uuid(track), uuid(key), uuid(variant)],
    )
  }
}

test('counts a play as soon as it is answered, in every group', async () => {
  const { id } = await processed(service, await tone(1), 'counted.wav')
  const play = async () => (await service.request('GET', `/v1/stream/${id}/${service.demo.share_key}`)).status
  expect(await usage()).toEqual([{ ...NONE, requests: 0, listens: 0 }])
  for (let count = 1; count <= 3; count++) {
    expect(await play()).toBe(302)
    expect(await usage()).toEqual([{ ...NONE, requests: count, listens: 1 }])
  }
  expect((await service.request('GET', `/v1/stream/${id}/nonsense`)).status).toBe(404)
  const key = await service.services.db.apiKey.findFirstOrThrow({ where: { kind: 'share' } })
  const groupBy = ['VARIANT', 'KEY', 'DAY', 'TRACK', 'COLLECTION', 'CREATOR', 'DAY']
  const row = { creatorId: null, collectionId: who.collectionId, trackId: id, keyId: key.id, variantId: key.variantId }
  expect(await usage({ groupBy })).toEqual([
    { day: new Date().toISOString().slice(0, 10), ...row, requests: 3, listens: 1 },
  ])
  await sql(service, 'DELETE FROM play_event')
})

describe('with a ledger', () => {
  const [A, B] = [uuid(1001), uuid(1002)]
  beforeAll(() =>
    ledger([
      ['2026-01-01T00:00:00.000Z', null, A, 1, 1, 1],
      ['2026-01-01T23:59:59.999Z', null, A, 1, 2, 1],
      ['2026-01-02T00:00:00.000Z', who.creatorId, B, 2, 1, 1],
      ['2026-01-02T05:00:00.000Z', who.creatorId, who.collectionId, 3, 1, 2],
      ['2026-01-03T00:00:00.000Z', null, who.collectionId, 3, 2, 2],
    ]),
  )
  const range = { from: '2026-01-01', to: '2026-01-04' }

  test('groups by days in UTC, from an inclusive start to an exclusive end', async () => {
    const days = async (variables: object) =>
      (await usage({ ...variables, groupBy: ['DAY'] })).map(({ day, requests }) => [day, requests])
    expect(await days(range)).toEqual([
      ['2026-01-01', 2],
      ['2026-01-02', 2],
      ['2026-01-03', 1],
    ])
    expect(await days({ from: '2026-01-01T00:00:00.001Z', to: '2026-01-02' })).toEqual([['2026-01-01', 1]])
    expect(await days({ from: '2026-01-02T01:00:00+01:00', to: '2026-01-03T00:00:00.001Z' })).toEqual([
      ['2026-01-02', 2],
      ['2026-01-03', 1],
    ])
  })

  test('sorts rows the same for any order of groupBy', async () => {
    const rows = await usage({ ...range, groupBy: ['COLLECTION', 'CREATOR'] })
    expect(rows).toEqual(await usage({ ...range, groupBy: ['CREATOR', 'COLLECTION'] }))
    const expected = [
      { ...NONE, creatorId: who.creatorId, collectionId: B, requests: 1, listens: 1 },
      { ...NONE, creatorId: who.creatorId, collectionId: who.collectionId, requests: 1, listens: 1 },
      { ...NONE, collectionId: A, requests: 2, listens: 2 },
      { ...NONE, collectionId: who.collectionId, requests: 1, listens: 1 },
    ]
    expect(rows).toEqual(expected)
    const keys = await usage({ ...range, groupBy: ['KEY'] })
    expect(keys.map(({ keyId, requests }) => [keyId, requests])).toEqual([
      [uuid(1), 3],
      [uuid(2), 2],
    ])
    const tracks = await usage({ ...range, groupBy: ['TRACK', 'VARIANT'] })
    expect(tracks.map(({ trackId, variantId, requests }) => [trackId, variantId, requests])).toEqual([
      [uuid(1), uuid(1), 2],
      [uuid(2), uuid(1), 1],
      [uuid(3), uuid(2), 2],
    ])
    expect(await usage(range)).toEqual([{ ...NONE, requests: 5, listens: 5 }])
  })

  test('counts the plays of a creator, of a collection, or of both', async () => {
    const requests = async (limits: object, key?: string) => (await usage({ ...range, ...limits }, key))[0].requests
    const { creatorId, collectionId } = who
    expect(await requests({ creatorId })).toBe(2)
    expect(await requests({ collectionId })).toBe(2)
    expect(await requests({ creatorId, collectionId })).toBe(1)
    expect(await requests({ creatorId: uuid(999) })).toBe(0)
    const key = await makeKey(service, 'api', { collectionId })
    expect([await requests({}, key), await requests({ collectionId }, key)]).toEqual([2, 2])
    expect(await requests({ collectionId: A }, key)).toBe(0)
  })

  test('returns the rows with the most listens, the most first', async () => {
    const top = async (top: number) =>
      (await usage({ ...range, groupBy: ['TRACK'], top })).map(({ trackId, requests }) => [trackId, requests])
    // Track 2 has one listen, the others two: equal rows are in the order of their groups.
    expect(await top(2)).toEqual([
      [uuid(1), 2],
      [uuid(3), 2],
    ])
    expect((await top(100)).at(-1)).toEqual([uuid(2), 1])
    expect((await refusal({ top: 0 })).message).toBe('top: must be between 1 and 100')
    expect((await refusal({ top: 101 })).message).toBe('top: must be between 1 and 100')
    const { json } = await service.v1('GET', `/usage?group_by=track&top=1&from=${range.from}&to=${range.to}`, {
      key: who.api,
    })
    expect(json.usage).toMatchObject([{ track_id: uuid(1), requests: 2 }])
  })

  test('counts the plays of one track, within the scope of the key', async () => {
    const days = async (trackId: string, key = who.api) =>
      (await usage({ ...range, groupBy: ['DAY'], trackId }, key)).map(({ day, requests }) => [day, requests])
    expect(await days(uuid(3))).toEqual([
      ['2026-01-02', 1],
      ['2026-01-03', 1],
    ])
    expect(await days(uuid(3), who.collectionKey)).toHaveLength(2)
    expect(await days(uuid(1), who.collectionKey)).toEqual([])
    expect(await days(crypto.randomUUID())).toEqual([])
  })

  test('shows everything to administrators and unscoped keys, its part to a scoped key, nothing to other keys', async () => {
    await ledger([['2026-01-02T00:00:00Z', null, A, 9, 9, 9]], who.otherOrganizationId)
    const total = async (key: string) => (await usage(range, key))[0].requests
    for (const key of [who.owner, who.admin, who.viewer, who.api]) expect(await total(key)).toBe(5)
    expect(await total(who.collectionKey)).toBe(2)
    expect(await total(who.creatorKey)).toBe(2)
    for (const key of [who.otherOwner, who.otherApi]) expect(await total(key)).toBe(1)
    expect(codeOf(await post(service, USAGE, range, { key: who.uploader }))).toBe('forbidden')
    expect(codeOf(await post(service, USAGE, range))).toBe('unauthenticated')
  })

  test('defaults to the last 30 days', async () => {
    service.clock.now = new Date('2026-01-31T23:59:59.999Z')
    const requests = async (variables: object = {}) => (await usage(variables))[0].requests
    expect(await requests()).toBe(4)
    expect(await requests({ to: '2026-02-01' })).toBe(3)
    expect(await requests({ from: '2026-01-03' })).toBe(1)
    await ledger([[service.clock.now.toISOString(), null, A, 1, 1, 1]])
    expect(await requests({ from: '2026-01-31' })).toBe(1)
    service.clock.now = null
    await sql(service, "DELETE FROM play_event WHERE created_at > '2026-01-30'")
  })
})

describe('limits', () => {
  test.each([
    [{ from: 'yesterday' }, 'from: must be a time as ISO 8601'],
    [{ from: '0000-12-31' }, 'from: must be in the years 1 to 9999 in UTC'],
    [{ from: '9999-12-31T23:59:59-00:01' }, 'from: must be in the years 1 to 9999 in UTC'],
    [{ from: '2026-01-01', to: '2026-01-01' }, 'to: must be after from'],
    [{ from: '2026-01-02', to: '2026-01-01' }, 'to: must be after from'],
    [{ from: '2025-01-01', to: '2026-02-05T00:00:00.001Z' }, 'from: must be at most 400 days before the end'],
    [{ from: '2025-01-01' }, 'from: must be at most 400 days before the end'],
  ])('rejects %j', async (variables, message) => {
    expect(await refusal(variables)).toMatchObject({ message, extensions: { code: 'invalid_input' } })
  })

  test('accepts 400 days', async () => {
    expect(await usage({ from: '2025-01-01', to: '2026-02-05' })).toHaveLength(1)
  })

  test('accepts the last second that it can write', async () => {
    expect(await usage({ from: '9999-12-31T23:59:59Z' })).toMatchObject([{ requests: 0 }])
  })

  test('rejects more than 10,000 rows, and answers 10,000', async () => {
    await sql(
      service,
      `INSERT INTO play_event (id, organization_id, created_at, collection_id, track_id, key_id, variant_id)
       SELECT gen_random_uuid(), $1, '2024-01-01T12:00:00Z', $2, gen_random_uuid(), $2, $2 FROM generate_series(1, 10000)`,
      [who.organizationId, uuid(1)],
    )
    const wide = { from: '2024-01-01', to: '2024-01-02', groupBy: ['TRACK'] }
    expect(await usage(wide)).toHaveLength(10_000)
    await ledger([['2024-01-01T13:00:00Z', null, uuid(1), 1, 1, 1]])
    const { message, extensions } = await refusal(wide)
    expect(extensions.code).toBe('invalid_input')
    expect(message).toBe('groupBy: yields more than 10000 rows; narrow from and to, or group by less')
    expect(await usage({ ...wide, groupBy: ['DAY'] })).toMatchObject([{ day: '2024-01-01', requests: 10_001 }])
  })
})

test('reads the ledger by its index', async () => {
  const client = await service.services.pool.connect()
  try {
    await client.query('BEGIN')
    // The planner prefers a sequential scan for few rows.
    await client.query('SET LOCAL enable_seqscan = off')
    const text = `EXPLAIN SELECT count(*) FROM play_event WHERE organization_id = $1 AND created_at >= '2026-01-01'`
    const { rows } = await client.query(text, [who.organizationId])
    expect(JSON.stringify(rows)).toMatch(/using play_event_2026_11_pkey.*on play_event_rest_pkey/)
    await client.query('ROLLBACK')
  } finally {
    client.release()
  }
})
