import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createGauges } from '../../src/cli/gauges.ts'
import { createMetricsReader, metricsRoute } from '../../src/cli/health.ts'
import { countedStorage } from '../../src/platform/counted-storage.ts'
import { openDatabase } from '../../src/platform/db/client.ts'
import { observePool } from '../../src/platform/db/observe-pool.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { StorageError } from '../../src/platform/storage/storage.ts'
import { changeEntries, deleteEntries, type EntryChange, readEntries } from '../support/queue.ts'
import { useTestService } from '../support/service.ts'

const service = useTestService()
const query = (text: string, values: unknown[] = []) => service.services.pool.query(text, values)
beforeEach(async () => {
  await deleteEntries(service.services.pool)
  await query('DELETE FROM metric_reading')
})
afterEach(() => {
  service.clock.now = null
})

/** Adds entries to the queue. */
async function add(task: string, count: number, change: EntryChange = { dueIn: 0 }): Promise<void> {
  await query(
    `WITH added AS (
       SELECT (graphile_worker.add_job($1, max_attempts => 3)).id FROM generate_series(1, $2::int)
     ) SELECT count(*) FROM added`,
    [task, count],
  )
  for (const { id, priority } of await readEntries(service.services.pool))
    if (priority === 0) await changeEntries(service.services.pool, { ...change, priority: 1 }, { id })
}

async function scrape(registry: { metrics: () => Promise<string> }): Promise<Record<string, number>> {
  const samples = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

describe('the metrics of the queue', () => {
  test('count its jobs by task and state, and have the age of the oldest that waits', async () => {
    await add('process_track', 2, { dueIn: -90 })
    await add('process_track', 1, { dueIn: -10 })
    await add('process_track', 1, { dueIn: 3600 })
    await add('process_cover', 1, { dueIn: -3600, lockedBy: 'pool-a' })
    await add('process_cover', 1, { dueIn: -3600, attempts: 3 })
    const samples = await scrape(createGauges(service.services))
    expect(samples).toMatchObject({
      'tonearm_queue_jobs{task="process_track",state="waiting"}': 3,
      'tonearm_queue_jobs{task="process_track",state="later"}': 1,
      'tonearm_queue_jobs{task="process_cover",state="running"}': 1,
      'tonearm_queue_jobs{task="process_cover",state="exhausted"}': 1,
    })
    const ages = Object.entries(samples).filter(([name]) => name.startsWith('tonearm_queue_oldest_seconds'))
    expect(ages.map(([name]) => name)).toEqual(['tonearm_queue_oldest_seconds{task="process_track"}'])
    expect(ages[0]?.[1]).toBeGreaterThanOrEqual(90)
    expect(ages[0]?.[1]).toBeLessThan(150)
  })

  test('sort waiting jobs into classes by the jobs of their organization ahead, for tasks of each priority', async () => {
    const turns = [0, 1, 9, 10, 99, 100, 1000].flatMap((turn) => [turn, 2000 + turn, 4000 + turn])
    await query(
      `WITH added AS (
         SELECT (graphile_worker.add_job('apply_variant', priority => turn, run_at => now() - turn * interval '1 second')).id
         FROM unnest($1::int[]) turn
       ) SELECT count(*) FROM added`,
      [turns],
    )
    const samples = await scrape(createGauges(service.services))
    expect(samples).toMatchObject({
      'tonearm_queue_jobs{task="apply_variant",state="waiting"}': 21,
      'tonearm_queue_turn_jobs{task="apply_variant",turn="next"}': 3,
      'tonearm_queue_turn_jobs{task="apply_variant",turn="few"}': 6,
      'tonearm_queue_turn_jobs{task="apply_variant",turn="many"}': 6,
      'tonearm_queue_turn_jobs{task="apply_variant",turn="bulk"}': 6,
    })
    const oldest = (turn: string) => samples[`tonearm_queue_turn_oldest_seconds{task="apply_variant",turn="${turn}"}`]
    expect(oldest('next')).toBeGreaterThanOrEqual(4000)
    expect(oldest('next')).toBeLessThan(4001 + 60)
    expect(samples['tonearm_queue_oldest_seconds{task="apply_variant"}']).toBe(oldest('bulk') ?? 0)
  })

  test('are read by one of several processes, and by another when that one has ended within its reading', async () => {
    const waiting = async () =>
      (await scrape(createGauges(service.services)))['tonearm_queue_jobs{task="process_track",state="waiting"}']
    const start = new Date()
    const after = (ms: number) => {
      service.clock.now = new Date(start.getTime() + ms)
    }
    after(0)
    await add('process_track', 1)
    expect(await waiting()).toBe(1)
    await add('process_track', 1)
    after(9_999)
    expect(await waiting()).toBe(1)
    after(10_000)
    expect(await waiting()).toBe(2)
    await add('process_track', 1)
    await query(`UPDATE metric_reading SET value = NULL`)
    expect(await waiting()).toBe(3)
    after(-60_000)
    await add('process_track', 1)
    expect(await waiting()).toBe(4)
  })

  test('are read once in 15 seconds, with any number of scrapes', async () => {
    const waiting = async () => (await scrape(gauges))['tonearm_queue_jobs{task="process_track",state="waiting"}']
    const start = new Date()
    service.clock.now = start
    const gauges = createGauges(service.services)
    await add('process_track', 1)
    expect(await Promise.all([waiting(), waiting(), waiting()])).toEqual([1, 1, 1])
    await add('process_track', 1)
    service.clock.now = new Date(start.getTime() + 14_999)
    expect(await waiting()).toBe(1)
    service.clock.now = new Date(start.getTime() + 15_000)
    expect(await waiting()).toBe(2)
  })

  test('are absent while the database cannot be read, and the others are there', async () => {
    const { options } = service.services.pool
    const counts = { idleCount: 0, totalCount: 0, waitingCount: 0 }
    const away = { query: () => Promise.reject(new Error('away')), options, ...counts }
    const pool = away as unknown as typeof service.services.pool
    const names = Object.keys(await scrape(createGauges({ ...service.services, pool })))
    expect(names.filter((name) => name.startsWith('tonearm_queue'))).toEqual([])
    expect(names).toContain('tonearm_free_bytes{place="storage"}')
  })
})

describe('the metrics of webhooks', () => {
  const endpoint = async (isFailing: boolean) => {
    const { rows } = await query(
      `INSERT INTO webhook_endpoint (id, organization_id, url, secrets, failing_since, updated_at)
       VALUES (gen_random_uuid(), $1, 'https://example.test/' || gen_random_uuid(), '{s}', $2, now()) RETURNING id`,
      [service.demo.organization_id, isFailing ? new Date() : null],
    )
    return rows[0]?.id as string
  }

  test('count pending deliveries and the age of the oldest due attempt, those to failing endpoints apart', async () => {
    const [good, bad] = [await endpoint(false), await endpoint(true)]
    const { rows: events } = await query(
      `INSERT INTO event (id, organization_id, type, data) SELECT gen_random_uuid(), $1, 'webhook.test', '{}'
       FROM generate_series(1, 3) RETURNING id`,
      [service.demo.organization_id],
    )
    await query(`DELETE FROM webhook_delivery`)
    const due = (endpointId: string, event: number, seconds: number) =>
      query(
        `INSERT INTO webhook_delivery (id, organization_id, endpoint_id, event_id, next_attempt_at)
         VALUES (gen_random_uuid(), $1, $2, $3, now() - $4 * interval '1 second')`,
        [service.demo.organization_id, endpointId, events[event]?.id, seconds],
      )
    await Promise.all([due(good, 0, 40), due(good, 1, -100), due(bad, 0, 500), due(bad, 1, 5), due(bad, 2, -5)])
    const samples = await scrape(createGauges(service.services))
    expect(samples).toMatchObject({
      'tonearm_webhook_pending_deliveries{endpoints="ok"}': 2,
      'tonearm_webhook_pending_deliveries{endpoints="failing"}': 3,
    })
    const oldest = (endpoints: string) => samples[`tonearm_webhook_oldest_seconds{endpoints="${endpoints}"}`] ?? 0
    expect(oldest('ok')).toBeGreaterThanOrEqual(39)
    expect(oldest('ok')).toBeLessThan(100)
    expect(oldest('failing')).toBeGreaterThanOrEqual(499)
    expect(oldest('failing')).toBeLessThan(560)
    await query('DELETE FROM webhook_delivery')
    service.clock.now = new Date(Date.now() + 60_000)
    expect(await scrape(createGauges(service.services))).toMatchObject({
      'tonearm_webhook_pending_deliveries{endpoints="ok"}': 0,
      'tonearm_webhook_oldest_seconds{endpoints="failing"}': 0,
    })
  })
})

describe('the metrics of the pool', () => {
  test('count connections by state, waiting requests, and the time until a connection is provided', async () => {
    const metrics = createMetrics()
    const { db, pool, close } = openDatabase(
      service.services.pool.options.connectionString ?? '',
      service.services.log,
      { max: 1 },
    )
    observePool(pool, metrics)
    const client = await pool.connect()
    const waiting = pool.query('SELECT 1')
    const samples = await scrape(createGauges({ ...service.services, pool }, { timeoutMs: 1 }))
    expect(samples).toMatchObject({
      'tonearm_database_connections{state="in_use"}': 1,
      'tonearm_database_connections{state="idle"}': 0,
      tonearm_database_connections_max: 1,
    })
    expect(samples.tonearm_database_waiting).toBeGreaterThanOrEqual(1)
    client.release()
    await waiting
    await db.$queryRaw`SELECT 1`
    await close()
    await expect(pool.connect()).rejects.toThrow()
    const { acquireErrors, acquireSeconds } = metrics
    const count = (await acquireSeconds.get()).values.find(({ metricName }) => metricName?.endsWith('_count'))
    expect(count?.value).toBeGreaterThanOrEqual(3)
    expect((await acquireErrors.get()).values[0]?.value).toBeGreaterThan(0)
  })
})

describe('the metric of free space', () => {
  test('has the bytes of storage and scratch', async () => {
    const storage = { ...service.services.storage, freeBytes: async () => 7 }
    const samples = await scrape(createGauges({ ...service.services, storage }, { freeScratch: async () => 8 }))
    expect(samples).toMatchObject({
      'tonearm_free_bytes{place="storage"}': 7,
      'tonearm_free_bytes{place="scratch"}': 8,
    })
  })

  test('is absent for a bucket, and for a folder that does not answer, which is asked once', async () => {
    let calls = 0
    const hanging = () => {
      calls += 1
      return new Promise<number>(() => {})
    }
    const storage = { ...service.services.storage, freeBytes: async () => null }
    const gauges = createGauges({ ...service.services, storage }, { freeScratch: hanging, timeoutMs: 20 })
    for (const minutes of [0, 1, 2]) {
      service.clock.now = new Date(Date.now() + minutes * 60_000)
      expect(Object.keys(await scrape(gauges)).filter((name) => name.startsWith('tonearm_free'))).toEqual([])
    }
    expect(calls).toBe(1)
  })
})

test('storage errors are counted by operation, and are thrown unchanged', async () => {
  const metrics = createMetrics()
  const fault = new StorageError('put', 'a', new Error('no answer'))
  const { storage: original } = service.services
  const failing = {
    ...original,
    put: () => Promise.reject(fault),
    readNow: (_: string, start: number) => (start === 0 ? new Uint8Array(1) : null),
    read: () => Promise.reject(new Error('of the client')),
    remove: async () => [{ key: 'a', error: fault }],
    receive: async (key: string) => {
      const ends = { commit: () => Promise.reject(fault), discard: async () => {} }
      return { key, bytes: 1, sha256: '', ...ends }
    },
  }
  const storage = countedStorage(failing, metrics)
  for (let i = 0; i < 2; i++) await expect(storage.put('a', 'b', 'c')).rejects.toBe(fault)
  await expect(storage.read('a', 0, 1)).rejects.toThrow('of the client')
  // A result that is not read now is read, and counted, later.
  expect([storage.readNow?.('a', 0, 1)?.length, storage.readNow?.('a', 1, 2)]).toEqual([1, null])
  const incoming = await storage.receive('a', (async function* () {})(), { maxBytes: 1 })
  expect(incoming.bytes).toBe(1)
  await expect(incoming.commit()).rejects.toBe(fault)
  await incoming.discard()
  expect(await storage.size('missing')).toBeNull()
  expect(await storage.remove(['a', 'b'])).toHaveLength(1)
  expect(typeof storage.pieces?.append).toBe(typeof original.pieces?.append)
  const { values } = await metrics.storageErrors.get()
  // The others are 0 from the start: a rate does not see the jump of a series that is new.
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.operation, value]))).toEqual({
    check: 0,
    put: 2,
    receive: 0,
    commit: 1,
    fetch: 0,
    read: 0,
    remove: 1,
  })
  const timed = await metrics.storageSeconds.get()
  const reads = timed.values.filter(({ labels }) => (labels as { operation?: string }).operation === 'read')
  expect(reads.filter(({ metricName }) => metricName?.endsWith('_count')).map(({ value }) => value)).toEqual([1, 1])
})

test('GET /metrics has the metrics of the process and those that are read', async () => {
  const answer = await metricsRoute(createMetricsReader(service.services))['/metrics']()
  const text = await answer.text()
  for (const name of [
    'tonearm_jobs_total',
    'tonearm_tracks_total',
    'tonearm_storage_errors_total',
    'tonearm_free_bytes',
  ]) {
    expect(text).toContain(`# TYPE ${name} `)
  }
  expect(text).toContain('process_resident_memory_bytes')
})
