// Which stream links are open: a change applies to the request that follows it, in every process.
import { beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { sealSecret } from '../../../src/domain/delivery/secret.ts'
import { createStreamResolver, type PlayRequest } from '../../../src/domain/playback/stream.ts'
import { createStream, type Stream } from '../../../src/roles/gateway/stream.ts'
import * as database from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { useTestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'

const service = useTestService()
const sql = (text: string, values?: unknown[]) => database.sql(service, text, values)

/** Two gateways. */
let gateways: Stream[]
beforeAll(() => {
  gateways = [createStream(service.services), createStream(service.services)]
})

/** A track in a collection of its own, with a share key, that both gateways have opened. */
async function opened() {
  const { json } = await service.v1('POST', '/collection', { body: { title: 'Of a test' } })
  const collectionId: string = json.collection_id
  const trackId = await playableTrack(service, { collectionId, indexes: ['hq'] })
  const { id: variantId } = await service.services.db.variant.findFirstOrThrow({
    where: { index: 'hq', deletedAt: null },
  })
  const { key, record } = await issueKey(service.services, service.demo.organization_id, 'share', {
    title: 'Of a test',
    variantId,
    collectionId,
  })
  const link = { trackId, collectionId, variantId, key, keyId: record.id }
  expect(await statuses(link)).toEqual([302, 302])
  return link
}
type Opened = Awaited<ReturnType<typeof opened>>

const open = (gateway: Stream, { trackId, key }: Pick<Opened, 'trackId' | 'key'>) =>
  gateway(trackId, key, new Request(`http://localhost/v1/stream/${trackId}/${key}`), () => '203.0.113.1')
const answers = (link: Opened) => Promise.all(gateways.map((gateway) => open(gateway, link)))
const statuses = async (link: Opened) => (await answers(link)).map(({ status }) => status)
const countPlays = async ({ trackId }: Opened): Promise<number> =>
  (await sql('SELECT count(*)::int AS count FROM play_event WHERE track_id = $1', [trackId])).rows[0].count

describe('after a change, both gateways answer 404 and count nothing', () => {
  const changes: [what: string, change: (link: Opened) => Promise<unknown>][] = [
    ['a deleted track', ({ trackId }) => service.v1('DELETE', `/track/${trackId}`)],
    ['a deleted collection', ({ collectionId }) => service.v1('DELETE', `/collection/${collectionId}`)],
    ['a revoked key', ({ keyId }) => sql('UPDATE api_key SET revoked_at = now() WHERE id = $1', [keyId])],
    ['a deleted key', ({ keyId }) => sql('DELETE FROM api_key WHERE id = $1', [keyId])],
    [
      'an earlier expiry',
      // Rounded by the column, it would be in the future for up to half a millisecond.
      ({ keyId }) => sql(`UPDATE api_key SET expires_at = date_trunc('milliseconds', now()) WHERE id = $1`, [keyId]),
    ],
    [
      'a key for another track',
      async ({ keyId }) => {
        const other = await playableTrack(service)
        await sql('UPDATE api_key SET track_id = $2 WHERE id = $1', [keyId, other])
      },
    ],
    [
      'a track in another collection',
      ({ trackId }) => sql('UPDATE track SET collection_id = $2 WHERE id = $1', [trackId, service.demo.collection_id]),
    ],
    [
      'a file that is made again',
      ({ trackId }) => sql(`UPDATE track_file SET state = 'queued', path = NULL WHERE track_id = $1`, [trackId]),
    ],
    ['a deleted file', ({ trackId }) => sql('DELETE FROM track_file WHERE track_id = $1', [trackId])],
  ]
  test.each(changes)('%s', async (_, change) => {
    const link = await opened()
    const counted = await countPlays(link)
    await change(link)
    expect(await statuses(link)).toEqual([404, 404])
    expect(await countPlays(link)).toBe(counted)
  })

  test('a deleted variant', async () => {
    const link = await opened()
    const setDeleted = (time: string | null) =>
      sql('UPDATE variant SET deleted_at = $2 WHERE id = $1', [link.variantId, time])
    await setDeleted('2026-01-01')
    const after = await statuses(link)
    await setDeleted(null)
    expect(after).toEqual([404, 404])
    expect(await statuses(link)).toEqual([302, 302])
  })

  test('a change in a transaction that began long before its commit', async () => {
    const link = await opened()
    const client = await service.services.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('UPDATE track SET deleted_at = now() WHERE id = $1', [link.trackId])
      // These transactions are younger, and commit first.
      const [other] = [await opened()]
      expect([await statuses(link), await statuses(other)]).toEqual([
        [302, 302],
        [302, 302],
      ])
      await client.query('COMMIT')
    } finally {
      client.release()
    }
    expect(await statuses(link)).toEqual([404, 404])
  })

  test('the end of a key by the clock of the process', async () => {
    const link = await opened()
    const expiresAt = new Date(Date.now() + 30_000)
    await sql('UPDATE api_key SET expires_at = $2 WHERE id = $1', [link.keyId, expiresAt])
    const at = async (time: number) => {
      service.clock.now = new Date(time)
      return statuses(link).finally(() => {
        service.clock.now = null
      })
    }
    expect(await at(expiresAt.getTime() - 1)).toEqual([302, 302])
    expect(await at(expiresAt.getTime())).toEqual([404, 404])
  })
})

describe('after a change, both gateways redirect to the new address', () => {
  const locations = async (link: Opened) => (await answers(link)).map(({ headers }) => headers.get('location'))

  test('of a file that was made again', async () => {
    const link = await opened()
    await sql(`UPDATE track_file SET path = 'elsewhere.m4a' WHERE track_id = $1`, [link.trackId])
    const address = expect.stringContaining('/elsewhere.m4a?verify=')
    expect(await locations(link)).toEqual([address, address])
  })

  test('signed with a new secret, on a new domain', async () => {
    const link = await opened()
    service.clock.now = new Date()
    const [before] = await locations(link)
    const change = (text: string, value: unknown) =>
      sql(`UPDATE organization SET ${text} WHERE id = $1`, [service.demo.organization_id, value])
    await change('signing_secrets = $2 || signing_secrets', [sealSecret(service.services, 'a-new-secret')])
    const [first, second] = await locations(link)
    await change('domain = $2', 'files.example.com')
    const [moved] = await locations(link)
    service.clock.now = null
    expect(first).toBe(second ?? '')
    expect(first).not.toBe(before ?? '')
    expect(moved).toContain('//files.example.com/')
  })
})

describe('a link for some sites', () => {
  /** OWN is the address of the service. */
  const openFrom = ({ trackId, key }: Opened, { referer, ...others }: Record<string, string>) => {
    const { publicUrl } = service.services.config
    const headers = { ...others, ...(referer && { referer: referer.replace('OWN', publicUrl) }) }
    return (gateways[0] as Stream)(
      trackId,
      key,
      new Request(`http://localhost/v1/stream/${trackId}/${key}`, { headers }),
    )
  }
  const limitTo = ({ keyId }: Opened, sites: string[]) =>
    sql('UPDATE api_key SET sites = $2 WHERE id = $1', [keyId, sites])

  test.each([
    ['no site', {}, 302],
    ['the own pages', { referer: 'OWN/embed/a/b' }, 302],
    ['the own pages at another address', { referer: 'https://audio.test:8443/s/a/b', host: 'audio.test:8443' }, 302],
    ['a site', { referer: 'https://example.com/page' }, 302],
    ['a site at any port', { referer: 'https://example.com:8443/' }, 302],
    ['a site by Origin', { origin: 'https://example.com' }, 302],
    ['a name before it', { referer: 'https://www.example.com/' }, 404],
    ['a name that ends like it', { referer: 'https://badexample.com/' }, 404],
    ['another site by Origin', { origin: 'https://evil.test' }, 404],
    [
      'another site by Referer, whatever Origin is',
      { referer: 'https://evil.test/', origin: 'https://example.com' },
      404,
    ],
    ['names before a wildcard', { referer: 'https://a.b.example.org/' }, 302],
    ['a wildcard without a name', { referer: 'https://example.org/' }, 404],
    ['a name that ends like a wildcard', { referer: 'https://badexample.org/' }, 404],
    ['a site at its port', { referer: 'https://port.test:8080/' }, 302],
    ['a site at another port', { referer: 'https://port.test/' }, 404],
    ['no valid address', { referer: 'about:client' }, 302],
    ['an address of IPv6', { referer: 'http://[::1]:8080/' }, 404],
    ['a private page', { origin: 'null' }, 302],
  ] as [string, Record<string, string>, number][])('%s', async (_, headers, status) => {
    const link = await opened()
    await limitTo(link, ['example.com', '*.example.org', 'port.test:8080'])
    const counted = await countPlays(link)
    expect((await openFrom(link, headers)).status).toBe(status)
    expect(await countPlays(link)).toBe(counted + (status === 302 ? 1 : 0))
  })

  test('without sites opens from any', async () => {
    const link = await opened()
    expect((await openFrom(link, { referer: 'https://evil.test/' })).status).toBe(302)
  })

  test('opens for some plays of one statement, and not for others', async () => {
    const link = await opened()
    await limitTo(link, ['example.com'])
    const counted = await countPlays(link)
    const answered = await Promise.all(
      ['https://evil.test/', 'https://example.com/', 'https://evil.test/', 'https://example.com/a'].map((referer) =>
        openFrom(link, { referer }),
      ),
    )
    expect(answered.map(({ status }) => status)).toEqual([404, 302, 404, 302])
    expect(await countPlays(link)).toBe(counted + 2)
  })
})

describe('a batch', () => {
  const request: PlayRequest = {
    id: '',
    address: '203.0.113.9',
    userAgent: 'Overcast/3.0',
    referrer: null,
    site: null,
    range: null,
    purpose: null,
    isHead: false,
    country: null,
    cookie: null,
  }
  /** Opens links at once, by one gateway. */
  const openAll = (link: Opened, requests: Partial<PlayRequest>[]) => {
    const resolver = createStreamResolver(service.services)
    return Promise.allSettled(
      requests.map((part) => resolver.open(link.trackId, link.key, { ...request, id: randomUUID(), ...part })),
    )
  }
  const listStatements = async (work: () => Promise<unknown>) => {
    const { texts, stop } = watchStatements(service.services.pool)
    await work()
    stop()
    return texts.flatMap((text) => /ledger\.(\w+)/.exec(text)?.[1] ?? [])
  }

  test('is one statement, also while links of others change', async () => {
    const [link, other] = [await opened(), await opened()]
    const gateway = gateways[0] as Stream
    for (const change of ['now()', 'NULL']) {
      await sql(`UPDATE track SET deleted_at = ${change} WHERE id = $1`, [other.trackId])
      expect(await listStatements(() => open(gateway, link))).toEqual(['record_plays'])
    }
    const client = await service.services.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('UPDATE track SET deleted_at = now() WHERE id = $1', [other.trackId])
      expect(await listStatements(() => open(gateway, link))).toEqual(['record_plays'])
      await client.query('COMMIT')
    } finally {
      client.release()
    }
    expect(await listStatements(() => open(gateway, link))).toEqual(['record_plays'])
  })

  test.each([
    ['an ID that is no UUID', 'nonsense'],
    ['an ID that ends the array', 'a,b'],
    ['no ID', ''],
  ])('answers the others when one play has %s', async (_, id) => {
    const link = await opened()
    const counted = await countPlays(link)
    const outcomes = await openAll(link, [{}, {}, { id }, {}, {}])
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true])
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') expect(outcome.value).toContain('?verify=')
    }
    expect(await countPlays(link)).toBe(counted + 4)
  })

  test('counts an ID once', async () => {
    const link = await opened()
    const [counted, id] = [await countPlays(link), randomUUID()]
    const outcomes = await openAll(link, [{ id }, { id }, {}])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await countPlays(link)).toBe(counted + 2)
  })

  test('answers none after a lost connection, and does not repeat the statement', async () => {
    const link = await opened()
    const counted = await countPlays(link)
    await sql(`CREATE FUNCTION end_for_test() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`)
    await sql('CREATE TRIGGER end_for_test BEFORE INSERT ON last_listen FOR EACH ROW EXECUTE FUNCTION end_for_test()')
    try {
      const outcomes = await openAll(link, [{ address: '203.0.113.77' }, { address: '203.0.113.78' }])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    } finally {
      await sql('DROP FUNCTION end_for_test CASCADE')
    }
    expect(await countPlays(link)).toBe(counted)
  })
})

test('the page of a share link is there exactly while the stream link is open', async () => {
  const link = await opened()
  const pages = async () => [
    (await service.gateway(new Request(`http://localhost/s/${link.trackId}/${link.key}`))).status,
    (await service.gateway(new Request(`http://localhost/s/collection/${link.collectionId}/${link.key}`))).status,
  ]
  const changes: [change: string, undo: string, id: string][] = [
    ['track SET deleted_at = now()', 'track SET deleted_at = NULL', link.trackId],
    ['collection SET deleted_at = now()', 'collection SET deleted_at = NULL', link.collectionId],
    ['variant SET deleted_at = now()', 'variant SET deleted_at = NULL', link.variantId],
    [`api_key SET expires_at = now() - interval '1 second'`, 'api_key SET expires_at = NULL', link.keyId],
    ['api_key SET revoked_at = now()', 'api_key SET revoked_at = NULL', link.keyId],
  ]
  expect(await pages()).toEqual([200, 200])
  for (const [change, undo, id] of changes) {
    await sql(`UPDATE ${change} WHERE id = $1`, [id])
    expect([change, await statuses(link), await pages()]).toEqual([change, [404, 404], [404, 404]])
    await sql(`UPDATE ${undo} WHERE id = $1`, [id])
    expect([undo, await statuses(link), await pages()]).toEqual([undo, [302, 302], [200, 200]])
  }
})
