// PgBouncer in transaction mode between the service and its database. Debian's package `pgbouncer`; skipped without it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { tone } from '../support/audio.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { subscribe } from '../support/subscriber.ts'
import { type FaultyDatabase, startDatabase } from './database.ts'
import { cleanUp, createPlace, createTrack, type Place, runMain, startProcess, untilStatus } from './process.ts'

setDefaultTimeout(60_000)

if (!hasPgBouncer) console.log('skipped, because `pgbouncer` is not on PATH (Debian: apt-get install pgbouncer)')

describe.skipIf(!hasPgBouncer)('PgBouncer in transaction mode', () => {
  let database: FaultyDatabase
  let pooler: PgBouncer
  const places: Place[] = []

  beforeAll(async () => {
    database = await startDatabase()
    // One connection for each of few transactions, so that a session is another one after each.
    pooler = await startPgBouncer(database.url, { default_pool_size: '4', server_round_robin: '1' })
  })
  afterAll(async () => {
    await cleanUp(...places)
    await pooler.stop()
    await database.stop()
  })

  async function place(env: Record<string, string>): Promise<Place> {
    const SECRET = 'a-root-secret-for-tests-of-40-characters'
    const newPlace = await createPlace({ SECRET, DEMO: 'empty', DELIVERY_URL: 'http://{org_domain}', ...env })
    places.push(newPlace)
    return newPlace
  }

  test('as DATABASE_URL alone stops the start with a sentence that names the remedy', async () => {
    const { exitCode, stderr } = await runMain(await place({ DATABASE_URL: pooler.url }))
    expect([exitCode, stderr]).toEqual([
      1,
      'DATABASE_URL: is a pooler that assigns connections by transaction; set DATABASE_DIRECT_URL to the PostgreSQL server itself\n',
    ])
  })

  test('as DATABASE_DIRECT_URL stops the start, and so does another database', async () => {
    const other = new URL(database.url)
    other.pathname = '/postgres'
    for (const [direct, reason] of [
      [pooler.url, 'is a pooler that assigns connections by transaction; name the server itself'],
      [other.toString(), 'is another database than the one that DATABASE_URL leads to'],
    ] as const) {
      const { exitCode, stderr } = await runMain(await place({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct }))
      expect([exitCode, stderr]).toEqual([1, `DATABASE_DIRECT_URL: ${reason}\n`])
    }
  })

  test('carries all but the state of sessions: uploads, jobs, events, statements of any number', async () => {
    const service = await startProcess(await place({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url }))
    expect(await service.output()).not.toContain('limits no statement')
    const { id, uploadUrl } = await createTrack(service)
    const { api_key: key, graphql_url: url } = service.credentials
    const client = subscribe(url, { key, variables: { trackId: id } })
    await client.change('the first state', ({ status }) => status === 'INITIALIZED')
    expect((await fetch(uploadUrl, { method: 'PUT', body: new Blob([await tone(1)]) })).status).toBe(200)
    await client.change('the end', ({ status }) => status === 'READY')
    client.leave()
    await untilStatus(service, id, ['ready'])
    // The same texts on several connections at once, whose sessions differ from one transaction to the next.
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const post = (query: string) => fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })
    const fields = ['id', 'id title', 'id createdAt', 'id updatedAt']
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, at) =>
        post(
          `{ collections(first: ${1 + (at % 5)}) { totalCount nodes { ${fields[at % 4]} tracks(first: 2) { nodes { id } } } } }`,
        ),
      ),
    )
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(texts.filter((text) => !text.includes('"totalCount":1'))).toEqual([])
    const link = await service.v1('GET', `/stream/${id}/${service.credentials.share_key}`)
    expect((await fetch(link.headers.get('location') ?? '')).status).toBe(200)
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
    const locks = await database.query("SELECT FROM pg_locks WHERE locktype = 'advisory'")
    expect(locks).toEqual([])
  })

  test('doctor finds a pooler that limits no statement', async () => {
    const { hostname, port, pathname } = new URL(database.url)
    const tonearm = `host=${hostname} port=${port} dbname=${pathname.slice(1)}`
    const unlimited = await startPgBouncer(database.url, { tonearm })
    try {
      const of = async (env: Record<string, string>) => {
        const { stdout } = await runMain(await place(env), ['doctor', '--json'])
        const all: Record<'check' | 'level' | 'found', string>[] = JSON.parse(stdout)
        return all.filter(({ check }) => check === 'pooler').map(({ level, found: finding }) => `${level}: ${finding}`)
      }
      const direct = { DATABASE_DIRECT_URL: database.url }
      expect(await of({ DATABASE_URL: unlimited.url, ...direct })).toEqual([
        expect.stringContaining('warning: the pooler limits no statement'),
      ])
      expect(await of({ DATABASE_URL: pooler.url, ...direct })).toEqual([expect.stringContaining('ok: ')])
    } finally {
      await unlimited.stop()
    }
  })
})
