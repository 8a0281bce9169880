// Share keys with limits: which plays they admit, what is counted, and what a refused listener receives.
import { beforeAll, describe, expect, test } from 'bun:test'
import { parseKey } from '../../../src/domain/access/key/key.ts'
import { forgetListenersTask } from '../../../src/domain/playback/housekeeping.task.ts'
import { createSharePass, PASS_MS } from '../../../src/domain/playback/share-pass.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/time.ts'
import { createStream, type Stream } from '../../../src/roles/gateway/stream.ts'
import * as database from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { untilBlocked } from '../../support/until.ts'

const service = useTestService({ COUNTRY_HEADER: 'cf-ipcountry' })
const sql = async (text: string, values?: unknown[]): Promise<Json[]> =>
  (await database.sql(service, text, values)).rows

/** Two gateways. */
let gateways: [Stream, Stream]
/** Two tracks of five minutes. */
let tracks: [string, string]
beforeAll(async () => {
  gateways = [createStream(service.services), createStream(service.services)]
  tracks = [await playableTrack(service), await playableTrack(service)]
  await sql('UPDATE track SET duration_seconds = 300 WHERE id = ANY($1)', [tracks])
})

const CREATE =
  'mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { key record { id countedPlays } } }'
const UPDATE = `mutation ($id: ID!, $input: UpdateShareKeyInput!) { updateShareKey(id: $id, input: $input) {
  key { title maxPlays maxDailyListeners maxConcurrentListeners sites countries hasPassword isDownloadable opensAt expiresAt countedPlays }
} }`

interface Link {
  key: string
  id: string
}

const create = (input: object): Promise<Json> =>
  service.graphql(CREATE, { input: { title: 'A link', variant: 'hq', ...input } })

async function createLink(limits: object): Promise<Link> {
  const { data, errors } = await create(limits)
  expect(errors).toBeUndefined()
  return { key: data.createShareKey.key, id: data.createShareKey.record.id }
}

const update = async ({ id }: Link, input: object): Promise<Json> => service.graphql(UPDATE, { id, input })

interface Asking {
  /** Distinguishes listeners. */
  listener?: number
  track?: string
  headers?: Record<string, string>
  method?: string
  gateway?: Stream
}

/** Opens a stream link. @returns `played`, the limit that refuses it, or the status of another answer */
async function play({ key }: Link, { listener = 1, track = tracks[0], ...asking }: Asking = {}): Promise<string> {
  const { headers = {}, method = 'GET', gateway = gateways[0] } = asking
  const request = new Request(`http://localhost/v1/stream/${track}/${key}`, {
    method,
    headers: { 'user-agent': 'Overcast/3.0', ...headers },
  })
  const answer = await gateway(track, key, request, () => `203.0.113.${listener}`)
  if (answer.status === 302) return 'played'
  return answer.headers.get('tonearm-refusal') ?? String(answer.status)
}

const countRows = async ({ id }: Link): Promise<number> =>
  (await sql('SELECT count(*)::int AS count FROM play_event WHERE key_id = $1', [id]))[0].count
const countedPlays = async ({ id }: Link): Promise<number> =>
  (await service.graphql('query ($id: ID!) { key(id: $id) { countedPlays } }', { id })).data.key.countedPlays

/** Runs work at a time. */
async function at<T>(time: number, work: () => Promise<T>): Promise<T> {
  service.clock.now = new Date(time)
  return work().finally(() => {
    service.clock.now = null
  })
}

const NOON = Date.parse('2026-06-10T12:00:00Z')

describe('a number of plays', () => {
  test('is counted once for a listener and track within 24 hours, and refuses the next', async () => {
    const link = await createLink({ maxPlays: 2 })
    await at(NOON, async () => {
      expect(await play(link, { listener: 1 })).toBe('played')
      expect(await play(link, { listener: 1 })).toBe('played')
      expect(await play(link, { listener: 1, track: tracks[1] })).toBe('played')
      expect(await countedPlays(link)).toBe(2)
      expect(await play(link, { listener: 2 })).toBe('plays')
      // Those who have played go on.
      expect(await play(link, { listener: 1 })).toBe('played')
    })
    expect(await countRows(link)).toBe(4)
    expect(await at(NOON + DAY_MS - 1, () => play(link))).toBe('played')
    expect(await at(NOON + DAY_MS, () => play(link))).toBe('plays')
    expect(await countRows(link)).toBe(5)
  })

  test('is taken by programs, too, and once by HEAD and GET of one listener', async () => {
    const link = await createLink({ maxPlays: 3 })
    const programs: Asking[] = [
      { listener: 2, method: 'HEAD' },
      { listener: 3, headers: { 'sec-purpose': 'prefetch' } },
      { listener: 4, headers: { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' } },
    ]
    for (const program of programs) expect(await play(link, program)).toBe('played')
    expect(await countedPlays(link)).toBe(3)
    expect(await play(link, { listener: 2 })).toBe('played')
    expect(await play(link, { listener: 5, method: 'HEAD' })).toBe('plays')
    expect(await countedPlays(link)).toBe(3)
  })

  test('holds for plays at once through two gateways', async () => {
    const link = await createLink({ maxPlays: 8 })
    // Until the first play, there is no row to lock.
    expect(await play(link, { listener: 100 })).toBe('played')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, listener) => play(link, { listener, gateway: gateways[listener % 2] })),
    )
    expect(answers.filter((answer) => answer === 'played')).toHaveLength(7)
    expect(answers.filter((answer) => answer === 'plays')).toHaveLength(33)
    expect([await countRows(link), await countedPlays(link)]).toEqual([8, 8])
  })

  test('waits for plays that another process is counting', async () => {
    const link = await createLink({ maxPlays: 2 })
    expect(await play(link)).toBe('played')
    const client = await service.services.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('SELECT FROM share_count WHERE id = $1 FOR UPDATE', [link.id])
      const playing = play(link, { listener: 2 })
      await untilBlocked(service.services.pool)
      await client.query('UPDATE share_count SET plays = 2 WHERE id = $1', [link.id])
      await client.query('COMMIT')
      expect(await playing).toBe('plays')
    } finally {
      client.release()
    }
  })

  test('of one key refuses nothing of another that plays in the same moment', async () => {
    const [used, open, unlimited] = [
      await createLink({ maxPlays: 1 }),
      await createLink({ maxPlays: 1 }),
      await createLink({}),
    ]
    expect(await play(used)).toBe('played')
    expect(await Promise.all([used, open, unlimited, used].map((link) => play(link, { listener: 2 })))).toEqual([
      'plays',
      'played',
      'played',
      'plays',
    ])
  })
})

describe('listeners of a day', () => {
  test('are those of 24 hours, of any track', async () => {
    const link = await createLink({ maxDailyListeners: 2 })
    await at(NOON, async () => {
      expect(await play(link, { listener: 1 })).toBe('played')
      expect(await play(link, { listener: 2 })).toBe('played')
      expect(await play(link, { listener: 1, track: tracks[1] })).toBe('played')
      expect(await play(link, { listener: 3 })).toBe('listeners')
    })
    expect(await at(NOON + DAY_MS, () => play(link, { listener: 3 }))).toBe('played')
  })

  test('are one before and after midnight', async () => {
    const link = await createLink({ maxDailyListeners: 2 })
    const midnight = Date.parse('2026-06-11T00:00:00Z')
    await at(midnight - HOUR_MS, async () => {
      expect(await play(link, { listener: 1 })).toBe('played')
      expect(await play(link, { listener: 2 })).toBe('played')
    })
    await at(midnight + HOUR_MS, async () => {
      expect(await play(link, { listener: 1 })).toBe('played')
      expect(await play(link, { listener: 2 })).toBe('played')
      expect(await play(link, { listener: 3 })).toBe('listeners')
    })
    expect(await countedPlays(link)).toBe(2)
  })
})

describe('listeners at once', () => {
  test('are those whose track has not ended', async () => {
    const link = await createLink({ maxConcurrentListeners: 1 })
    expect(await at(NOON, () => play(link, { listener: 1 }))).toBe('played')
    expect(await at(NOON + 5 * MINUTE_MS - 1, () => play(link, { listener: 2 }))).toBe('concurrent')
    expect(await at(NOON + 5 * MINUTE_MS, () => play(link, { listener: 2 }))).toBe('played')
    // The first listener has to wait now, also to go on.
    expect(await at(NOON + 6 * MINUTE_MS, () => play(link, { listener: 1 }))).toBe('concurrent')
  })

  test('end with the track that they play last', async () => {
    const link = await createLink({ maxConcurrentListeners: 1 })
    const short = await playableTrack(service)
    await sql('UPDATE track SET duration_seconds = 1 WHERE id = $1', [short])
    expect(await at(NOON, () => play(link, { listener: 1 }))).toBe('played')
    expect(await at(NOON, () => play(link, { listener: 1, track: short }))).toBe('played')
    expect(await at(NOON + 1000, () => play(link, { listener: 2 }))).toBe('played')
  })
})

describe('countries', () => {
  test.each([
    ['de', 'played'],
    ['AT', 'played'],
    ['FR', 'country'],
    ['XX', 'country'],
    ['T1', 'country'],
    ['DE, FR', 'country'],
    [null, 'country'],
  ])('%s', async (country, expected) => {
    const link = await createLink({ countries: ['at', 'DE', 'de'] })
    const asking = country === null ? {} : { headers: { 'cf-ipcountry': country } }
    expect(await play(link, asking)).toBe(expected)
    expect(await countRows(link)).toBe(expected === 'played' ? 1 : 0)
  })

  test.each(['ZZ', 'QX', 'DEU', 'D', ''])('refuses the code "%s"', async (code) => {
    const { errors } = await create({ countries: [code] })
    expect(errors[0].message).toBe('countries.0: must be a code of two letters of ISO 3166-1, such as DE')
  })
})

describe('a password', () => {
  const passOf = async ({ key, id }: Link, now = new Date()) => {
    const [{ password_hash }] = await sql('SELECT password_hash FROM api_key WHERE id = $1', [id])
    const { name, value } = createSharePass(service.services, parseKey(key)?.hash ?? '', password_hash, now)
    return { cookie: `other=1; ${name}=${value}` }
  }

  test('opens the link for a client with its pass, as long as that lasts', async () => {
    const link = await createLink({ password: ' Open sesame ' })
    const now = Date.now()
    const headers = await passOf(link, new Date(now))
    expect(await play(link)).toBe('password')
    expect(await play(link, { headers })).toBe('played')
    expect(await at(now + PASS_MS - 1, () => play(link, { headers }))).toBe('played')
    expect(await at(now + PASS_MS, () => play(link, { headers }))).toBe('password')
  })

  test('is not opened by a pass of another link, a changed one, or one of a password before', async () => {
    const [link, other] = [await createLink({ password: 'a' }), await createLink({ password: 'a' })]
    const { cookie } = await passOf(link)
    const [name] = cookie.split('=').slice(1, 2)
    const value = (await passOf(other)).cookie.split('=').at(-1)
    expect(await play(link, { headers: { cookie: `${name?.slice(3)}=${value}` } })).toBe('password')
    expect(await play(link, { headers: { cookie: cookie.replace(/=(\d)/g, '=9') } })).toBe('password')
    expect((await update(link, { password: 'a' })).errors).toBeUndefined()
    expect(await play(link, { headers: { cookie } })).toBe('password')
  })
})

describe('a change of a link', () => {
  test('applies to the next request, and null ends a limit', async () => {
    const link = await createLink({ maxPlays: 1, password: 'a', sites: ['example.com'] })
    const values = {
      title: 'Other',
      maxPlays: 5,
      maxDailyListeners: 4,
      maxConcurrentListeners: 3,
      sites: ['example.org'],
      countries: ['DE'],
      isDownloadable: true,
      opensAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2099-01-01T00:00:00.000Z',
    }
    const { data } = await update(link, { ...values, password: null })
    expect(data.updateShareKey.key).toEqual({ ...values, hasPassword: false, countedPlays: 0 })
    expect(await play(link)).toBe('country')
    const ended = {
      maxPlays: null,
      maxDailyListeners: null,
      maxConcurrentListeners: null,
      opensAt: null,
      expiresAt: null,
    }
    expect((await update(link, { ...ended, sites: [], countries: [] })).data.updateShareKey.key).toMatchObject(ended)
    for (const listener of [1, 2, 3, 4, 5, 6]) expect(await play(link, { listener })).toBe('played')
    expect(await countedPlays(link)).toBe(0)
  })

  test('is recorded without its password', async () => {
    const link = await createLink({ maxPlays: 1 })
    await update(link, { maxPlays: 2, password: 'a' })
    const rows = await sql(`SELECT changes FROM activity WHERE record_id = $1 AND action = 'updated'`, [link.id])
    expect(rows).toEqual([{ changes: { max_plays: [1, 2], password_hash: null } }])
  })

  test.each([
    [{ maxPlays: 0 }, 'maxPlays: must be at least 1'],
    [{ maxDailyListeners: 1001 }, 'maxDailyListeners: must be at most 1000'],
    [{ maxConcurrentListeners: 1.5 }, 'Int cannot represent non-integer value: 1.5'],
    [{ opensAt: '2099-01-02T00:00:00Z' }, 'opensAt: must be before expiresAt'],
    [{ expiresAt: '2026-01-01T00:00:00Z' }, 'expiresAt: must be in the future'],
    [{ password: '' }, 'password: must be at least 1 characters long'],
  ])('refuses %p', async (input, message) => {
    const link = await createLink({ expiresAt: '2099-01-01T00:00:00Z' })
    expect((await update(link, input)).errors[0].message).toContain(message)
  })

  test('refuses another kind of key, a revoked one, and a password of a feed', async () => {
    const body = { title: 'A player', api_key_type_id: 'player' }
    const { json } = await service.v1('POST', '/api_key', { body })
    const codeOf = ({ errors }: Json) => errors[0].extensions.code
    expect(codeOf(await update({ id: json.api_key_id, key: '' }, { title: 'x' }))).toBe('not_found')
    const revoked = await createLink({})
    await service.graphql('mutation ($id: ID!) { revokeKey(id: $id) { key { id } } }', { id: revoked.id })
    expect(codeOf(await update(revoked, { title: 'x' }))).toBe('expired')
    const feed = await createLink({ isPrivateFeed: true, collectionId: service.demo.collection_id })
    const message = 'password: is not possible for a feed, which podcast apps read'
    expect((await update(feed, { password: 'a' })).errors[0].message).toBe(message)
    const input = { isPrivateFeed: true, collectionId: service.demo.collection_id, password: 'a' }
    expect((await create(input)).errors[0].message).toBe(message)
  })
})

test('a refused listener reads why, in the language of the browser', async () => {
  const link = await createLink({ countries: ['DE'] })
  const accept = { accept: 'text/html,*/*;q=0.8' }
  const ask = async (headers: Record<string, string>) => {
    const { status, text } = await service.request('GET', `/v1/stream/${tracks[0]}/${link.key}`, { key: null, headers })
    return { status, text }
  }
  const sentence = 'This link does not play in your country'
  expect(await ask({})).toEqual({ status: 403, text: expect.stringContaining(sentence) })
  expect((await ask(accept)).text).toContain(`<h1>${sentence}</h1>`)
  expect((await ask({ ...accept, 'accept-language': 'de' })).text).toContain(
    '<h1>Dieser Link spielt nicht in Ihrem Land</h1>',
  )
})

test('what identifies listeners is deleted after a day', async () => {
  const link = await createLink({ maxPlays: 9 })
  await at(NOON, () => play(link))
  const rows = async () =>
    Promise.all(
      ['share_listener WHERE key_id', 'share_listen WHERE key_id', 'share_count WHERE id'].map(
        async (where) => (await sql(`SELECT FROM ${where} = $1`, [link.id])).length,
      ),
    )
  const forget = () =>
    forgetListenersTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
  await at(NOON + DAY_MS - 1, forget)
  expect(await rows()).toEqual([1, 1, 1])
  await at(NOON + DAY_MS, forget)
  expect(await rows()).toEqual([0, 0, 1])
})
