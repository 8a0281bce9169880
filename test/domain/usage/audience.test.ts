// Audience: what listeners listen with and where.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createStreamResolver } from '../../../src/domain/playback/stream.ts'
import { grains } from '../../../src/domain/usage/grains.ts'
import { rollUpPlaysTask } from '../../../src/domain/usage/ledger.task.ts'
import { codeOf, data, post, sql } from '../../support/administrators.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService({ AUDIENCE: 'on', COUNTRY_HEADER: 'cf-ipcountry', TRUSTED_PROXIES: '1' })
let who: Everybody
let track: string
beforeAll(async () => {
  who = await everybody(service)
  track = await playableTrack(service)
})
beforeEach(() =>
  sql(
    service,
    `TRUNCATE play_event, play_counted, audience_day, last_listen, ${grains.map(({ table }) => table).join(', ')}`,
  ),
)
afterAll(() => {
  service.clock.now = null
})

const AUDIENCE = `query ($by: AudienceKind!, $from: DateTime, $to: DateTime, $creatorId: ID, $collectionId: ID, $top: Int) {
  audience(by: $by, from: $from, to: $to, creatorId: $creatorId, collectionId: $collectionId, top: $top) { value listens } }`
/** Rows as `value: listens`. */
const audience = async (by: string, variables: object = {}, key = who.api): Promise<string[]> =>
  (await data(service, AUDIENCE, { by, ...variables }, key)).audience.map(
    ({ value, listens }: Json) => `${value}: ${listens}`,
  )

/** A play of a listener of its own. */
async function play(listener: number, headers: Record<string, string>): Promise<void> {
  const answer = await service.request('GET', `/v1/stream/${track}/${service.demo.share_key}`, {
    key: null,
    headers: { 'x-forwarded-for': `192.0.2.${listener}`, ...headers },
  })
  expect(answer.status).toBe(302)
}

const OVERCAST = { 'user-agent': 'Overcast/3.0 (+http://overcast.fm/; iOS podcast app)', 'cf-ipcountry': 'de' }
const FIREFOX = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
  'cf-ipcountry': 'AT',
  referer: 'https://label.example/album?id=1',
}

test('counts listens by app, device, country and site as soon as they are answered', async () => {
  await play(1, OVERCAST)
  await play(1, OVERCAST)
  await play(2, OVERCAST)
  await play(3, FIREFOX)
  await play(4, { 'user-agent': 'Lyrion/9.0 (Squeezebox Touch)', 'cf-ipcountry': 'T1' })
  await play(5, { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)', 'cf-ipcountry': 'US' })
  expect(await audience('APP')).toEqual(['Overcast: 2', 'null: 1', 'Firefox: 1'])
  expect(await audience('DEVICE')).toEqual(['phone: 2', 'null: 1', 'computer: 1'])
  expect(await audience('COUNTRY')).toEqual(['DE: 2', 'null: 1', 'AT: 1'])
  expect(await audience('SITE')).toEqual(['null: 3', 'label.example: 1'])
  expect(await audience('APP', { top: 1 })).toEqual(['Overcast: 2'])
  const { rows } = await sql(service, 'SELECT * FROM play_event')
  expect(JSON.stringify(rows)).not.toMatch(/192\.0\.2|X11|overcast\.fm|album/)
})

test('without the setting, a play has its site and nothing else', async () => {
  const { services, demo } = service
  const config = { ...services.config, isAudienceKept: false }
  const hints = { range: null, purpose: null, isHead: false, site: null, cookie: null }
  const request = { id: crypto.randomUUID(), address: '192.0.2.1', userAgent: FIREFOX['user-agent'], ...hints }
  const resolver = createStreamResolver({ ...services, config })
  const answer = await resolver.open(track, demo.share_key, { ...request, referrer: FIREFOX.referer, country: 'AT' })
  expect(answer).toContain('?verify=')
  expect(await audience('APP')).toEqual(['null: 1'])
  expect(await audience('SITE')).toEqual(['label.example: 1'])
})

describe('sums of days', () => {
  const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
  /** Plays with an app each: [time, app, exclusion, creator, collection]. */
  async function write(
    ...plays: [string, string | null, (string | null)?, (string | null)?, string?][]
  ): Promise<void> {
    for (const [at, app, exclusion = null, creator = null, collection = who.collectionId] of plays)
      await sql(
        service,
        `INSERT INTO play_event (id, organization_id, created_at, creator_id, collection_id, track_id, key_id, variant_id, app, exclusion)
         VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $5, $5, $6, $7)`,
        [who.organizationId, at, creator, collection, uuid(1), app, exclusion],
      )
  }
  const run = async (time: string) => {
    service.clock.now = new Date(time)
    await rollUpPlaysTask.run(service.services, {}, { signal: new AbortController().signal } as Json)
  }
  const summed = async () =>
    (
      await sql(
        service,
        `SELECT to_char(day, 'MM-DD') AS day, value, listens::int FROM audience_day WHERE kind = 'app' ORDER BY 1, 2`,
      )
    ).rows.map(({ day, value, listens }: Json) => `${day} ${value}: ${listens}`)

  test('are the listens of the ledger, at both ends of a day', async () => {
    await write(
      ['2026-03-01T00:00:00Z', 'mpv'],
      ['2026-03-01T23:59:59.999Z', 'mpv'],
      ['2026-03-01T12:00:00Z', 'mpv', 'repeat'],
      ['2026-03-01T12:00:00Z', null],
      ['2026-03-02T00:00:00Z', 'VLC'],
      ['2026-03-03T05:00:00Z', 'mpv'],
    )
    service.clock.now = new Date('2026-03-03T12:30:00Z')
    const range = { from: '2026-03-01', to: '2026-03-04' }
    const days = [range, { from: '2026-03-01', to: '2026-03-02' }, { from: '2026-03-02' }]
    const read = async () => Promise.all(days.map((period) => audience('APP', period)))
    const fromLedger = await read()
    expect(fromLedger).toEqual([
      ['mpv: 3', 'null: 1', 'VLC: 1'],
      ['mpv: 2', 'null: 1'],
      ['VLC: 1', 'mpv: 1'],
    ])
    await run('2026-03-03T12:30:00Z')
    expect(await summed()).toEqual(['03-01 : 1', '03-01 mpv: 2', '03-02 VLC: 1'])
    expect(await read()).toEqual(fromLedger)
    // Days that were summed do not need the ledger.
    await sql(service, `DELETE FROM play_event WHERE created_at < '2026-03-03'`)
    expect(await read()).toEqual(fromLedger)
  })

  test('are made once, when no hour of the day is summed again', async () => {
    await write(['2026-03-01T12:00:00Z', 'mpv'])
    await run('2026-03-02T03:14:59Z')
    expect(await summed()).toEqual([])
    await run('2026-03-02T04:15:00Z')
    await run('2026-03-02T05:15:00Z')
    expect(await summed()).toEqual(['03-01 mpv: 1'])
  })

  test('are those of a creator, a collection, and the scope of a key', async () => {
    await write(
      ['2026-03-01T12:00:00Z', 'mpv', null, who.creatorId],
      ['2026-03-01T12:00:00Z', 'VLC', null, null, uuid(7)],
      ['2026-03-02T12:00:00Z', 'Kodi', null, who.creatorId],
    )
    await run('2026-03-02T12:30:00Z')
    const range = { from: '2026-03-01' }
    expect(await audience('APP', { ...range, creatorId: who.creatorId })).toEqual(['Kodi: 1', 'mpv: 1'])
    expect(await audience('APP', { ...range, collectionId: uuid(7) })).toEqual(['VLC: 1'])
    expect(await audience('APP', range, who.creatorKey)).toEqual(['Kodi: 1', 'mpv: 1'])
    expect(await audience('APP', range, who.otherApi)).toEqual([])
  })
})

test.each([
  [{ from: '2026-03-01T00:00:00.001Z' }, 'from: must be a day, such as 2026-05-01'],
  [{ to: '2026-03-01T12:00:00Z' }, 'to: must be a day, such as 2026-05-01'],
  [{ from: '2026-03-02', to: '2026-03-02' }, 'to: must be after from'],
  [{ from: '2025-01-01', to: '2026-03-02' }, 'from: must be at most 400 days before the end'],
])('refuses %j', async (range, message) => {
  const answer = await post(service, AUDIENCE, { by: 'APP', ...range }, { key: who.api })
  expect([codeOf(answer), answer.json.errors[0].message]).toEqual(['invalid_input', message])
})

describe('/v1/usage/audience', () => {
  const get = (query: string, key = who.api) => service.v1('GET', `/usage/audience${query}`, { key })

  test('has the rows of GraphQL, as JSON and as CSV', async () => {
    await play(1, OVERCAST)
    await play(2, OVERCAST)
    await play(3, FIREFOX)
    const answer = await get('?by=site')
    expect([answer.status, answer.json.audience]).toEqual([
      200,
      [
        { value: null, listens: 2 },
        { value: 'label.example', listens: 1 },
      ],
    ])
    const csv = await get('?by=app&top=1&format=csv')
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audience-app.csv"')
    expect(csv.text).toBe('value,listens\r\nOvercast,2\r\n')
    expect((await get('?by=site&format=csv')).text).toBe('value,listens\r\n,2\r\nlabel.example,1\r\n')
    expect((await get('?by=app&format=csv&to=2026-01-01')).text).toBe('value,listens\r\n')
    expect((await get('?by=app', who.creatorKey)).json.audience).toEqual([])
  })

  test.each([
    ['', /^by: /],
    ['?by=address', /^by: /],
    ['?by=app&format=named_csv', /^format: /],
    ['?by=app&top=101', /^top: /],
    ['?by=app&from=2026-03-01T12:00:00Z', /^from: must be a day/],
  ])('refuses %j', async (query, message) => {
    const answer = await get(query)
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_input'])
    expect(answer.json.message).toMatch(message)
  })
})
