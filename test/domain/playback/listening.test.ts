// How much of a track is heard: reports of players, and the counts that they become.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { forgetListenersTask } from '../../../src/domain/playback/housekeeping.task.ts'
import { createListeningPath } from '../../../src/domain/playback/listening/address.ts'
import { HUNDREDTHS, markHundredths } from '../../../src/domain/playback/listening/hundredths.ts'
import { createListeningReports } from '../../../src/domain/playback/listening/report.ts'
import { DAY_MS } from '../../../src/platform/time.ts'
import { codeOf, data, post, sql, whileLocked } from '../../support/administrators.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Json, useTestService } from '../../support/service.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'
/** Of the test tracks: a hundredth has two seconds. */
const SECONDS = 200

const service = useTestService({ LISTENING_SAMPLE: '1', TRUSTED_PROXIES: '1' })
let who: Everybody
let track: string
beforeAll(async () => {
  who = await everybody(service)
})
beforeEach(async () => {
  track = await createTrack()
})
afterEach(() => {
  service.clock.now = null
})

async function createTrack(creatorId: string | null = null): Promise<string> {
  const id = await playableTrack(service, { creatorId })
  await service.services.db.track.update({ where: { id }, data: { durationSeconds: SECONDS } })
  return id
}

const pageData = async (key = service.demo.share_key, id = track): Promise<Json> =>
  (await service.request('GET', `/s/${id}/${key}/data`, { key: null })).json
const addressOf = async (id = track): Promise<string> => (await pageData(undefined, id)).listening

interface From {
  listener?: number
  userAgent?: string
  address?: string
}
/** Sends a report, of the first listener by default. */
async function report(ranges: string, { listener = 1, userAgent = FIREFOX, address }: From = {}) {
  return service.request('POST', `${address ?? (await addressOf())}?ranges=${ranges}`, {
    key: null,
    headers: { 'x-forwarded-for': `192.0.2.${listener}`, 'user-agent': userAgent },
  })
}

const RETENTION = `query ($trackId: ID!, $from: DateTime, $to: DateTime) {
  retention(trackId: $trackId, from: $from, to: $to) { trackId durationSeconds listenings averageSeconds hundredths } }`
const retention = async (range: object = {}, { key = who.api, trackId = track } = {}): Promise<Json> =>
  (await data(service, RETENTION, { trackId, ...range }, key)).retention
/** Counts of hundredths, as `first-last: count` for those that are equal and not 0. */
function describeCounts({ hundredths }: Json): string[] {
  expect(hundredths).toHaveLength(HUNDREDTHS)
  const starts = [...hundredths.keys()].filter((place) => place === 0 || hundredths[place] !== hundredths[place - 1])
  return starts.flatMap((start, at) => {
    const count = hundredths[start]
    return count === 0 ? [] : [`${start}-${(starts[at + 1] ?? HUNDREDTHS) - 1}: ${count}`]
  })
}

describe('marks the hundredths', () => {
  const mark = (...ranges: [number, number][]) =>
    describeCounts({ hundredths: [...markHundredths(ranges, SECONDS)].map(Number) })
  test.each<[string, [number, number][], string[]]>([
    ['a whole recording', [[0, 200]], ['0-99: 1']],
    ['one that ends later than its length', [[0, 201.3]], ['0-99: 1']],
    ['half of a hundredth', [[10, 11]], ['5-5: 1']],
    ['less than half of one', [[10, 10.99]], []],
    [
      'two halves of half of one',
      [
        [10, 10.5],
        [11, 11.5],
      ],
      ['5-5: 1'],
    ],
    [
      'the same part twice',
      [
        [10, 10.6],
        [10, 10.6],
      ],
      [],
    ],
    [
      'ranges in another order that overlap',
      [
        [50, 60],
        [0, 20],
        [10, 52],
      ],
      ['0-29: 1'],
    ],
    [
      'a range within another',
      [
        [0, 20],
        [5, 10],
      ],
      ['0-9: 1'],
    ],
    ['what is after the end', [[200, 300]], []],
    ['nothing', [], []],
  ])('of %s', (_, ranges, expected) => {
    expect(mark(...ranges)).toEqual(expected)
  })
})

test('reports of listeners become counts, and each counts once', async () => {
  expect(await retention()).toEqual({
    trackId: track,
    durationSeconds: SECONDS,
    listenings: 0,
    averageSeconds: null,
    hundredths: Array(HUNDREDTHS).fill(0),
  })
  const answer = await report('0-100')
  expect([answer.status, answer.text, answer.headers.get('access-control-allow-origin')]).toEqual([204, '', '*'])
  await report('0-50,120-140', { listener: 2 })
  expect(describeCounts(await retention())).toEqual(['0-24: 2', '25-49: 1', '60-69: 1'])
  // Again, less, and more: the order of reports has no effect.
  await report('0-100')
  await report('0-10')
  await report('0-100,100-200')
  await report('0-3', { listener: 1, userAgent: 'Mozilla/5.0 (iPhone) Safari/605' })
  const result = await retention()
  expect(describeCounts(result)).toEqual(['0-1: 3', '2-24: 2', '25-59: 1', '60-69: 2', '70-99: 1'])
  expect([result.listenings, result.averageSeconds]).toEqual([3, 91.3])
  const { rows } = await sql(service, 'SELECT * FROM listening WHERE track_id = $1', [track])
  expect(rows).toHaveLength(3)
  expect(JSON.stringify(rows)).not.toMatch(/192\.0\.2|Firefox|iPhone/)
})

test('a listener who hears less than half of a hundredth has a listening', async () => {
  await report('0-0.5')
  const result = await retention()
  expect([result.listenings, result.averageSeconds, describeCounts(result)]).toEqual([1, 0, []])
})

test('bots have none', async () => {
  const answer = await report('0-200', { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' })
  expect(answer.status).toBe(204)
  expect((await retention()).listenings).toBe(0)
})

test('a listening goes on after midnight and ends after 24 hours', async () => {
  const hearAt = async (time: string, ranges: string) => {
    service.clock.now = new Date(time)
    expect((await report(ranges)).status).toBe(204)
  }
  await hearAt('2026-03-01T23:50:00Z', '0-20')
  await hearAt('2026-03-02T00:20:00Z', '0-40')
  const days = [{ to: '2026-03-02' }, { from: '2026-03-02' }]
  const read = () =>
    Promise.all(
      days.map(async (range) => [(await retention(range)).listenings, describeCounts(await retention(range))]),
    )
  expect(await read()).toEqual([
    [1, ['0-19: 1']],
    [0, []],
  ])
  await hearAt('2026-03-02T23:49:59.999Z', '0-60')
  expect(await read()).toEqual([
    [1, ['0-29: 1']],
    [0, []],
  ])
  await hearAt('2026-03-02T23:50:00.000Z', '0-60')
  expect(await read()).toEqual([
    [1, ['0-29: 1']],
    [1, ['0-29: 1']],
  ])
  expect((await retention()).listenings).toBe(2)
})

test('the row of a listener is deleted after 24 hours, and the counts stay', async () => {
  service.clock.now = new Date('2026-03-01T12:00:00Z')
  await report('0-20')
  const countKept = async (time: string) => {
    service.clock.now = new Date(time)
    await forgetListenersTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
    return (await sql(service, 'SELECT FROM listening WHERE track_id = $1', [track])).rowCount
  }
  expect(await countKept('2026-03-02T11:59:59.999Z')).toBe(1)
  expect(await countKept('2026-03-02T12:00:00.000Z')).toBe(0)
  expect(describeCounts(await retention())).toEqual(['0-9: 1'])
})

describe('address of reports', () => {
  test('is that of its track, and ends after 24 hours', async () => {
    service.clock.now = new Date('2026-03-01T12:00:00Z')
    const address = await addressOf()
    const statusOf = async (to: string) => (await report('0-2', { address: to })).status
    service.clock.now = new Date(Date.parse('2026-03-01T12:00:00Z') + DAY_MS - 1)
    expect(await statusOf(address)).toBe(204)
    service.clock.now = new Date(Date.parse('2026-03-01T12:00:00Z') + DAY_MS)
    expect(await statusOf(address)).toBe(404)
    service.clock.now = null
    const valid = await addressOf()
    const other = await createTrack()
    expect(await statusOf(valid.replace(track, other))).toBe(404)
    expect(await statusOf(valid.replace(`.${SECONDS}000.`, `.${SECONDS}001.`))).toBe(404)
    expect(await statusOf(valid.replace(/\/\d+\./, '/99999999999.'))).toBe(404)
    expect(await statusOf(valid.slice(0, -1))).toBe(404)
    expect(await statusOf(`/v1/listening/${track}/x`)).toBe(404)
    expect((await retention({}, { trackId: other })).listenings).toBe(0)
  })

  test('is given to the part of the players that the operator chooses', async () => {
    const { services } = service
    const createPath = (
      listeningSample: number,
      player: number,
      { id = track, length = SECONDS as number | null } = {},
    ) =>
      createListeningPath(
        { ...services, config: { ...services.config, listeningSample } },
        { id, durationSeconds: length },
        `player ${player}`,
      )
    const listChosen = (sample: number, id = track) =>
      Array.from({ length: 1000 }, (_, player) => player).filter((player) => createPath(sample, player, { id }))
    expect([listChosen(0).length, listChosen(1).length]).toEqual([0, 1000])
    const chosen = listChosen(0.25)
    expect(chosen.length).toBeWithin(170, 330)
    // The same ones each time, and of another track others.
    expect(listChosen(0.25)).toEqual(chosen)
    expect(listChosen(0.25, who.organizationId)).not.toEqual(chosen)
    expect(createPath(1, 1)).toStartWith(`/v1/listening/${track}/`)
    expect([createPath(1, 1, { length: null }), createPath(1, 1, { length: 0 })]).toEqual([null, null])
  })

  test('is not given for a preview, whose times are not those of the recording', async () => {
    const { db } = service.services
    const preview = await db.variant.findFirstOrThrow({
      where: { organizationId: who.organizationId, index: 'preview', deletedAt: null },
    })
    await db.trackFile.updateMany({
      where: { trackId: track, variantId: preview.id },
      data: { data: { duration: 30, capture_start: 10, capture_end: 40, extension: 'm4a', content_type: 'audio/mp4' } },
    })
    const { key } = await issueKey(service.services, who.organizationId, 'share', { title: 'p', variantId: preview.id })
    const page = await pageData(key)
    expect([page.durationSeconds, page.listening]).toEqual([30, null])
    const openSession = async (variants: string[]) =>
      (await service.v1('POST', '/play_session/track', { body: { track_id: track, variants } })).json.first_track
    expect((await openSession(['preview'])).listening_url).toBeNull()
    expect((await openSession(['preview', 'hq'])).listening_url).not.toBeNull()
  })

  test('is given to play sessions', async () => {
    const session = await service.v1('POST', '/play_session/track', { body: { track_id: track } })
    const { play_session_id: id, first_track: first } = session.json
    const { json } = await service.v1('GET', `/play/${id}/${track}`, { key: null })
    const { playSession } = await data(
      service,
      'query ($id: ID!, $trackId: ID!) { playSession(id: $id) { firstTrack { listeningUrl } playback(trackId: $trackId) { listeningUrl } } }',
      { id, trackId: track },
    )
    const urls = [
      first.listening_url,
      json.listening_url,
      playSession.firstTrack.listeningUrl,
      playSession.playback.listeningUrl,
    ]
    for (const [listener, url] of urls.entries()) {
      expect(url).toStartWith(`${service.services.config.publicUrl}/v1/listening/`)
      expect((await report('0-2', { listener, address: new URL(url).pathname })).status).toBe(204)
    }
    expect(describeCounts(await retention())).toEqual(['0-0: 4'])
  })
})

test.each([
  ['', 'ranges: must be ranges of seconds such as 0-41.5,60-75'],
  ['?ranges=', 'ranges: must be ranges of seconds such as 0-41.5,60-75'],
  ['?ranges=5-5', 'ranges: must be ranges of seconds such as 0-41.5,60-75'],
  ['?ranges=5-4', 'ranges: must be ranges of seconds such as 0-41.5,60-75'],
  ['?ranges=-1-4', 'ranges: must be ranges of seconds such as 0-41.5,60-75'],
  ['?ranges=0-1e9', 'ranges: must be ranges of seconds such as 0-41.5,60-75'],
  ['?ranges=0-1,', 'ranges: must be ranges of seconds such as 0-41.5,60-75'],
  [`?ranges=${Array(101).fill('0-1').join()}`, 'ranges: must be at most 100 ranges'],
])('refuses report %#', async (query, message) => {
  const answer = await service.request('POST', `${await addressOf()}${query}`, { key: null })
  expect([answer.status, answer.json.code, answer.json.message]).toEqual([400, 'invalid_input', message])
})

test('100 ranges are accepted, and other methods are refused', async () => {
  expect((await report(Array(100).fill('0-1').join())).status).toBe(204)
  const answer = await service.request('GET', await addressOf(), { key: null })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
})

test('a deleted track has no reports', async () => {
  const address = await addressOf()
  await service.v1('DELETE', `/track/${track}`)
  expect((await report('0-200', { address })).status).toBe(204)
  expect((await sql(service, 'SELECT FROM retention_day WHERE track_id = $1', [track])).rowCount).toBe(0)
  const answer = await post(service, RETENTION, { trackId: track }, { key: who.api })
  expect(codeOf(answer)).toBe('not_found')
})

test('a key sees the tracks of its scope', async () => {
  const scoped = await createTrack(who.creatorId)
  await report('0-200', { address: await addressOf(scoped) })
  expect((await retention({}, { trackId: scoped, key: who.creatorKey })).listenings).toBe(1)
  for (const [trackId, key] of [
    [track, who.creatorKey],
    [scoped, who.otherApi],
    [scoped, who.otherOwner],
  ]) {
    expect(codeOf(await post(service, RETENTION, { trackId }, { key }))).toBe('not_found')
  }
})

describe('reports at once', () => {
  const client = (listener: number) => ({ address: `198.51.100.${listener}`, userAgent: FIREFOX })
  const grant = (trackId = track) => ({ trackId, durationSeconds: SECONDS })

  test('of two processes and one listener are one listening', async () => {
    const processes = [createListeningReports(service.services), createListeningReports(service.services)]
    const others = await Promise.all([createTrack(), createTrack()])
    const calls = Array.from({ length: 400 }, (_, n) => {
      const trackId = [track, ...others][n % 3] ?? track
      const from = (n * 7) % 190
      return processes[n % 2]?.(grant(trackId), [[from, from + 10]], client(n % 5))
    })
    await Promise.all(calls)
    for (const trackId of [track, ...others]) {
      const result = await retention({}, { trackId })
      expect(result.listenings).toBe(5)
      const bits = await sql(
        service,
        'SELECT sum(get_bit(hundredths, place))::int AS count FROM listening CROSS JOIN generate_series(0, 99) AS place WHERE track_id = $1 GROUP BY place ORDER BY place',
        [trackId],
      )
      expect(result.hundredths).toEqual(bits.rows.map(({ count }: Json) => count))
    }
  })

  test('of one listener wait for one another', async () => {
    const reports = createListeningReports(service.services)
    await reports(grant(), [[0, 2]], client(1))
    const { listener } = (await sql(service, 'SELECT listener FROM listening WHERE track_id = $1', [track])).rows[0]
    const bits = '1'.repeat(50).padEnd(HUNDREDTHS, '0')
    const other = 'SELECT FROM ledger.record_listenings($1, $2, $2, $3, 10, now())'
    await whileLocked(
      service,
      [[other, [[track], [listener], [bits]]]],
      () => reports(grant(), [[0, 120]], client(1)),
      1,
    )
    const result = await retention()
    expect([result.listenings, describeCounts(result)]).toEqual([1, ['0-59: 1']])
  })

  test('are no more than a number for a track and day', async () => {
    const reports = createListeningReports(service.services, 2)
    for (const listener of [1, 2, 3]) await reports(grant(), [[0, 20]], client(listener))
    // A listening that has begun goes on.
    await reports(grant(), [[0, 200]], client(1))
    const result = await retention()
    expect([result.listenings, describeCounts(result)]).toEqual([2, ['0-9: 2', '10-99: 1']])
  })
})

test.each([
  [{ from: '2026-03-01T00:00:00.001Z' }, 'from: must be a day, such as 2026-05-01'],
  [{ to: '2026-03-01T12:00:00Z' }, 'to: must be a day, such as 2026-05-01'],
  [{ from: '2026-03-02', to: '2026-03-02' }, 'to: must be after from'],
])('refuses the range %j', async (range, message) => {
  const answer = await post(service, RETENTION, { trackId: track, ...range }, { key: who.api })
  expect([codeOf(answer), answer.json.errors[0].message]).toEqual(['invalid_input', message])
})

describe('/v1/track/:track_id/retention', () => {
  const get = (query: string, key = who.api) => service.v1('GET', `/track/${track}/retention${query}`, { key })

  test('has the figures of GraphQL, as JSON and as CSV', async () => {
    await report('0-3')
    await report('0-1', { listener: 2 })
    const hundredths = [2, 1, ...Array(98).fill(0)]
    const answer = await get('')
    expect([answer.status, answer.json.retention]).toEqual([
      200,
      { track_id: track, duration_seconds: SECONDS, listenings: 2, average_seconds: 3, hundredths },
    ])
    const csv = await get('?format=csv&from=2026-01-01')
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="retention-${track}.csv"`)
    const lines = csv.text.split('\r\n')
    expect([lines.length, ...lines.slice(0, 4), lines[100]]).toEqual([
      102,
      'from_seconds,to_seconds,listenings',
      '0,2,2',
      '2,4,1',
      '4,6,0',
      '198,200,0',
    ])
    expect((await get('?to=2026-01-01')).json.retention.listenings).toBe(0)
    expect((await get('', who.creatorKey)).status).toBe(404)
  })

  test.each([
    ['?from=2026-03-01T12:00:00Z', /^from: must be a day/],
    ['?format=xml', /^format: /],
  ])('refuses %j', async (query, message) => {
    const answer = await get(query)
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_input'])
    expect(answer.json.message).toMatch(message)
  })
})
