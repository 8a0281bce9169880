// The archive of plays: complete before a month is dropped, and readable by other programs.
import { beforeEach, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { admin } from '../../../src/cli/admin.ts'
import { loadConfig } from '../../../src/config.ts'
import { archiveMonths, readMonth } from '../../../src/domain/usage/archive.ts'
import { keepLedger } from '../../../src/domain/usage/ledger.ts'
import { openPool } from '../../../src/platform/db/client.ts'
import { exclusively } from '../../../src/platform/db/exclusive.ts'
import { locks } from '../../../src/platform/db/locks.ts'
import { createLog } from '../../../src/platform/log.ts'
import type { Storage } from '../../../src/platform/storage/storage.ts'
import { sql } from '../../support/administrators.ts'
import { runTask } from '../../support/jobs.ts'
import { type Json, SECRET, useTestService } from '../../support/service.ts'

const service = useTestService()
const NOW = new Date('2026-05-10T00:00:00Z')
const KEY = 'archive/plays/2026-01.1.csv.gz'
const COLUMNS = [
  'id',
  'created_at',
  'organization_id',
  'creator_id',
  'collection_id',
  'track_id',
  'variant_id',
  'key_id',
  'listener',
  'referrer_host',
  'exclusion',
]

const rowsOf = async (text: string): Promise<Json[]> => (await sql(service, text)).rows
const archiving = (storage: Storage = service.services.storage) => archiveMonths({ ...service.services, storage })
const keep = (keepMonth = archiving()) => keepLedger(service.services.pool, NOW, 2, keepMonth)
const keys = () => service.objects.keys('archive/')
const partitions = async () =>
  (await rowsOf(`SELECT inhrelid::regclass::text AS part FROM pg_inherits WHERE inhparent = 'play_event'::regclass`))
    .map(({ part }) => part.replace('ledger.play_event_', ''))
    .filter((part) => part < '2026_03')
    .sort()
const archived = () =>
  rowsOf('SELECT storage_key AS key, month::text, rows::int, bytes::int, sha256 FROM play_archive ORDER BY 1')

/** Adds plays of a time with hosts that need quotes. */
const addPlays = (time: string, hosts: readonly (string | null)[]) =>
  sql(
    service,
    `INSERT INTO play_event (id, organization_id, created_at, collection_id, creator_id, track_id, key_id, variant_id, listener,
       referrer_host, exclusion)
     SELECT gen_random_uuid(), $1::uuid, $2::timestamptz + n * interval '1 ms', $1, CASE WHEN n % 2 = 0 THEN $1::uuid END, $1, $1, $1,
       CASE WHEN n % 3 = 0 THEN gen_random_uuid() END, host, CASE WHEN n % 2 = 0 THEN 'repeat' END::play_exclusion
     FROM unnest($3::text[]) WITH ORDINALITY AS play(host, n)`,
    [service.demo.organization_id, time, hosts],
  )
const HOSTS = ['example.com', null, '', 'with "quotes", commas', 'two\nlines', 'münchen.example', '\\N', "=1+1'"]

/** The rows of a month in the database, as text. Null as in the archive. */
const expected = (month: string) =>
  rowsOf(
    `SELECT id::text, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
       ${COLUMNS.slice(2)
         .map((name) => `${name}::text`)
         .join(', ')} FROM play_event WHERE to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') = '${month}' ORDER BY id`,
  )

/** CSV by a parser that shares no code with the service. An empty field without quotes is null. */
function parsed(csv: Uint8Array | string): Json[] {
  const cast = (value: string, { quoting }: { quoting: boolean }) => (value === '' && !quoting ? null : value)
  const rows: Json[] = parse(Buffer.from(csv), { columns: true, cast })
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}
async function read(month: string): Promise<string> {
  const chunks = await readMonth(service.services, month)
  if (!chunks) throw new Error('no month')
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

beforeEach(async () => {
  await sql(service, 'TRUNCATE play_event, play_counted, play_archive')
  for (const key of await keys()) await service.objects.remove(key)
  for (const month of ['2026-01', '2026-02']) await sql(service, `SELECT ledger.add_month('${month}-01Z')`)
  await sql(service, `INSERT INTO play_counted (summed_to) VALUES ('2026-05-10Z')`)
  await addPlays('2026-01-05T10:00:00Z', HOSTS)
})

test('an old month is in storage, with every row and every character, and its partition is dropped', async () => {
  const before = await expected('2026-01')
  expect(before).toHaveLength(HOSTS.length)
  await addPlays('2026-04-05Z', HOSTS)
  await keep()
  expect(await keys()).toEqual([KEY])
  const bytes = (await service.objects.read(KEY)) ?? new Uint8Array()
  const csv = gunzipSync(bytes).toString()
  expect(csv.split('\n')[0]).toBe(COLUMNS.join(','))
  expect(parsed(csv)).toEqual(before)
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  expect(await archived()).toEqual([{ key: KEY, month: '2026-01-01', rows: HOSTS.length, bytes: bytes.length, sha256 }])
  // A month without plays leaves no object.
  expect(await partitions()).toEqual([])
  expect((await rowsOf('SELECT ledger_from::text FROM play_counted'))[0]?.ledger_from).toStartWith('2026-03-01')
  expect(await expected('2026-04')).toHaveLength(HOSTS.length)
  await keep()
  expect(await archived()).toHaveLength(1)
})

test('reads rows over connections of a pooler', async () => {
  const { services } = service
  const { pool, close } = openPool(services.pool.options.connectionString ?? '', services.log, { isPooled: true })
  try {
    await keepLedger(pool, NOW, 2, archiveMonths({ ...services, pool }))
    expect(await archived()).toMatchObject([{ key: KEY, rows: HOSTS.length }])
    expect(await readMonth({ ...services, pool }, '2026-01')).not.toBeNull()
  } finally {
    await close()
  }
})

test('the task archives only with PLAYS_ARCHIVE=on, and the purge leaves the archive', async () => {
  service.clock.now = NOW
  await runTask(service.services, 'keep_ledger')
  expect(await partitions()).toEqual(['2026_01', '2026_02'])
  const run = (isPlaysArchived: boolean) =>
    runTask(
      { ...service.services, config: { ...service.services.config, isPlaysArchived, playsKeptMonths: 2 } },
      'keep_ledger',
    )
  await run(true)
  await runTask(service.services, 'purge_deleted')
  expect(await keys()).toEqual([KEY])
  await addPlays('2026-02-05Z', HOSTS)
  await run(false)
  expect([await partitions(), await keys()]).toEqual([[], [KEY]])
  service.clock.now = null
})

describe('nothing is dropped', () => {
  const failing = (change: Partial<Storage>): Storage => ({ ...service.services.storage, ...change })

  test.each<[when: string, change: () => Partial<Storage>, reason: string]>([
    ['storage does not receive', () => ({ receive: () => Promise.reject(new Error('full')) }), 'full'],
    [
      'storage fails in the middle of an object',
      () => ({
        receive: async (_, body) => {
          for await (const _ of body) throw new Error('cut')
          throw new Error('empty')
        },
      }),
      'cut',
    ],
    ['the stored object has another size', () => ({ size: async () => 1 }), 'differs from what was sent'],
    [
      'the stored object has another content',
      () => ({ read: async (_, start, end) => new Blob([new Uint8Array(end - start)]) }),
      'differs from what was sent',
    ],
  ])('when %s; the next run archives it', async (_, change, reason) => {
    await expect(keep(archiving(failing(change())))).rejects.toThrow(reason)
    expect([await partitions(), await archived()]).toEqual([['2026_01', '2026_02'], []])
    expect(await expected('2026-01')).toHaveLength(HOSTS.length)
    await keep()
    expect([await partitions(), await keys()]).toEqual([[], [KEY]])
  })

  test('when the worker dies between the upload and the drop; the next run replaces the object', async () => {
    const dying = async (month: Parameters<ReturnType<typeof archiving>>[0]) => {
      await archiving()(month)
      throw new Error('killed')
    }
    await expect(keep(dying)).rejects.toThrow('killed')
    expect([await keys(), await archived()]).toEqual([[KEY], []])
    await keep()
    expect([await keys(), (await archived()).length]).toEqual([[KEY], 1])
  })

  test('when a play arrives between the upload and the drop', async () => {
    const late = async (month: Parameters<ReturnType<typeof archiving>>[0]) => {
      const record = await archiving()(month)
      await addPlays('2026-01-31T23:59:59Z', ['late'])
      return record
    }
    await expect(keep(late)).rejects.toThrow('has changed since it was archived')
    await keep()
    expect(parsed(await read('2026-01'))).toHaveLength(HOSTS.length + 1)
  })

  test('by a second worker, or while a backup runs', async () => {
    let count = 0
    const counted = (month: Parameters<ReturnType<typeof archiving>>[0]) => {
      count += 1
      return archiving()(month)
    }
    await exclusively(service.services.pool, locks.ledgerMonths, () => keep(counted))
    expect([count, await partitions()]).toEqual([0, ['2026_01', '2026_02']])
    await Promise.all([keep(counted), keep(counted), keep(counted)])
    expect([count, (await archived()).length]).toEqual([2, 1])
  })
})

describe('reading a month', () => {
  test('yields one table from the ledger, from the archive, and from both', async () => {
    const all = await expected('2026-01')
    expect(parsed(await read('2026-01'))).toEqual(all)
    await keep()
    expect(parsed(await read('2026-01'))).toEqual(all)
    await addPlays('2026-01-31T00:00:00Z', ['later'])
    await sql(service, `SELECT ledger.add_month('2026-01-01Z')`)
    const more = await expected('2026-01')
    const both = [...all, ...more].sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(parsed(await read('2026-01'))).toEqual(both)
    await keep()
    expect(await keys()).toEqual([KEY, 'archive/plays/2026-01.2.csv.gz'])
    expect(parsed(await read('2026-01'))).toEqual(both)
    expect(await readMonth(service.services, '2020-01')).toBeNull()
  })

  test('ends with an error for a damaged object', async () => {
    await keep()
    const bytes = (await service.objects.read(KEY)) ?? new Uint8Array()
    // The time in the header of gzip, which its own checksum does not cover.
    await service.objects.write(KEY, bytes.with(4, (bytes[4] ?? 0) ^ 1))
    await expect(read('2026-01')).rejects.toThrow('differs from its checksum')
  })

  test('by the command writes CSV only, and refuses what is not a month', async () => {
    const url = service.services.pool.options.connectionString ?? ''
    const config = {
      ...loadConfig({ SECRET, DATABASE_URL: url, DATA_DIR: service.dataDir }),
      storage: service.services.config.storage,
    }
    const written: Uint8Array[] = []
    const write = async (chunk: Uint8Array) => void written.push(chunk)
    const run = (...args: string[]) =>
      admin(config, createLog('silent', 'json'), ['plays', ...args], { note: () => {}, write })
    expect(await run('--month', '2026-01')).toBeNull()
    expect(parsed(Buffer.concat(written))).toHaveLength(HOSTS.length)
    await expect(run('--month', '2026-13')).rejects.toThrow('--month: must be a month, such as 2026-01')
    await expect(run('--month', '2020-01')).rejects.toThrow('--month: neither the ledger nor the archive has 2020-01')
    await expect(run()).rejects.toThrow('--month: is required')
    // The ledger has a partition of each.
    const now = new Date()
    const [current = '', next = ''] = [0, 1].map((offset) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString().slice(0, 7),
    )
    expect(await run('--month', current)).toBeNull()
    await expect(run('--month', next)).rejects.toThrow(`--month: ${next} has not begun`)
    await expect(run('--month', '9999-12')).rejects.toThrow('--month: 9999-12 has not begun')
  })
})
