// What gateways keep of stream links: a change applies to the request that follows it, in every process.
import { beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { forgetListenersTask } from '../../../src/domain/playback/housekeeping.task.ts'
import { createStream, type Stream } from '../../../src/roles/gateway/stream.ts'
import * as database from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Json, useTestService } from '../../support/service.ts'
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
  const trackId = await playableTrack(service, { collectionId, made: ['hq'] })
  const { id: variantId } = await service.services.db.variant.findFirstOrThrow({
    where: { index: 'hq', deletedAt: null },
  })
  const { key, record } = await issueKey(service.services, service.demo.organization_id, 'share', {
    title: 'Of a test',
    variantId,
    collectionId,
  })
  const link = { trackId, collectionId, variantId, key, keyId: record.id }
  // The second time, each has the link in memory.
  for (let time = 1; time <= 2; time++) expect(await statuses(link)).toEqual([302, 302])
  return link
}
type Opened = Awaited<ReturnType<typeof opened>>

const open = (gateway: Stream, { trackId, key }: Pick<Opened, 'trackId' | 'key'>) =>
  gateway(trackId, key, new Request(`http://localhost/v1/stream/${trackId}/${key}`), () => '203.0.113.1')
const answers = (link: Opened) => Promise.all(gateways.map((gateway) => open(gateway, link)))
const statuses = async (link: Opened) => (await answers(link)).map(({ status }) => status)
const countOf = async ({ trackId }: Opened): Promise<number> =>
  (await sql('SELECT count(*)::int AS count FROM play_event WHERE track_id = $1', [trackId])).rows[0].count

describe('after a change, both gateways answer 404 and count nothing', () => {
  const changes: [what: string, change: (link: Opened) => Promise<unknown>][] = [
    ['a deleted track', ({ trackId }) => service.v1('DELETE', `/track/${trackId}`)],
    ['a deleted collection', ({ collectionId }) => service.v1('DELETE', `/collection/${collectionId}`)],
    ['a revoked key', ({ keyId }) => sql('UPDATE api_key SET revoked_at = now() WHERE id = $1', [keyId])],
    ['a deleted key', ({ keyId }) => sql('DELETE FROM api_key WHERE id = $1', [keyId])],
    ['an earlier expiry', ({ keyId }) => sql(`UPDATE api_key SET expires_at = now() WHERE id = $1`, [keyId])],
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
    const counted = await countOf(link)
    await change(link)
    expect(await statuses(link)).toEqual([404, 404])
    expect(await countOf(link)).toBe(counted)
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

  test('more changes than are applied one by one', async () => {
    const link = await opened()
    await sql(
      `WITH others AS (INSERT INTO ledger.link_change (subject) SELECT gen_random_uuid() FROM generate_series(1, 3000))
       UPDATE track SET deleted_at = now() WHERE id = $1`,
      [link.trackId],
    )
    expect(await statuses(link)).toEqual([404, 404])
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
    for (const location of await locations(link)) expect(location).toContain('/elsewhere.m4a?verify=')
  })

  test('signed with a new secret, on a new domain', async () => {
    const link = await opened()
    service.clock.now = new Date()
    const [before] = await locations(link)
    const change = (text: string, value: unknown) =>
      sql(`UPDATE organization SET ${text} WHERE id = $1`, [service.demo.organization_id, value])
    await change('signing_secrets = $2 || signing_secrets', ['a-new-secret'])
    const [first, second] = await locations(link)
    await change('domain = $2', 'files.example.com')
    const [moved] = await locations(link)
    service.clock.now = null
    expect(first).toBe(second ?? '')
    expect(first).not.toBe(before ?? '')
    expect(moved).toContain('//files.example.com/')
  })
})

describe('what is kept', () => {
  /** Names of the functions that the statements of some work call. */
  async function functionsOf(work: () => Promise<unknown>): Promise<string[]> {
    const { texts, stop } = watchStatements(service.services.pool)
    await work()
    stop()
    return texts.flatMap((text) => /ledger\.(\w+)/.exec(text)?.[1] ?? [])
  }
  const gateway = () => gateways[0] as Stream

  test('is not resolved again, even after changes of others', async () => {
    const [link, other] = [await opened(), await opened()]
    await service.v1('DELETE', `/track/${other.trackId}`)
    expect(await functionsOf(() => open(gateway(), link))).toEqual(['record_plays', 'record_plays'])
    expect(await functionsOf(() => open(gateway(), link))).toEqual(['record_plays'])
  })

  test('is resolved again after a minute without a play', async () => {
    const link = await opened()
    const laterBy = async (ms: number) => {
      service.clock.now = new Date(Date.now() + ms)
      return functionsOf(() => open(gateway(), link)).finally(() => {
        service.clock.now = null
      })
    }
    expect(await laterBy(61_000)).toEqual(['resolve_links', 'record_plays'])
  })

  test('is no invalid link: it works when its track is restored', async () => {
    const link = await opened()
    await service.v1('DELETE', `/track/${link.trackId}`)
    expect(await functionsOf(() => open(gateway(), link))).toEqual(['record_plays', 'resolve_links'])
    expect(await functionsOf(() => open(gateway(), link))).toEqual(['resolve_links'])
    await sql('UPDATE track SET deleted_at = NULL WHERE id = $1', [link.trackId])
    expect(await statuses(link)).toEqual([302, 302])
  })

  test('ignores changes with the transaction numbers of another cluster', async () => {
    const link = await opened()
    await sql(`INSERT INTO ledger.link_change (transaction_id, subject) VALUES ('9000000000000000000', $1)`, [
      link.trackId,
    ])
    expect(await functionsOf(() => open(gateway(), link))).toEqual(['record_plays'])
    expect(await statuses(link)).toEqual([302, 302])
  })

  test('nothing is recorded for changes that end no link', async () => {
    const link = await opened()
    const changes = async (): Promise<Json[]> =>
      (
        await sql('SELECT * FROM ledger.link_change WHERE subject = ANY ($1)', [
          [link.trackId, link.collectionId, link.keyId],
        ])
      ).rows
    await service.v1('PUT', `/track/${link.trackId}`, { body: { player_title: 'New' } })
    await service.v1('PUT', `/collection/${link.collectionId}`, { body: { title: 'New' } })
    await sql('UPDATE api_key SET last_used_at = now() WHERE id = $1', [link.keyId])
    await sql('UPDATE track_file SET path = path, state = state WHERE track_id = $1', [link.trackId])
    expect(await changes()).toEqual([])
    await service.v1('DELETE', `/track/${link.trackId}`)
    expect(await changes()).toHaveLength(1)
  })

  test('changes are deleted after a day', async () => {
    const [old, recent] = [randomUUID(), randomUUID()]
    await sql(
      `INSERT INTO ledger.link_change (subject, changed_at)
       VALUES ($1, now() - interval '25 hours'), ($2, now() - interval '23 hours')`,
      [old, recent],
    )
    await forgetListenersTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
    const { rows } = await sql('SELECT subject FROM ledger.link_change WHERE subject = ANY ($1)', [[old, recent]])
    expect(rows).toEqual([{ subject: recent }])
  })
})
