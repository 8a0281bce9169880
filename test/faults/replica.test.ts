// A real streaming replica that answers lists, is late, hangs and ends.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Pool } from 'pg'
import { openPool } from '../../src/platform/db/client.ts'
import { createReader, type Reader } from '../../src/platform/db/query/reader.ts'
import { openReplica, type Replica } from '../../src/platform/db/replica.ts'
import { createLog } from '../../src/platform/log.ts'
import { startReplicated } from '../support/replicated.ts'
import { until } from '../support/until.ts'
import { cleanUp, createPlace, type Place, runMain, startProcess } from './process.ts'

setDefaultTimeout(60_000)

const log = createLog('silent', 'json')
const PATIENT_MS = 20_000
const MAX_LAG_MS = 200
const ANSWER_MS = 500

let servers: Awaited<ReturnType<typeof startReplicated>>
const places: Place[] = []
beforeAll(async () => {
  servers = await startReplicated()
})
afterAll(async () => {
  await cleanUp(...places)
  await servers.stop()
})

const addOrganization = async (name: string) => {
  await servers.query(
    `INSERT INTO organization (id, name, domain, signing_secrets, updated_at)
     VALUES (gen_random_uuid(), $1, $1, ARRAY[repeat('s', 40)], now())`,
    [`${name}.test`],
  )
}

// First, because it creates the demo on the empty database.
describe('a service', () => {
  let dataDir = ''

  async function place(env: Record<string, string>): Promise<Place> {
    const SECRET = 'a-root-secret-for-tests-of-40-characters'
    const newPlace = await createPlace({ SECRET, DEMO: 'empty', DATABASE_URL: servers.url, ...env })
    places.push(newPlace)
    return newPlace
  }

  test('sends lists, usage and exports to its replica, and counts them', async () => {
    const replicaPlace = await place({ DATABASE_READ_URL: servers.replicaUrl })
    const service = await startProcess(replicaPlace)
    dataDir = replicaPlace.env.DATA_DIR ?? ''
    await until('the replica', PATIENT_MS, async () => (await service.output()).includes('the read replica is used'))
    for (let added = 1; added <= 10; added++) {
      expect((await service.v1('POST', '/creator', { organization_index: `creator-${added}` })).status).toBe(200)
      expect((await service.v1('GET', '/creator')).json.creators).toHaveLength(added)
    }
    for (const format of ['json', 'csv']) {
      expect([format, (await service.v1('GET', `/usage/storage?format=${format}`)).status]).toEqual([format, 200])
    }
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    const read = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(metrics)?.[1])
    expect(read('tonearm_database_reads_total\\{target="replica"\\}')).toBeGreaterThanOrEqual(12)
    expect(read('tonearm_replica_lag_seconds')).toBeLessThan(5)
    const { stdout } = await runMain(replicaPlace, ['doctor', '--json'])
    const [finding] = JSON.parse(stdout).filter(({ check }: { check: string }) => check === 'replica')
    expect(finding).toMatchObject({ level: 'ok', found: expect.stringMatching(/^DATABASE_READ_URL is [\d.]+ s late$/) })
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
  })

  test('refuses to start with a server that is not a replica', async () => {
    const { exitCode, stderr } = await runMain(await place({ DATABASE_READ_URL: servers.url }))
    expect([exitCode, stderr]).toEqual([
      1,
      'DATABASE_READ_URL: is not a replica, because it accepts writes; name a streaming replica\n',
    ])
  })

  test('starts while its replica does not answer', async () => {
    const service = await startProcess(
      await place({ DATABASE_READ_URL: 'postgres://a:b@127.0.0.1:1/tonearm', DATA_DIR: dataDir }),
    )
    expect(await service.output()).toContain('reads are sent to the primary')
    expect((await service.v1('GET', '/creator')).status).toBe(200)
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
  })
})

describe('reads', () => {
  const counted = { replica: 0, primary: 0 }
  const reads = {
    inc: ({ target }: { target?: string | number } = {}) => {
      counted[target as keyof typeof counted] += 1
    },
  }
  let primary: { pool: Pool; close: () => Promise<void> }
  let reader: Reader
  let replica: Replica
  let lists: Reader

  beforeEach(async () => {
    primary = openPool(servers.url, log)
    reader = createReader(primary.pool)
    const times = { maxLagMs: MAX_LAG_MS, watchMs: 100, answerMs: ANSWER_MS }
    replica = openReplica(servers.replicaUrl, { pool: primary.pool }, log, reads as never, times)
    lists = replica.readerOver(reader)
    await untilUsed()
    Object.assign(counted, { replica: 0, primary: 0 })
  })
  afterEach(async () => {
    await replica.close()
    await primary.close()
  })

  const count = () => lists.count('Organization', {})
  const untilUsed = () =>
    until('the replica to be used', PATIENT_MS, async () => {
      const before = counted.replica
      await count()
      return counted.replica > before
    })
  /** @returns the result, and the milliseconds that it took */
  async function timed<T>(read: () => Promise<T>): Promise<[T, number]> {
    const began = performance.now()
    return [await read(), performance.now() - began]
  }

  test('use the replica, and never miss what any process has committed', async () => {
    const before = await reader.count('Organization', {})
    for (let added = 1; added <= 40; added++) {
      await addOrganization(`own-${added}`)
      const [total, rows] = await Promise.all([count(), lists.readMany('Organization', { select: { id: true } })])
      expect([total, rows.length]).toEqual([before + added, before + added])
    }
    expect(counted.replica).toBeGreaterThan(60)
    expect(await replica.readLag()).toBe(0)
  })

  test('use the primary within the bound while the replica is late, without waiting again, until it has caught up', async () => {
    const before = await count()
    await servers.pause()
    await addOrganization('late')
    const [total, ms] = await timed(count)
    expect(total).toBe(before + 1)
    expect(ms).toBeGreaterThan(MAX_LAG_MS * 0.9)
    expect(ms).toBeLessThan(MAX_LAG_MS + 2 * ANSWER_MS)
    expect(await replica.readLag()).toBeGreaterThan(0)
    for (let more = 0; more < 5; more++) {
      const [same, now] = await timed(count)
      expect(same).toBe(before + 1)
      expect(now).toBeLessThan(MAX_LAG_MS * 0.9)
    }
    expect(counted.primary).toBe(6)
    await servers.resume()
    await untilUsed()
    expect(await count()).toBe(before + 1)
  })

  test('all succeed while the replica ends and is started again', async () => {
    const expected = await count()
    let isDone = false
    const times: number[] = []
    const client = async () => {
      while (!isDone) {
        const [total, ms] = await timed(count)
        expect(total).toBe(expected)
        times.push(ms)
      }
    }
    const clients = Promise.all(Array.from({ length: 8 }, client))
    await until('some reads', PATIENT_MS, () => counted.replica > 100)
    await servers.stopReplica()
    await until('reads of the primary', PATIENT_MS, () => counted.primary > 100)
    const { replica: used } = counted
    await servers.startReplica()
    await until('reads of the replica', PATIENT_MS, () => counted.replica > used + 100)
    isDone = true
    await clients
    expect(Math.max(...times)).toBeLessThan(2 * ANSWER_MS + MAX_LAG_MS)
  })

  test('that are in progress on a replica that hangs run again on the primary', async () => {
    const expected = await count()
    servers.silence(true)
    try {
      const all = await Promise.all(Array.from({ length: 8 }, () => timed(count)))
      expect(all.map(([total]) => total)).toEqual(Array(8).fill(expected))
      expect(Math.max(...all.map(([, ms]) => ms))).toBeLessThan(2 * ANSWER_MS + MAX_LAG_MS)
      const [, next] = await timed(count)
      expect(next).toBeLessThan(ANSWER_MS / 2)
      expect(await replica.currentPool()).toBe(primary.pool)
    } finally {
      servers.silence(false)
    }
    await untilUsed()
    expect(await replica.currentPool()).not.toBe(primary.pool)
  })

  test('fail like those of the primary for a mistake of the client', async () => {
    const invalid = lists.readMany('Organization', { where: { id: 'not a UUID' } })
    await expect(invalid).rejects.toMatchObject({ code: '22P02' })
    const aborted = lists.count('Organization', {}, AbortSignal.abort(new Error('left')))
    await expect(aborted).rejects.toThrow('left')
    expect(counted.primary).toBe(0)
  })
})
