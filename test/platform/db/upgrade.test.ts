// An upgrade: rows of an earlier release are kept, and its processes serve while the migrations are applied and after.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Pool } from 'pg'
import { migrate, migrationsDirectory, readMigrations } from '../../../src/platform/db/migrate.ts'
import { dumpTable, listTables, loadAlone, loadTable, nameOf, type Table } from '../../../src/platform/db/tables.ts'
import { fillLibrary } from '../../support/library.ts'
import { emptyDatabase } from '../../support/postgres.ts'
import { RELEASED } from '../../support/released.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-upgrade-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A folder with the migrations up to one. */
async function migrationsUpTo(last: string): Promise<string> {
  const target = await mkdtemp(join(folder, 'migrations-'))
  for (const { name } of (await readMigrations()).filter(({ name }) => name <= last)) {
    await cp(join(migrationsDirectory, name), join(target, name), { recursive: true })
  }
  return target
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

const fileOf = ({ schema, name }: Table) => join(folder, `${schema}.${name}.gz`)
const isOfDomain = ({ schema }: Table) => schema !== 'graphile_worker'

/** A hash of the rows of each table, by the columns that it had. */
async function hashesOf(client: Client, tables: readonly Table[]): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const table of tables) {
    const columns = table.columns.map((column) => `"${column}"`).join(', ')
    const { rows } = await client.query(
      `SELECT md5(string_agg(part::text, ',' ORDER BY part::text)) AS hash FROM (SELECT ${columns} FROM ONLY ${nameOf(table)}) part`,
    )
    hashes[nameOf(table)] = rows[0].hash
  }
  return hashes
}

/** Objects that statements rely on, as text: those that must be kept, and those that must not be added to a table. */
async function readPromise(client: Client, tables: readonly Table[]) {
  const { rows } = await client.query<{ kind: 'kept' | 'added'; text: string }>(
    `SELECT 'kept' AS kind, concat_ws(' ', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod)) AS text
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE c.relnamespace::regnamespace::text IN ('public', 'ledger') AND c.relkind IN ('r', 'p', 'v') AND attnum > 0
         AND NOT attisdropped
     UNION ALL SELECT 'kept', p.oid::regprocedure || ' returns ' || format_type(prorettype, NULL) FROM pg_proc p
       WHERE pronamespace::regnamespace::text IN ('public', 'ledger')
     UNION ALL SELECT 'kept', format_type(enumtypid, NULL) || ' ' || enumlabel FROM pg_enum
     UNION ALL SELECT 'kept', indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexdef LIKE 'CREATE UNIQUE%'
     UNION ALL SELECT 'added', attrelid::regclass || ' requires ' || attname FROM pg_attribute a
       WHERE attrelid::regclass::text = ANY($1::text[]) AND attnum > 0 AND attnotnull AND NOT atthasdef AND NOT attisdropped
     UNION ALL SELECT 'added', conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
       WHERE conrelid::regclass::text = ANY($1::text[]) AND contype <> 'n'
     UNION ALL SELECT 'added', indexdef FROM pg_indexes
       WHERE tablename = ANY($1::text[]) AND schemaname = 'public' AND indexdef LIKE 'CREATE UNIQUE%'`,
    [tables.map(({ name }) => name)],
  )
  const of = (kind: string) => new Set(rows.filter((row) => row.kind === kind).map(({ text }) => text))
  return { kept: of('kept'), added: of('added') }
}

type Promised = Awaited<ReturnType<typeof readPromise>>

/** Changes that break statements of the release before. */
const broken = (before: Promised, after: Promised): string[] => [
  ...[...before.kept].filter((text) => !after.kept.has(text)).map((text) => `gone: ${text}`),
  ...[...after.added].filter((text) => !before.added.has(text)).map((text) => `new: ${text}`),
]

describe('from the last release', () => {
  let url: string
  let client: Client
  let tables: Table[]
  let before: { hashes: Record<string, string>; promise: Promised }
  beforeAll(async () => {
    const { pool } = service.services
    await fillLibrary(pool, service.demo.organization_id, { collections: 2, tracks: 5 })
    await service.v1('POST', '/collection', { body: { title: 'With an event' } })
    await pool.query(
      `INSERT INTO play_event (id, organization_id, created_at, collection_id, track_id, key_id, variant_id)
       SELECT gen_random_uuid(), organization_id, now(), collection_id, id, id, id FROM track`,
    )
    url = await emptyDatabase()
    await migrate(url, await migrationsUpTo(RELEASED))
    client = await connect(url)
    tables = (await listTables(client)).filter(isOfDomain)
    const source = await connect(pool.options.connectionString ?? '')
    for (const table of tables) await dumpTable(source, table, fileOf(table))
    await source.end()
    await client.query('BEGIN')
    await loadAlone(client, tables, async () => {
      for (const table of tables) await loadTable(client, table, fileOf(table))
    })
    await client.query('COMMIT')
    before = { hashes: await hashesOf(client, tables), promise: await readPromise(client, tables) }
  })
  afterAll(() => client.end())

  test('reads and writes of the release before succeed while the migrations are applied, and wait for seconds at most', async () => {
    const pool = new Pool({ connectionString: url, max: 4 })
    let isDone = false
    const longest = { ms: 0, requests: 0 }
    const request = async (work: (connection: Client) => Promise<unknown>) => {
      const connection = await pool.connect()
      const began = performance.now()
      try {
        await connection.query('BEGIN')
        await work(connection as unknown as Client)
        await connection.query('ROLLBACK')
      } finally {
        connection.release()
      }
      longest.requests += 1
      longest.ms = Math.max(longest.ms, performance.now() - began)
    }
    const read = async (connection: Client) => {
      for (const table of tables) {
        await connection.query(
          `SELECT ${table.columns.map((name) => `"${name}"`).join(', ')} FROM ${nameOf(table)} LIMIT 5`,
        )
      }
    }
    const write = async (connection: Client) => {
      await connection.query('UPDATE track SET updated_at = now(), progress = progress')
      await connection.query(
        `INSERT INTO play_event (id, organization_id, created_at, collection_id, track_id, key_id, variant_id)
         SELECT gen_random_uuid(), organization_id, now(), collection_id, id, id, id FROM track`,
      )
    }
    const repeated = async (work: (connection: Client) => Promise<unknown>) => {
      do await request(work)
      while (!isDone)
    }
    const traffic = [repeated(read), repeated(read), repeated(write)]
    const applied = await migrate(url).finally(() => {
      isDone = true
    })
    await Promise.all(traffic)
    await pool.end()
    expect(applied).toEqual((await readMigrations()).map(({ name }) => name).filter((name) => name > RELEASED))
    expect(longest.requests).toBeGreaterThanOrEqual(3)
    expect(longest.ms).toBeLessThan(5_000)
  })

  test('keeps every row', async () => {
    expect(Object.values(before.hashes).filter((hash) => hash !== null).length).toBeGreaterThan(10)
    expect(await hashesOf(client, tables)).toEqual(before.hashes)
  })

  test('keeps what statements of the release before rely on', async () => {
    expect(before.promise.kept.size).toBeGreaterThan(300)
    expect(broken(before.promise, await readPromise(client, tables))).toEqual([])
  })

  test('the release before updates and inserts rows of every table', async () => {
    await client.query('BEGIN')
    for (const table of tables) {
      const same = table.columns.map((column) => `"${column}" = "${column}"`).join(', ')
      await client.query(`UPDATE ONLY ${nameOf(table)} SET ${same}`)
    }
    await loadAlone(client, tables, async () => {
      for (const table of tables) await loadTable(client, table, fileOf(table))
    })
    expect(Object.keys(before.hashes)).toEqual(Object.keys(await hashesOf(client, tables)))
    await client.query('ROLLBACK')
  })

  test.each([
    ['a dropped column', 'ALTER TABLE track DROP COLUMN info'],
    ['a renamed column', 'ALTER TABLE track RENAME COLUMN info TO details'],
    ['another type', 'ALTER TABLE track ALTER COLUMN "order" TYPE bigint'],
    ['a column that becomes required', 'ALTER TABLE track ALTER COLUMN file_name_original SET NOT NULL'],
    ['a new required column', 'ALTER TABLE batch ADD COLUMN x text NOT NULL'],
    ['a default that is gone', 'ALTER TABLE track ALTER COLUMN progress DROP DEFAULT'],
    ['a new rule', 'ALTER TABLE track ADD CONSTRAINT x CHECK (progress < 1000) NOT VALID'],
    ['a new unique index', 'CREATE UNIQUE INDEX x ON track (id, index)'],
    ['a dropped unique index', 'DROP INDEX play_day_organization_id_day_key'],
    ['a dropped function', 'DROP FUNCTION ledger.add_month(timestamptz)'],
    ['a renamed value of an enum', `ALTER TYPE track_status RENAME VALUE 'ready' TO 'done'`],
  ])('detects %s', async (_, statement) => {
    await client.query('BEGIN')
    try {
      await client.query(statement)
      expect(broken(before.promise, await readPromise(client, tables))).not.toEqual([])
    } finally {
      await client.query('ROLLBACK')
    }
  })
})

test('from the first migration, rows get what later migrations derive from them', async () => {
  const url = await emptyDatabase()
  await migrate(url, await migrationsUpTo('20261121000000_initial'))
  const client = await connect(url)
  const [organization, collection, track, variant, file, key] = Array.from({ length: 6 }, () => crypto.randomUUID())
  await client.query(`
    INSERT INTO organization (id, name, domain, signing_secrets, updated_at)
      VALUES ('${organization}', 'Old', 'old.example.com', '{secret}', now());
    INSERT INTO collection (id, organization_id, title, updated_at) VALUES ('${collection}', '${organization}', 'Album', now());
    INSERT INTO track (id, organization_id, collection_id, index, "order", status, file_name, base_path, upload_expires_at,
        upload_completed_at, source_bytes, source_sha256, updated_at)
      VALUES ('${track}', '${organization}', '${collection}', 'abc', 0, 'ready', 'a.wav', 'o/c/abc', now(), now(), 1000,
        repeat('a', 64), now());
    INSERT INTO variant (id, organization_id, type, index, props, updated_at)
      VALUES ('${variant}', '${organization}', 'transcode', 'hq', '{"codec": "aac"}', now());
    INSERT INTO track_file (id, organization_id, track_id, variant_id, state, path, file_name, content_type, size, sha256, props,
        completed_at, updated_at)
      VALUES ('${file}', '${organization}', '${track}', '${variant}', 'done', 'o/c/abc_hq.m4a', 'a.m4a', 'audio/mp4', 200,
        repeat('b', 64), '{}', now(), now());
    INSERT INTO play_event (id, organization_id, key_id, track_id, variant_id, collection_id, created_at)
      SELECT gen_random_uuid(), '${organization}', '${key}', '${track}', '${variant}', '${collection}', at
      FROM unnest('{2026-01-31T23:59:59.999Z, 2026-02-01T00:00:00Z}'::timestamptz[]) at`)
  await migrate(url)
  const first = async (text: string) => (await client.query(text)).rows[0]
  expect(
    await first(
      'SELECT sum(tracks)::int AS tracks, sum(source_bytes)::int AS source, sum(file_bytes)::int AS files FROM track_sum',
    ),
  ).toEqual({ tracks: 1, source: 1000, files: 200 })
  const { rows: plays } = await client.query(
    'SELECT tableoid::regclass::text AS part, exclusion, listener FROM play_event ORDER BY created_at',
  )
  expect(plays).toEqual([
    { part: 'ledger.play_event_2026_01', exclusion: 'unmeasured', listener: null },
    { part: 'ledger.play_event_2026_02', exclusion: 'unmeasured', listener: null },
  ])
  expect(await first('SELECT path, index, size::int FROM track_file')).toMatchObject({
    path: 'o/c/abc_hq.m4a',
    size: 200,
  })
  expect(await first('SELECT status, source_key, is_recording_replaced FROM track')).toEqual({
    ...{ status: 'ready', source_key: null, is_recording_replaced: false },
  })
  await client.end()
})
