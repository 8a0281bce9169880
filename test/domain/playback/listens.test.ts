// Play requests and listens: which ones count as listens, and which data of a listener the ledger has.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { forgetListenersTask } from '../../../src/domain/playback/housekeeping.task.ts'
import { createStream } from '../../../src/roles/gateway/stream.ts'
import * as database from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

const service = useTestService()
let trackId: string
beforeAll(async () => {
  trackId = (await processed(service, await tone(1), 'heard.wav')).id
})

const sql = async (text: string, values?: unknown[]): Promise<Json[]> =>
  (await database.sql(service, text, values)).rows

let people = 0
/** A new address. */
const newAddress = () => `203.0.113.${++people}`

interface Asking {
  address?: string
  userAgent?: string
  headers?: Record<string, string>
  method?: string
  key?: string
}
const target = (key = service.demo.share_key) => `${service.services.config.publicUrl}/v1/stream/${trackId}/${key}`

function createRequest({ userAgent = FIREFOX, headers = {}, method = 'GET', key }: Asking): Request {
  return new Request(target(key), { method, headers: { 'user-agent': userAgent, ...headers } })
}

/** The ledger row of an answer. */
async function readRow(response: Response): Promise<Json> {
  expect(response.status).toBe(302)
  const rows = await sql('SELECT * FROM play_event WHERE id = $1', [response.headers.get('x-request-id')])
  expect(rows).toHaveLength(1)
  return rows[0]
}

/** Requests a stream link and returns its exclusion. */
const play = async (asking: Asking = {}) =>
  readRow(await service.gateway(createRequest(asking), asking.address ?? newAddress()))
const reason = async (asking?: Asking) => (await play(asking)).exclusion

describe('exclusion', () => {
  test.each([
    { what: 'a bot', asking: { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' }, expected: 'bot' },
    { what: 'a program', asking: { userAgent: 'curl/8.5.0' }, expected: 'bot' },
    { what: 'a player of podcasts', asking: { userAgent: 'Overcast/3.0 (+http://overcast.fm/)' }, expected: null },
    { what: 'a player', asking: { userAgent: 'VLC/3.0.20 LibVLC/3.0.20' }, expected: null },
    {
      what: 'a watch',
      asking: { userAgent: 'atc/1.0 watchOS/10.0 model/Watch6,2 hwp/t8301 build/21R355' },
      expected: 'bot',
    },
    { what: 'a bot that names a player', asking: { userAgent: 'SomeBot/1 (like iTunes)' }, expected: 'bot' },
    { what: 'the first two bytes', asking: { headers: { range: 'bytes=0-1' } }, expected: 'probe' },
    { what: 'the first 1,024 bytes', asking: { headers: { range: 'bytes=0-1023' } }, expected: 'probe' },
    { what: 'the first 1,025 bytes', asking: { headers: { range: 'bytes=0-1024' } }, expected: null },
    { what: 'the last 128 bytes', asking: { headers: { range: 'bytes=-128' } }, expected: 'probe' },
    { what: 'all of it as a range', asking: { headers: { range: 'bytes=0-' } }, expected: null },
    { what: 'the rest of it', asking: { headers: { range: 'bytes=500000-' } }, expected: null },
    { what: 'an invalid range', asking: { headers: { range: 'bytes=1-0, x' } }, expected: null },
    { what: 'a prefetch', asking: { headers: { 'sec-purpose': 'prefetch;prerender' } }, expected: 'prefetch' },
    { what: 'a prefetch with the older header', asking: { headers: { purpose: 'prefetch' } }, expected: 'prefetch' },
  ])('classifies $what', async ({ asking, expected }) => {
    expect(await reason(asking as Asking)).toBe(expected)
  })

  test('excludes HEAD, which is answered like GET', async () => {
    expect(await reason({ method: 'HEAD' })).toBe('probe')
  })

  test('counts a listen after a probe', async () => {
    const address = newAddress()
    expect(await reason({ address, headers: { range: 'bytes=0-1' } })).toBe('probe')
    expect(await reason({ address })).toBeNull()
    expect(await reason({ address, headers: { range: 'bytes=0-1' } })).toBe('probe')
  })
})

describe('one listen for each listener and file in 24 hours', () => {
  const at = (time: string) => {
    service.clock.now = new Date(time)
  }
  afterAll(() => {
    service.clock.now = null
  })

  test('counts 24 hours from the listen, across midnight, not from later requests', async () => {
    const address = newAddress()
    const steps: [string, string | null][] = [
      ['2026-03-01T23:00:00Z', null],
      ['2026-03-01T23:59:59.999Z', 'repeat'],
      ['2026-03-02T00:00:00Z', 'repeat'],
      ['2026-03-02T22:59:59.999Z', 'repeat'],
      ['2026-03-02T23:00:00Z', null],
      ['2026-03-03T22:00:00Z', 'repeat'],
      ['2026-03-03T23:00:00Z', null],
      ['2026-03-05T22:00:00Z', null],
    ]
    for (const [time, expected] of steps) {
      at(time)
      expect([time, await reason({ address })]).toEqual([time, expected])
    }
  })

  test('distinguishes user agents, addresses and files, but not keys of the same file', async () => {
    at('2026-04-01T12:00:00Z')
    const address = newAddress()
    const { db } = service.services
    const keyFor = async (index: string) => {
      const variantId = (await db.variant.findFirstOrThrow({ where: { index } })).id
      return (await issueKey(service.services, service.demo.organization_id, 'share', { title: 't', variantId })).key
    }
    const [sameFile, otherFile] = [await keyFor('hq'), await keyFor('lq')]
    expect(await reason({ address })).toBeNull()
    expect(await reason({ address, key: sameFile })).toBe('repeat')
    expect(await reason({ address, key: otherFile })).toBeNull()
    expect(await reason({ address, userAgent: `${FIREFOX} x` })).toBeNull()
    expect(await reason({ address: newAddress() })).toBeNull()
    expect(await reason({ address: '2001:db8:1:2::1' })).toBeNull()
    expect(await reason({ address: '2001:db8:1:2:ffff::9' })).toBe('repeat')
    expect(await reason({ address: '2001:db8:1:3::1' })).toBeNull()
  })

  beforeAll(() =>
    sql(`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(42), pg_sleep(0.001); RETURN NEW; END $$;
      CREATE TRIGGER wait_for_test BEFORE INSERT ON last_listen FOR EACH ROW EXECUTE FUNCTION wait_for_test()`),
  )
  test.each([
    { what: 'by day', time: '2026-05-01T12:00:00Z', first: '2026-05-01T12:00:00Z' },
    { what: 'over midnight', time: '2026-05-02T23:59:59.990Z', first: '2026-05-03T00:00:00.010Z' },
  ])('of many at once in several processes each has one listen, $what', async ({ time, first }) => {
    // Processes whose clocks differ slightly.
    const processes = [time, first, time, first].map((now) =>
      createStream({ ...service.services, clock: () => new Date(now) }),
    )
    const addresses = Array.from({ length: 40 }, newAddress)
    const ask = () =>
      processes.flatMap((stream) =>
        [...addresses, ...addresses.toReversed()].map((address, place) => {
          const referer = `https://${place < addresses.length ? 'one' : 'other'}.example/`
          return stream(trackId, service.demo.share_key, createRequest({ headers: { referer } }), () => address)
        }),
      )
    // Each is about to write its first listen, and waits before the others.
    const locks: [string][] = [['SELECT pg_advisory_xact_lock(42)']]
    const answers = await database.whileLocked(service, locks, () => Promise.all(ask()), processes.length)
    const ids = answers.map((answer) => answer.headers.get('x-request-id'))
    const rows: Json[] = await sql('SELECT exclusion FROM play_event WHERE id = ANY ($1)', [ids])
    expect(rows).toHaveLength(320)
    expect(rows.filter(({ exclusion }) => exclusion === null)).toHaveLength(40)
    expect(rows.filter(({ exclusion }) => exclusion === 'repeat')).toHaveLength(280)
  })
})

describe('data of a listener', () => {
  test('is a hash for one day, never the address or the user agent', async () => {
    const [address, other] = [newAddress(), newAddress()]
    service.clock.now = new Date('2026-06-01T10:00:00Z')
    const row = await play({ address })
    const again = await play({ address })
    const another = await play({ address: other })
    service.clock.now = new Date('2026-06-02T10:00:00Z')
    const nextDay = await play({ address })
    service.clock.now = null
    expect(again.listener).toBe(row.listener)
    expect(new Set([row.listener, another.listener, nextDay.listener]).size).toBe(3)
    const tables = ['play_event', 'last_listen', 'listener_key']
    const all = await Promise.all(tables.map((table) => sql(`SELECT * FROM ${table}`)))
    expect(JSON.stringify(all)).not.toMatch(/203\.0\.113|Firefox|2001:db8/)
  })

  test('uses keys that are random, encrypted, shared by processes, and deleted when the next day has ended', async () => {
    service.clock.now = new Date('2026-07-10T10:00:00Z')
    const address = newAddress()
    const row = await play({ address })
    const elsewhere = createStream(service.services)
    const same = await readRow(await elsewhere(trackId, service.demo.share_key, createRequest({}), () => address))
    expect(same.listener).toBe(row.listener)
    const keys = () => sql(`SELECT day::text FROM listener_key WHERE day < '2026-08-01' ORDER BY day`)
    expect((await keys()).map(({ day }: Json) => day)).toEqual(['2026-07-09', '2026-07-10'])
    const listened = () => sql(`SELECT * FROM last_listen WHERE heard_at <= '2026-07-10T10:00:00Z'`)
    const forget = async (time: string) => {
      service.clock.now = new Date(time)
      const run = { signal: new AbortController().signal, attempt: 1 }
      await forgetListenersTask.run(service.services, {}, run)
    }
    await forget('2026-07-11T09:59:59Z')
    expect((await listened()).length).toBeGreaterThan(0)
    await forget('2026-07-11T23:59:59Z')
    expect((await keys()).map(({ day }: Json) => day)).toEqual(['2026-07-10'])
    expect(await listened()).toHaveLength(0)
    await forget('2026-07-12T00:00:00Z')
    expect(await keys()).toHaveLength(0)
    service.clock.now = null
  })

  test('replaces a key that was encrypted with another root secret', async () => {
    service.clock.now = new Date('2026-08-01T10:00:00Z')
    await sql(
      `INSERT INTO listener_key (day, sealed_key) VALUES ('2026-08-01', 'bm90IHNlYWxlZCBieSB1cyBhdCBhbGwgaW4gYW55IHdheQ==')`,
    )
    expect(await reason()).toBeNull()
    service.clock.now = null
  })

  test.each([
    { referer: 'https://Player.Example.com:8443/path?secret=1', expected: 'player.example.com' },
    { referer: 'http://[2001:db8::1]/x', expected: '[2001:db8::1]' },
    { referer: 'http://null/', expected: 'null' },
    { referer: 'https://b\u00fccher.example/', expected: 'xn--bcher-kva.example' },
    { referer: 'android-app://com.example', expected: null },
    { referer: 'http://a,b"{}/', expected: null },
    { referer: 'about:client', expected: null },
    { referer: 'nonsense', expected: null },
  ])('keeps only the host of $referer', async ({ referer, expected }) => {
    expect((await play({ headers: { referer } })).referrer_host).toBe(expected)
  })

  test('takes the address from trusted proxies', async () => {
    const config = { ...service.services.config, trustedProxies: 1 }
    const stream = createStream({ ...service.services, config })
    const from = async (forwarded: string) =>
      readRow(
        await stream(
          trackId,
          service.demo.share_key,
          createRequest({ headers: { 'x-forwarded-for': forwarded } }),
          () => '10.0.0.1',
        ),
      )
    const [one, same, other] = [await from('1.1.1.1, 9.9.9.1'), await from('9.9.9.1'), await from('9.9.9.2')]
    expect(same.listener).toBe(one.listener)
    expect(other.listener).not.toBe(one.listener)
  })
})
