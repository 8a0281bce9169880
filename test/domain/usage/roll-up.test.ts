// Sums of the ledger: every query yields the same from sums as from the ledger.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { keepLedger, rollUpPlays } from '../../../src/domain/usage/roll-up.ts'
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

const USAGE = `query ($from: DateTime, $to: DateTime, $groupBy: [UsageGroup!]) {
  usage(from: $from, to: $to, groupBy: $groupBy) { day creatorId collectionId trackId keyId variantId requests listens } }`
const usage = async (variables: object): Promise<Json[]> =>
  (await data(service, USAGE, variables, service.demo.api_key)).usage
const at = (time: string) => new Date(time)
const rollUp = (time: string) => rollUpPlays(service.services.pool, at(time))
const countedTo = async () => (await service.services.db.playCounted.findFirst())?.countedTo.toISOString()

beforeEach(async () => {
  service.clock.now = at('2026-03-10T12:30:00Z')
  await sql(service, 'TRUNCATE play_event, play_count, play_counted')
})
afterAll(() => {
  service.clock.now = null
})

const ranges = [
  { from: '2026-03-01', to: '2026-03-08' },
  { from: '2026-03-01T00:00:00.001Z', to: '2026-03-07T23:59:59.999Z' },
  { from: '2026-03-02T05:30:00Z', to: '2026-03-02T05:45:00Z' },
  { from: '2026-03-02T05:30:00Z', to: '2026-03-02T07:10:00Z' },
  { from: '2026-03-02T05:00:00Z', to: '2026-03-04T07:00:00Z' },
  { from: '2026-03-05T22:15:00Z' },
  { from: '2026-03-08T11:59:59.999Z' },
]
const groupings = [[], ['DAY'], ['CREATOR', 'TRACK'], ['DAY', 'CREATOR', 'COLLECTION', 'TRACK', 'KEY', 'VARIANT']]
const everything = () =>
  Promise.all(ranges.flatMap((range) => groupings.map((groupBy) => usage({ ...range, groupBy }))))

test('yields the same for every range and grouping before, during and after a run, and sums each hour once', async () => {
  await plays('2026-03-01T00:00:00Z', '2026-03-08T12:00:00Z', 2500)
  const exact = await everything()
  expect(exact[0]).toMatchObject([{ requests: 2334, listens: 778 }])
  await rollUp('2026-03-04T09:20:00Z')
  expect(await countedTo()).toBe('2026-03-04T09:00:00.000Z')
  expect(await everything()).toEqual(exact)
  // One of two workers has written its sums and waits, with the other, before it commits.
  const twice = () => Promise.all([rollUp('2026-03-08T12:10:00Z'), rollUp('2026-03-08T12:10:00Z')])
  await whileLocked(service, [['LOCK TABLE play_counted IN EXCLUSIVE MODE']], twice, 2)
  expect(await countedTo()).toBe('2026-03-08T11:00:00.000Z')
  expect(await everything()).toEqual(exact)
  const sums = () => rowsOf('SELECT span, sum(requests)::int AS n FROM play_count GROUP BY 1 ORDER BY 1')
  const before = await sums()
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
  expect(await countedTo()).toBe('2026-03-10T13:00:00.000Z')
})

test('does nothing for an empty ledger, and catches up after days without a run', async () => {
  await rollUp('2026-03-10T12:20:00Z')
  expect(await countedTo()).toBeUndefined()
  await plays('2026-03-01T10:59:59Z', '2026-03-01T11:00:01Z', 2)
  await rollUp('2026-03-01T13:20:00Z')
  await rollUp('2026-03-20T12:20:00Z')
  expect(await countedTo()).toBe('2026-03-20T12:00:00.000Z')
  const found = await rowsOf(
    'SELECT span, starts_at, sum(requests)::int AS requests FROM play_count GROUP BY 1, 2 ORDER BY 1, 2',
  )
  expect(found).toEqual([
    { span: 'hour', starts_at: at('2026-03-01T10:00:00Z'), requests: 1 },
    { span: 'hour', starts_at: at('2026-03-01T11:00:00Z'), requests: 1 },
    { span: 'day', starts_at: at('2026-03-01T00:00:00Z'), requests: 2 },
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
    const made = ['2027_06', '2027_07', '2027_10', '2027_11', '2027_12']
    expect(await parts()).toEqual(expect.arrayContaining(made))
    const found = await rowsOf(`SELECT tableoid::regclass::text AS part FROM play_event ORDER BY created_at`)
    expect(found.map(({ part }) => part)).toEqual(['ledger.play_event_2027_06', 'ledger.play_event_2027_07'])
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
    const left = await parts()
    for (const month of ['2026_03', '2026_04', '2026_05']) expect(left).toContain(month)
    for (const month of ['2026_01', '2026_02']) expect(left).not.toContain(month)
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
