// Migrations at the start, on databases of their own. `.config/schema-engine.ts` is the reference for the history.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm'
import { Client, Pool, type PoolClient } from 'pg'
import { withSchemaEngine } from '../../../.config/schema-engine.ts'
import { OperatorError } from '../../../src/config.ts'
import { locks } from '../../../src/platform/db/locks.ts'
import { hasMigrations, isUpToDate, migrate, migrationsDirectory } from '../../../src/platform/db/migrate.ts'
import { cloneDatabase, emptyDatabase } from '../../support/postgres.ts'
import { untilBlocked } from '../../support/until.ts'

let names: string[]
let folder: string
beforeAll(async () => {
  names = await migrationsIn(migrationsDirectory)
  folder = await mkdtemp(join(tmpdir(), 'tonearm-migrations-'))
})
afterAll(() => rm(folder, { recursive: true }))

let url: string
beforeEach(async () => {
  url = await emptyDatabase()
})

async function migrationsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

const scriptOf = (directory: string, name: string) => Bun.file(join(directory, name, 'migration.sql')).text()

/** Writes a folder of migrations. @returns its path */
async function folderOf(scripts: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(folder, 'scripts-'))
  for (const [name, script] of Object.entries(scripts)) {
    await mkdir(join(directory, name))
    await Bun.write(join(directory, name, 'migration.sql'), script)
  }
  return directory
}

async function query(text: string, values: unknown[] = []) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

async function tables(): Promise<string[]> {
  const rows = await query(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`,
  )
  return rows.map(({ tablename }) => tablename)
}

async function upToDate(): Promise<boolean> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await isUpToDate(client)
  } finally {
    await client.end()
  }
}

/** Runs the engine with the migrations of a folder. */
function withEngine<T>(directory: string, use: (engine: SchemaEngine, list: MigrationList) => Promise<T>): Promise<T> {
  return withSchemaEngine(url, async (engine) => {
    const migrationDirectories = await Promise.all(
      (await migrationsIn(directory)).map(async (path) => {
        const content = { tag: 'ok' as const, value: await scriptOf(directory, path) }
        return { path, migrationFile: { path: 'migration.sql', content } }
      }),
    )
    const lockfile = { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' }
    return use(engine, { baseDir: directory, lockfile, shadowDbInitScript: '', migrationDirectories })
  })
}

const filters = { externalTables: [], externalEnums: [] }

function applyByEngine(directory: string): Promise<string[]> {
  return withEngine(directory, async (engine, migrationsList) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters })
    return appliedMigrationNames
  })
}

describe('a start', () => {
  test('applies all migrations to an empty database, in the order of their names', async () => {
    expect(await hasMigrations(url)).toBe(false)
    expect(await upToDate()).toBe(false)
    expect(await migrate(url)).toEqual(names)
    expect(await hasMigrations(url)).toBe(true)
    expect(await upToDate()).toBe(true)
  })

  test('finds nothing to do after another start', async () => {
    await migrate(url)
    expect(await migrate(url)).toEqual([])
  })

  test('waits for another start and finds nothing to do', async () => {
    const [first, second] = await Promise.all([migrate(url), migrate(url)])
    expect([...first, ...second]).toEqual(names)
  })

  test('applies a migration whose name is before those of applied ones', async () => {
    await migrate(url, await folderOf({ '2_b': 'CREATE TABLE b ()' }))
    expect(await migrate(url, await folderOf({ '1_a': 'CREATE TABLE a ()', '2_b': '' }))).toEqual(['1_a'])
    expect(await tables()).toEqual(['a', 'b'])
  })

  test('ignores a changed script of an applied migration; the database is not up to date', async () => {
    await migrate(url)
    await query('UPDATE _prisma_migrations SET checksum = $1 WHERE migration_name = $2', ['other', names[0]])
    expect(await migrate(url)).toEqual([])
    expect(await upToDate()).toBe(false)
  })

  test('ignores migrations of a newer version; the database is up to date', async () => {
    await migrate(url)
    await query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('1', '', '9_newer', now())`,
    )
    expect(await migrate(url)).toEqual([])
    expect(await upToDate()).toBe(true)
  })

  test('rejects a database with tables of another program', async () => {
    await query('CREATE TABLE other ()')
    const failure = await migrate(url).catch((error) => error)
    expect(failure).toBeInstanceOf(OperatorError)
    expect(failure.message).toContain('has tables of another program, such as "other"')
    expect(await tables()).toEqual(['other'])
  })

  test('ignores tables in other schemas', async () => {
    await query('CREATE SCHEMA other CREATE TABLE other ()')
    expect(await migrate(url)).toEqual(names)
  })
})

describe('a broken script', () => {
  test('leaves the migrations before it and nothing of its own', async () => {
    const scripts = {
      '1_good': 'CREATE TABLE good ()',
      '2_broken': 'CREATE TABLE half (); SELECT 1 / 0',
      '3_never': 'CREATE TABLE never ()',
    }
    const failure = await migrate(url, await folderOf(scripts)).catch((error) => error)
    expect(failure.message).toBe('migration 2_broken failed: division by zero')
    expect(failure.cause).toMatchObject({ code: '22012' })
    expect(await tables()).toEqual(['good'])
    expect(await query('SELECT migration_name FROM _prisma_migrations')).toEqual([{ migration_name: '1_good' }])
    const corrected = await folderOf({ ...scripts, '2_broken': 'CREATE TABLE half ()' })
    expect(await migrate(url, corrected)).toEqual(['2_broken', '3_never'])
  })

  test('leaves nothing when its row cannot be written', async () => {
    const directory = await folderOf({ '1_half': 'CREATE TABLE half ()' })
    await migrate(url, await folderOf({}))
    await query('ALTER TABLE _prisma_migrations ADD CHECK (applied_steps_count = 0)')
    await expect(migrate(url, directory)).rejects.toThrow('migration 1_half failed')
    expect(await tables()).toEqual([])
  })
})

describe('a migration that is interrupted', () => {
  /** Writes a folder with a migration that waits within its script, and interrupts it there. @returns the folder */
  async function interrupted(interrupt: (directory: string, untilWaiting: () => Promise<number[]>) => Promise<void>) {
    await query('CREATE SCHEMA gate CREATE TABLE gate ()')
    const script = 'CREATE TABLE half (); LOCK TABLE gate.gate; CREATE TABLE rest ()'
    const directory = await folderOf({ '1_interrupted': script })
    const pool = new Pool({ connectionString: url })
    const gate = await pool.connect()
    try {
      await gate.query('BEGIN; LOCK TABLE gate.gate')
      await interrupt(directory, () => untilBlocked(pool))
      await gate.query('ROLLBACK')
    } finally {
      gate.release()
      await pool.end()
    }
    return directory
  }

  test('by the end of its process leaves nothing', async () => {
    const program = join(import.meta.dir, '../../../src/platform/db/migrate.ts')
    const code = `await (await import(process.argv[1])).migrate(process.argv[2], process.argv[3])`
    const directory = await interrupted(async (directory, untilWaiting) => {
      const child = Bun.spawn([process.execPath, '-e', code, program, url, directory])
      await untilWaiting().finally(() => child.kill('SIGKILL'))
      await child.exited
    })
    // PostgreSQL runs the script to its end, and rolls back because no COMMIT follows. The next start waits for that.
    expect(await migrate(url, directory)).toEqual(['1_interrupted'])
    expect(await tables()).toEqual(['half', 'rest'])
  })

  test('by the loss of its connection fails the start and leaves nothing', async () => {
    const { hostname, port } = new URL(url)
    const proxy = createServer((socket) => {
      const upstream = connect(Number(port), hostname)
      socket.pipe(upstream).pipe(socket)
      proxy.once('cut', () => socket.destroy())
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const lossy = new URL(url)
    lossy.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const directory = await interrupted(async (directory, untilWaiting) => {
      const start = migrate(lossy.toString(), directory).catch((error) => error)
      await untilWaiting()
      proxy.emit('cut')
      expect((await start).message).toBe('migration 1_interrupted failed: Connection terminated unexpectedly')
    })
    proxy.close()
    expect(await migrate(url, directory)).toEqual(['1_interrupted'])
    expect(await tables()).toEqual(['half', 'rest'])
  })
})

describe('a migration that waits for the lock of a table', () => {
  let pool: Pool
  let blocker: PoolClient
  let directory: string
  beforeEach(async () => {
    pool = new Pool({ connectionString: url })
    blocker = await pool.connect()
    directory = await folderOf({ '1_table': 'CREATE TABLE busy (n int)', '2_column': 'ALTER TABLE busy ADD m int' })
    await migrate(url, await folderOf({ '1_table': 'CREATE TABLE busy (n int)' }))
    await blocker.query('BEGIN; SELECT FROM busy')
  })
  afterEach(async () => {
    blocker.release(true)
    await pool.end()
  })

  test('is repeated until it gets the lock, and requests pass between its tries', async () => {
    const timing = { lockWaitMs: 50, retryMs: 20 }
    let isDone = false
    const migrating = migrate(url, directory, timing).finally(() => {
      isDone = true
    })
    for (let tries = 0; tries < 3; tries++) {
      await untilBlocked(pool)
      // Queues behind the migration, and is answered when that gives up.
      await pool.query('SELECT FROM busy')
    }
    expect(isDone).toBe(false)
    await blocker.query('COMMIT')
    expect(await migrating).toEqual(['2_column'])
  })

  test('stops the start with one sentence after its time, and leaves nothing', async () => {
    const failure = await migrate(url, directory, { lockWaitMs: 20, retryMs: 1, giveUpMs: 100 }).catch((error) => error)
    expect(failure).toBeInstanceOf(OperatorError)
    expect(failure.message).toMatch(/^migration 2_column waits for a table that another transaction has locked for/)
    await blocker.query('COMMIT')
    expect(await migrate(url, directory)).toEqual(['2_column'])
  })

  test('that has another error is not repeated', async () => {
    const broken = await folderOf({ '1_table': '', '2_broken': 'SELECT 1 / 0' })
    await expect(migrate(url, broken, { retryMs: 60_000 })).rejects.toThrow('2_broken failed: division by zero')
  })
})

describe('a contract step of a later release', () => {
  const steps = (script: string) => ({ '1_expand': 'CREATE TABLE old ()', '2_used': '', '3_contract': script })
  const contract = '-- Contract: needs 2_used\nDROP TABLE old'

  test('refuses processes without the migration that it needs, and no others', async () => {
    const { '1_expand': expand, '2_used': used } = steps('')
    await migrate(url, await folderOf(steps(contract)))
    expect(await migrate(url, await folderOf({ '1_expand': expand, '2_used': used }))).toEqual([])
    const failure = await migrate(url, await folderOf({ '1_expand': expand })).catch((error) => error)
    expect(failure).toBeInstanceOf(OperatorError)
    expect(failure.message).toBe(
      'the database belongs to a later release: its migration 3_contract removed what this release uses; run a release that has the migration 2_used',
    )
    // Not even with a migration of its own.
    await expect(migrate(url, await folderOf({ '1_expand': expand, '4_own': '' }))).rejects.toThrow('later release')
  })

  test('makes a running process unready', async () => {
    await migrate(url)
    await query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, logs)
       VALUES ('1', '', '9_newer', now(), 'needs 8_newer')`,
    )
    expect(await upToDate()).toBe(false)
    await query(`UPDATE _prisma_migrations SET logs = $1 WHERE id = '1'`, [`needs ${names[0]}`])
    expect(await upToDate()).toBe(true)
  })
})

test('a start without pending migrations does not wait for a backup or another start', async () => {
  await migrate(url)
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('SELECT pg_advisory_lock($1)', [locks.migration])
  expect(await migrate(url)).toEqual([])
  await client.end()
})

describe("with Prisma's engine", () => {
  test('a history written by it has nothing to do', async () => {
    expect(await applyByEngine(migrationsDirectory)).toEqual(names)
    expect(await upToDate()).toBe(true)
    expect(await migrate(url)).toEqual([])
  })

  test('it reads a history of the service, and finds nothing to do and nothing edited', async () => {
    await migrate(url)
    expect(await applyByEngine(migrationsDirectory)).toEqual([])
    const diagnosis = await withEngine(migrationsDirectory, (engine, migrationsList) =>
      engine.diagnoseMigrationHistory({ migrationsList, filters, optInToShadowDatabase: false }),
    )
    expect(diagnosis).toMatchObject({
      history: null,
      failedMigrationNames: [],
      editedMigrationNames: [],
      hasMigrationsTable: true,
    })
  })

  test('its history has the same columns, and rows that differ in id and time only', async () => {
    const directory = await folderOf({ '1_first': 'CREATE TABLE first ()' })
    const read = async () => {
      const columns = await query(
        `SELECT attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid) AS expression
          FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
          WHERE attrelid = '_prisma_migrations'::regclass AND attnum > 0 ORDER BY attnum`,
      )
      const constraints = await query(
        `SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
          WHERE conrelid = '_prisma_migrations'::regclass ORDER BY conname`,
      )
      const rows = await query(
        `SELECT length(id) AS id, checksum, migration_name, logs, rolled_back_at, applied_steps_count,
          started_at <= finished_at AS ordered FROM _prisma_migrations`,
      )
      return { columns, constraints, rows }
    }
    await applyByEngine(directory)
    const expected = await read()
    expect(expected.rows).toHaveLength(1)
    url = await emptyDatabase()
    await migrate(url, directory)
    expect(await read()).toEqual(expected)
  })

  test('a migration that failed in it stops a start with pending migrations, until its row is removed', async () => {
    const broken = { '1_good': 'CREATE TABLE good ()', '2_broken': 'SELECT 1 / 0' }
    await expect(applyByEngine(await folderOf(broken))).rejects.toThrow()
    const corrected = await folderOf({ ...broken, '2_broken': 'CREATE TABLE corrected ()' })
    const failure = await migrate(url, corrected).catch((error) => error)
    expect(failure).toBeInstanceOf(OperatorError)
    expect(failure.message).toStartWith('migration 2_broken, started at 20')
    expect(await tables()).toEqual(['good'])
    await query(`DELETE FROM _prisma_migrations WHERE finished_at IS NULL`)
    expect(await migrate(url, corrected)).toEqual(['2_broken'])
  })

  test('an unfinished migration of a newer version does not stop a start without pending ones', async () => {
    await migrate(url)
    await query(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', '', '9_newer')`)
    expect(await migrate(url)).toEqual([])
  })

  test('a migration that was marked as rolled back is applied again', async () => {
    const directory = await folderOf({ '1_first': 'CREATE TABLE IF NOT EXISTS first ()' })
    await applyByEngine(directory)
    await query('UPDATE _prisma_migrations SET finished_at = NULL, rolled_back_at = now()')
    expect(await migrate(url, directory)).toEqual(['1_first'])
    expect(await migrate(url, directory)).toEqual([])
  })
})

test('no migration begins or ends a transaction', async () => {
  const control = /^\s*(BEGIN|START\s+TRANSACTION|COMMIT|END|ROLLBACK|ABORT|PREPARE\s+TRANSACTION)\b/i
  const controls = (script: string) =>
    script
      .replace(/(\$\w*\$)[\s\S]*?\1|--.*/g, '')
      .split(';')
      .some((statement) => control.test(statement))
  expect(controls('CREATE TABLE a ();\n-- Published before the rest.\nCOMMIT;')).toBe(true)
  expect(controls('DO $$\nBEGIN\nPERFORM 1;\nEND;\n$$;')).toBe(false)
  const scripts = await Promise.all(names.map((name) => scriptOf(migrationsDirectory, name)))
  expect(names.filter((_, i) => controls(scripts[i] ?? ''))).toEqual([])
})

test('a database cloned from the template of the tests is up to date', async () => {
  url = await cloneDatabase()
  expect(await upToDate()).toBe(true)
})
