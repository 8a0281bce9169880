// Sums of the ledger: every query yields the same from sums as from the ledger.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { chooseGrain, grains } from '../../../src/domain/usage/grains.ts'
import { keepLedger } from '../../../src/domain/usage/ledger.ts'
import { toPeriod } from '../../../src/domain/usage/period.ts'
import { playsStatement } from '../../../src/domain/usage/plays.ts'
import { rollUpPlays } from '../../../src/domain/usage/roll-up.ts'
import { data, post, sql, whileLocked } from '../../support/administrators.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()

const ORGANIZATION = () => service.demo.organization_id
const rowsOf = async (text: string, values: unknown[] = []): Promise<Json[]> => (await sql(service, text, values)).rows
const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** Plays at equal intervals, of a few tracks, keys and creators. Every third one is a listen. */
const plays = (from: string, to: string, count: number) =>
  sql(
    service,
    `INSERT INTO play_event (id, organization_id, created_at, collection_id, creator_id, track_id, key_id, variant_id, exclusion)
     SELECT gen_random_uuid(), $1, $2::timestamptz + ($3::timestamptz - $2::timestamptz) * n / $4::int,
       ($5::uuid[])[1 + n % 2], ($5::uuid[])[3 + n % 5], ($5::uuid[])[1 + n % 3], ($5::uuid[])[1 + n % 4], ($5::uuid[])[1],
       CASE WHEN n % 3 = 0 THEN NULL ELSE 'repeat' END::play_exclusion
     FROM generate_series(0, $4::int - 1) n`,
    [ORGANIZATION(), from, to, count, [uuid(1), uuid(2), uuid(3), uuid(4)]],
  )

const USAGE = `query ($from: DateTime, $to: DateTime, $groupBy: [UsageGroup!], $trackId: ID) {
  usage(from: $from, to: $to, groupBy: $groupBy, trackId: $trackId) { day creatorId collectionId trackId keyId variantId requests listens } }`
const usage = async (variables: object, key: string = service.demo.api_key): Promise<Json[]> =>
  (await data(service, USAGE, variables, key)).usage
const at = (time: string) => new Date(time)
const rollUp = (time: string) => rollUpPlays(service.services.pool, at(time))
const summedTo = async () => (await service.services.db.playCounted.findFirst())?.summedTo?.toISOString()

beforeEach(async () => {
  service.clock.now = at('2026-03-10T12:30:00Z')
  await sql(service, `TRUNCATE play_event, play_counted, ${grains.map(({ table }) => table).join(', ')}`)
})
afterAll(() => {
  service.clock.now = null
})

/** Content of each table of sums: its rows, their requests, and the parts of these. */
const sums = () =>
  rowsOf(
    grains
      .map(
        ({ table }) => `SELECT '${table}' AS table, count(*)::int AS rows, sum(requests)::int AS requests,
          sum((SELECT sum(part.requests) FROM unnest(parts) AS part))::int AS "inParts" FROM ${table}`,
      )
      .join(' UNION ALL '),
  )

const ranges = [
  { from: '2026-03-01', to: '2026-03-08' },
  { from: '2026-03-01T00:00:00.001Z', to: '2026-03-07T23:59:59.999Z' },
  { from: '2026-03-02T05:30:00Z', to: '2026-03-02T05:45:00Z' },
  { from: '2026-03-02T05:30:00Z', to: '2026-03-02T07:10:00Z' },
  { from: '2026-03-02T05:00:00Z', to: '2026-03-04T07:00:00Z' },
  { from: '2026-03-05T22:15:00Z' },
  { from: '2026-03-08T11:59:59.999Z' },
]
const groupings = [
  [],
  ['DAY'],
  ['CREATOR'],
  ['DAY', 'KEY', 'VARIANT'],
  ['COLLECTION', 'KEY'],
  ['CREATOR', 'TRACK'],
  ['DAY', 'CREATOR', 'COLLECTION', 'TRACK', 'KEY', 'VARIANT'],
]
const everything = (key?: string) =>
  Promise.all(ranges.flatMap((range) => groupings.map((groupBy) => usage({ ...range, groupBy }, key))))

test('yields the same for every range and grouping before, during and after a run, and sums each hour once', async () => {
  await plays('2026-03-01T00:00:00Z', '2026-03-08T12:00:00Z', 2500)
  const exact = await everything()
  expect(exact[0]).toMatchObject([{ requests: 2334, listens: 778 }])
  await rollUp('2026-03-04T09:20:00Z')
  expect(await summedTo()).toBe('2026-03-04T09:00:00.000Z')
  expect(await everything()).toEqual(exact)
  // One of two workers has written its sums and waits, with the other, before it commits.
  const twice = () => Promise.all([rollUp('2026-03-08T12:10:00Z'), rollUp('2026-03-08T12:10:00Z')])
  await whileLocked(service, [['LOCK TABLE play_counted IN EXCLUSIVE MODE']], twice, 2)
  expect(await summedTo()).toBe('2026-03-08T11:00:00.000Z')
  expect(await everything()).toEqual(exact)
  const before = await sums()
  for (const { requests, inParts } of before) expect([requests, inParts]).toEqual([2487, 2487])
  await rollUp('2026-03-08T12:14:59Z')
  expect(await sums()).toEqual(before)
  // Only current hours and parts of hours are read from the ledger.
  await sql(service, `DELETE FROM play_event WHERE created_at < '2026-03-08T11:00:00Z'`)
  expect(await usage({ from: '2026-03-01', to: '2026-03-08', groupBy: ['DAY', 'KEY'] })).toHaveLength(28)
  expect(await usage({ from: '2026-03-01', to: '2026-03-08' })).toEqual(exact[0] ?? [])
})

test('counts the current hour at once, and a late row after the next run', async () => {
  await plays('2026-03-09T10:00:00Z', '2026-03-10T12:00:00Z', 260)
  await rollUp('2026-03-10T12:20:00Z')
  await plays('2026-03-10T12:00:00Z', '2026-03-10T12:30:00Z', 5)
  const total = async () => (await usage({ from: '2026-03-09', to: '2026-03-11' }))[0]?.requests
  expect(await total()).toBe(265)
  await plays('2026-03-10T11:59:00Z', '2026-03-10T11:59:01Z', 1)
  await rollUp('2026-03-10T13:20:00Z')
  expect(await total()).toBe(266)
  expect(await summedTo()).toBe('2026-03-10T13:00:00.000Z')
})

test('adds late rows to every table of sums, next to the sums of other hours and organizations', async () => {
  await plays('2026-03-09T10:00:00Z', '2026-03-10T12:00:00Z', 260)
  await sql(
    service,
    `UPDATE play_event SET organization_id = gen_random_uuid() WHERE created_at < '2026-03-09T12:00:00Z'`,
  )
  await rollUp('2026-03-10T12:20:00Z')
  const range = { from: '2026-03-09', to: '2026-03-11' }
  const tracks = async () => (await usage({ ...range, groupBy: ['TRACK'] })).map(({ requests }) => requests)
  const before = await tracks()
  // The first track has a late listen, in an hour with plays of each.
  await plays('2026-03-10T11:10:00Z', '2026-03-10T11:10:01Z', 1)
  await rollUp('2026-03-10T13:20:00Z')
  expect(await tracks()).toEqual(before.map((requests, place) => requests + (place === 0 ? 1 : 0)))
  for (const { requests, inParts } of await sums()) expect([requests, inParts]).toEqual([261, 261])
  const everyGroup = { ...range, groupBy: groupings.at(-1) }
  const exact = await usage(everyGroup)
  await sql(service, `TRUNCATE play_counted, ${grains.map(({ table }) => table).join(', ')}`)
  expect(await usage(everyGroup)).toEqual(exact)
})

test('yields the same for a key with a scope, from sums and from the ledger', async () => {
  await plays('2026-03-01T00:00:00Z', '2026-03-08T12:00:00Z', 1000)
  const { collection_id: collectionId } = service.demo
  const { json: creator } = await service.v1('POST', '/creator', { body: { organization_index: 'summed' } })
  await sql(service, 'UPDATE play_event SET collection_id = $2 WHERE collection_id = $1', [uuid(1), collectionId])
  await sql(service, 'UPDATE play_event SET creator_id = $2 WHERE creator_id = $1', [uuid(3), creator.creator_id])
  const scopes = [{ collectionId }, { creatorId: creator.creator_id }]
  const keys = await Promise.all(
    scopes.map((scope) => issueKey(service.services, ORGANIZATION(), 'api', { title: 'of a test', ...scope })),
  )
  const exact = await Promise.all(keys.map(({ key }) => everything(key)))
  expect(exact.map((answers) => answers[0]?.[0]?.requests)).toEqual([467, 187])
  await rollUp('2026-03-08T12:20:00Z')
  expect(await Promise.all(keys.map(({ key }) => everything(key)))).toEqual(exact)
})

test('yields the days of one track, from sums and from the ledger', async () => {
  await plays('2026-02-01T00:00:00Z', '2026-03-08T12:00:00Z', 1000)
  for (const from of ['2026-03-01', '2026-03-01T05:30:00Z', '2026-02-01']) {
    const exact = (await usage({ from, groupBy: ['DAY', 'TRACK'] })).filter(({ trackId }) => trackId === uuid(2))
    expect(exact.length).toBeGreaterThan(6)
    const days = async () => (await usage({ from, groupBy: ['DAY'], trackId: uuid(2) })).map(({ requests }) => requests)
    expect(await days()).toEqual(exact.map(({ requests }) => requests))
    await rollUp('2026-03-08T10:20:00Z')
    expect(await days()).toEqual(exact.map(({ requests }) => requests))
  }
})

test('counts each row once when hours get sums between the split of the period and the statement', async () => {
  await plays('2026-03-07T00:00:00Z', '2026-03-10T12:00:00Z', 500)
  await rollUp('2026-03-08T10:20:00Z')
  const { services } = service
  const scope = { organizationId: ORGANIZATION(), collectionId: null, creatorId: null }
  const prepared = async (from: string, to?: string) => {
    const period = toPeriod({ from: at(from), ...(to ? { to: at(to) } : {}) }, services.clock())
    const statements = await Promise.all(
      [false, true].map((isStreamed) => playsStatement(services, scope, period, ['track'], isStreamed)),
    )
    return () => Promise.all(statements.map((statement) => services.reader.query(statement)))
  }
  const cases = [['2026-03-07'], ['2026-03-08T05:00:00Z', '2026-03-10T07:00:00Z'], ['2026-03-08T11:30:00Z']] as const
  const reads = await Promise.all(cases.map(([from, to]) => prepared(from, to)))
  const exact = await Promise.all(reads.map((read) => read()))
  await rollUp('2026-03-10T12:20:00Z')
  expect(await Promise.all(reads.map((read) => read()))).toEqual(exact)
})

test('streams the same rows as CSV, also of more days than are read one by one', async () => {
  await plays('2026-02-01T00:00:00Z', '2026-03-10T12:00:00Z', 2500)
  await rollUp('2026-03-10T12:20:00Z')
  for (const range of [...ranges, { from: '2026-02-01T12:30:00Z' }, { from: '2026-03-10' }, { from: '2026-03-11' }]) {
    for (const groupBy of [['track'], ['day', 'track'], ['track', 'key'], ['creator', 'track']]) {
      const rows = await usage({ ...range, groupBy: groupBy.map((group) => group.toUpperCase()) })
      const names = [...groupBy.map((group) => (group === 'day' ? group : `${group}Id`)), 'requests', 'listens']
      const query = new URLSearchParams([...Object.entries(range), ['group_by', groupBy.join(',')], ['format', 'csv']])
      const { text } = await service.v1('GET', `/usage?${query}`)
      const [, ...lines] = text.trimEnd().split('\r\n')
      expect(lines, query.toString()).toEqual(rows.map((row) => names.map((name) => row[name] ?? '').join(',')))
    }
  }
})

test('reads the coarsest sums that keep the columns apart', () => {
  const tableOf = (...columns: string[]) => chooseGrain(columns).table
  expect(tableOf()).toBe('play_day')
  expect(tableOf('creator_id')).toBe('play_day_creator')
  expect(tableOf('creator_id', 'collection_id')).toBe('play_day_collection')
  expect(tableOf('track_id')).toBe('play_day_track')
})

test('does nothing for an empty ledger, and catches up after days without a run', async () => {
  await rollUp('2026-03-10T12:20:00Z')
  expect(await summedTo()).toBeUndefined()
  await plays('2026-03-01T10:59:59Z', '2026-03-01T11:00:01Z', 2)
  await rollUp('2026-03-01T13:20:00Z')
  await rollUp('2026-03-20T12:20:00Z')
  expect(await summedTo()).toBe('2026-03-20T12:00:00.000Z')
  const rows = await rowsOf(
    'SELECT day::text, hour, part.requests FROM play_day CROSS JOIN unnest(parts) AS part ORDER BY 1, 2',
  )
  expect(rows).toEqual([
    { day: '2026-03-01', hour: 10, requests: 1 },
    { day: '2026-03-01', hour: 11, requests: 1 },
  ])
})

describe('months', () => {
  const keep = (time: string, months = 2) => keepLedger(service.services.pool, at(time), months)
  const parts = async () =>
    (await rowsOf(`SELECT inhrelid::regclass::text AS part FROM pg_inherits WHERE inhparent = 'play_event'::regclass`))
      .map(({ part }) => part.replace('ledger.play_event_', ''))
      .sort()
  const inRest = async () => (await rowsOf('SELECT count(*)::int AS n FROM ledger.play_event_rest'))[0]?.n

  test('are created in advance, and for rows of the default partition', async () => {
    await plays('2027-06-30T23:59:59.999Z', '2027-07-01T00:00:00.001Z', 2)
    expect(await inRest()).toBe(2)
    await keep('2027-10-31T23:59:59Z', 12)
    await keep('2027-10-31T23:59:59Z', 12)
    expect(await inRest()).toBe(0)
    const partMonths = ['2027_06', '2027_07', '2027_10', '2027_11', '2027_12']
    expect(await parts()).toEqual(expect.arrayContaining(partMonths))
    const rows = await rowsOf(`SELECT tableoid::regclass::text AS part FROM play_event ORDER BY created_at`)
    expect(rows.map(({ part }) => part)).toEqual(['ledger.play_event_2027_06', 'ledger.play_event_2027_07'])
  })

  test('are dropped once they are old and have sums; usage stays the same', async () => {
    await plays('2026-01-05T00:00:00Z', '2026-05-05T00:00:00Z', 1200)
    const wide = { from: '2026-01-01', to: '2026-05-06', groupBy: ['CREATOR', 'KEY'] }
    await keep('2026-05-10T00:00:00Z', 100)
    const exact = await usage(wide)
    await keep('2026-05-10T00:00:00Z')
    expect(await parts()).toEqual(expect.arrayContaining(['2026_01', '2026_02']))
    await rollUp('2026-05-10T00:20:00Z')
    await keep('2026-05-10T00:00:00Z')
    const remainingParts = await parts()
    for (const month of ['2026_03', '2026_04', '2026_05']) expect(remainingParts).toContain(month)
    for (const month of ['2026_01', '2026_02']) expect(remainingParts).not.toContain(month)
    await rollUp('2026-05-10T01:20:00Z')
    expect(await usage(wide)).toEqual(exact)
    const half = { from: '2026-02-01T00:30:00Z', to: '2026-05-06' }
    const { errors } = (await post(service, USAGE, half, { key: service.demo.api_key })).json
    expect(errors[0].extensions.code).toBe('invalid_input')
    expect(errors[0].message).toBe(
      'from: must be a full hour: before 2026-03-01T00:00:00.000Z only hourly sums are kept',
    )
    const until = { from: '2026-02-01T00:00:00Z', to: '2026-02-06T00:00:00.001Z' }
    expect((await post(service, USAGE, until, { key: service.demo.api_key })).json.errors[0].message).toStartWith(
      'to: ',
    )
  })
})
