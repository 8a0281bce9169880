// Migrations and definitions at the start, on databases of their own.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Pool, type PoolClient } from 'pg'
import { OperatorError } from '../../../src/config.ts'
import { readDefinitions } from '../../../src/platform/db/definitions.ts'
import { locks } from '../../../src/platform/db/locks.ts'
import {
  hasMigrations,
  isUpToDate,
  migrate,
  readMigrations,
  schemaDirectory,
} from '../../../src/platform/db/migrate.ts'
import { cloneDatabase, emptyDatabase } from '../../support/postgres.ts'
import { untilBlocked } from '../../support/until.ts'

let names: string[]
let folder: string
beforeAll(async () => {
  const scripts = [...(await readMigrations()), ...(await readDefinitions(join(schemaDirectory, 'sql')))]
  names = scripts.map(({ name }) => name)
  folder = await mkdtemp(join(tmpdir(), 'tonearm-migrations-'))
})
afterAll(() => rm(folder, { recursive: true }))

let url: string
beforeEach(async () => {
  url = await emptyDatabase()
})

/** Writes a folder of migrations and definitions, whose names begin with a letter. @returns its path */
async function folderOf(scripts: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(folder, 'scripts-'))
  for (const kind of ['migrations', 'sql']) await mkdir(join(directory, kind))
  for (const [name, script] of Object.entries(scripts)) {
    await Bun.write(join(directory, /^\d/.test(name) ? 'migrations' : 'sql', `${name}.sql`), script)
  }
  return directory
}

/** Applies such scripts. */
const apply = async (scripts: Record<string, string>, options: Parameters<typeof migrate>[1] = {}) =>
  migrate(url, { directory: await folderOf(scripts), ...options })

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
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'schema\\_%' ORDER BY 1`,
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
    await apply({ '2_b': 'CREATE TABLE b ()' })
    expect(await apply({ '1_a': 'CREATE TABLE a ()', '2_b': '' })).toEqual(['1_a'])
    expect(await tables()).toEqual(['a', 'b'])
  })

  test('ignores a changed script of an applied migration; the database is not up to date', async () => {
    await migrate(url)
    await query('UPDATE schema_migration SET checksum = $1 WHERE name = $2', ['other', names[0]])
    expect(await migrate(url)).toEqual([])
    expect(await upToDate()).toBe(false)
  })

  test('ignores migrations of a newer version; the database is up to date', async () => {
    await migrate(url)
    await query(`INSERT INTO schema_migration (name, checksum) VALUES ('9_newer', '')`)
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
    const failure = await apply(scripts).catch((error) => error)
    expect(failure.message).toBe('migration 2_broken failed: division by zero')
    expect(failure.cause).toMatchObject({ code: '22012' })
    expect(await tables()).toEqual(['good'])
    expect(await query('SELECT name FROM schema_migration')).toEqual([{ name: '1_good' }])
    expect(await apply({ ...scripts, '2_broken': 'CREATE TABLE half ()' })).toEqual(['2_broken', '3_never'])
  })

  test('leaves nothing when its row cannot be written', async () => {
    await apply({})
    await query(`ALTER TABLE schema_migration ADD CHECK (name = '')`)
    await expect(apply({ '1_half': 'CREATE TABLE half ()' })).rejects.toThrow('migration 1_half failed')
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
    const code = `await (await import(process.argv[1])).migrate(process.argv[2], { directory: process.argv[3] })`
    const directory = await interrupted(async (directory, untilWaiting) => {
      const child = Bun.spawn([process.execPath, '-e', code, program, url, directory])
      await untilWaiting().finally(() => child.kill('SIGKILL'))
      await child.exited
    })
    // PostgreSQL runs the script to its end, and rolls back because no COMMIT follows. The next start waits for that.
    expect(await migrate(url, { directory })).toEqual(['1_interrupted'])
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
      const start = migrate(lossy.toString(), { directory }).catch((error) => error)
      await untilWaiting()
      proxy.emit('cut')
      expect((await start).message).toBe('migration 1_interrupted failed: Connection terminated unexpectedly')
    })
    proxy.close()
    expect(await migrate(url, { directory })).toEqual(['1_interrupted'])
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
    await apply({ '1_table': 'CREATE TABLE busy (n int)' })
    await blocker.query('BEGIN; SELECT FROM busy')
  })
  afterEach(async () => {
    blocker.release(true)
    await pool.end()
  })

  test('is repeated until it gets the lock, and requests pass between its tries', async () => {
    const timing = { lockWaitMs: 50, retryMs: 20 }
    let isDone = false
    const migrating = migrate(url, { directory, ...timing }).finally(() => {
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
    const failure = await migrate(url, { directory, lockWaitMs: 20, retryMs: 1, giveUpMs: 100 }).catch((error) => error)
    expect(failure).toBeInstanceOf(OperatorError)
    expect(failure.message).toMatch(/^migration 2_column waits for a table that another transaction has locked for/)
    await blocker.query('COMMIT')
    expect(await migrate(url, { directory })).toEqual(['2_column'])
  })

  test('that has another error is not repeated', async () => {
    await expect(apply({ '1_table': '', '2_broken': 'SELECT 1 / 0' }, { retryMs: 60_000 })).rejects.toThrow(
      '2_broken failed: division by zero',
    )
  })
})

describe('a contract step of a later release', () => {
  const steps = (script: string) => ({ '1_expand': 'CREATE TABLE old ()', '2_used': '', '3_contract': script })
  const contract = '-- Contract: needs 2_used\nDROP TABLE old'

  test('refuses processes without the migration that it needs, and no others', async () => {
    const { '1_expand': expand, '2_used': used } = steps('')
    await apply(steps(contract))
    expect(await apply({ '1_expand': expand, '2_used': used })).toEqual([])
    const failure = await apply({ '1_expand': expand }).catch((error) => error)
    expect(failure).toBeInstanceOf(OperatorError)
    expect(failure.message).toBe(
      'the database belongs to a later release: its migration 3_contract removed what this release uses; run a release that has the migration 2_used',
    )
    // Not even with a migration of its own.
    await expect(apply({ '1_expand': expand, '4_own': '' })).rejects.toThrow('later release')
  })

  test('makes a running process unready', async () => {
    await migrate(url)
    await query(`INSERT INTO schema_migration (name, checksum, needs) VALUES ('9_newer', '', '8_newer')`)
    expect(await upToDate()).toBe(false)
    await query(`UPDATE schema_migration SET needs = $1 WHERE name = '9_newer'`, [names[0]])
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

describe('a definition', () => {
  const table = { '1_table': 'CREATE TABLE a (n int)' }
  const answer = (n: number) => `CREATE OR REPLACE FUNCTION answer() RETURNS int LANGUAGE sql RETURN ${n}`
  const answered = async () => (await query('SELECT answer() AS n'))[0]?.n

  test('is applied again when it has changed, and only then', async () => {
    const other = 'CREATE OR REPLACE FUNCTION other() RETURNS int LANGUAGE sql RETURN 0'
    expect(await apply({ ...table, answer: answer(1), other })).toEqual(['1_table', 'answer', 'other'])
    expect(await apply({ ...table, answer: answer(1), other })).toEqual([])
    expect(await apply({ ...table, answer: answer(2), other })).toEqual(['answer'])
    expect(await answered()).toBe(2)
  })

  test('is applied by one of several processes that start at once', async () => {
    await apply({ ...table, answer: answer(1) })
    const applied = await Promise.all([1, 2, 3].map(() => apply({ ...table, answer: answer(2) })))
    expect(applied.flat()).toEqual(['answer'])
  })

  test('is applied after those that it needs', async () => {
    const view = '-- After: zero\nCREATE OR REPLACE VIEW early AS SELECT zero() AS n'
    const zero = 'CREATE OR REPLACE FUNCTION zero() RETURNS int LANGUAGE sql RETURN 0'
    expect(await apply({ early: view, zero })).toEqual(['zero', 'early'])
    await expect(apply({ early: view, zero: zero.replace(/^/, '-- After: early\n') })).rejects.toThrow(
      'no order of the definitions early, zero',
    )
    await expect(apply({ early: view })).rejects.toThrow('no order of the definitions early')
  })

  test('is applied again after each migration, which may have dropped its objects', async () => {
    await apply({ ...table, answer: answer(1) })
    const drop = { ...table, '2_drop': 'DROP FUNCTION answer' }
    expect(await apply({ ...drop, answer: answer(1) })).toEqual(['2_drop', 'answer'])
    expect(await answered()).toBe(1)
  })

  test('that fails leaves the definition before it, and is tried again by the next start', async () => {
    await apply({ ...table, answer: answer(1) })
    const broken = `${answer(2)}; SELECT 1 / 0`
    await expect(apply({ ...table, answer: broken })).rejects.toThrow('definition answer failed: division by zero')
    expect(await answered()).toBe(1)
    expect(await apply({ ...table, answer: answer(3) })).toEqual(['answer'])
  })

  test('of a later release is kept by a process of an earlier one', async () => {
    await apply({ ...table, answer: answer(1) }, { release: '0.9.0' })
    await apply({ ...table, answer: answer(2) }, { release: '0.10.0' })
    expect(await apply({ ...table, answer: answer(1) }, { release: '0.9.0' })).toEqual([])
    expect(await answered()).toBe(2)
  })

  test('is kept by a process that lacks a migration of the database, also when it has one of its own', async () => {
    await apply({ ...table, '3_later': '', answer: answer(2) })
    expect(await apply({ ...table, answer: answer(1) })).toEqual([])
    expect(await apply({ ...table, '2_own': '', answer: answer(1) })).toEqual(['2_own'])
    expect(await answered()).toBe(2)
  })

  test('whose file was removed stops the start, until a migration drops its objects and its row', async () => {
    await apply({ ...table, answer: answer(1) })
    const failure = await apply(table).catch((error) => error)
    expect(failure).toBeInstanceOf(OperatorError)
    expect(failure.message).toBe(
      'the definition answer of the database has no file in this release; a migration must drop its objects and its row: ' +
        "DELETE FROM schema_definition WHERE name = 'answer'",
    )
    const drop = "DROP FUNCTION answer; DELETE FROM schema_definition WHERE name = 'answer'"
    expect(await apply({ ...table, '2_drop': drop })).toEqual(['2_drop'])
  })

  test('decides whether a running process is ready, unless it is of a later release', async () => {
    await migrate(url)
    await query(`UPDATE schema_definition SET checksum = 'other' WHERE name = 'is_stale'`)
    expect(await upToDate()).toBe(false)
    await query(`UPDATE schema_definition SET release = '999.0.0' WHERE name = 'is_stale'`)
    expect(await upToDate()).toBe(true)
    await query(`UPDATE schema_definition SET release = '0.0.1'`)
    expect(await migrate(url)).toEqual(['is_stale'])
    expect(await upToDate()).toBe(true)
  })

  test('that waits for the lock of a table is repeated', async () => {
    const scripts = { ...table, answer: 'COMMENT ON TABLE a IS NULL' }
    await apply(table)
    const pool = new Pool({ connectionString: url })
    const blocker = await pool.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE a')
      const starting = apply(scripts, { lockWaitMs: 50, retryMs: 20 })
      for (let tries = 0; tries < 2; tries++) await untilBlocked(pool)
      await blocker.query('COMMIT')
      expect(await starting).toEqual(['answer'])
    } finally {
      blocker.release(true)
      await pool.end()
    }
  })
})

test('no script begins or ends a transaction', async () => {
  const control = /^\s*(BEGIN|START\s+TRANSACTION|COMMIT|END|ROLLBACK|ABORT|PREPARE\s+TRANSACTION)\b/i
  const controls = (script: string) =>
    script
      .replace(/(\$\w*\$)[\s\S]*?\1|--.*/g, '')
      .split(';')
      .some((statement) => control.test(statement))
  expect(controls('CREATE TABLE a ();\n-- Published before the rest.\nCOMMIT;')).toBe(true)
  expect(controls('DO $$\nBEGIN\nPERFORM 1;\nEND;\n$$;')).toBe(false)
  const scripts = [...(await readMigrations()), ...(await readDefinitions(join(schemaDirectory, 'sql')))]
  expect(scripts.length).toBeGreaterThan(20)
  expect(scripts.filter(({ script }) => controls(script)).map(({ name }) => name)).toEqual([])
})

test('a database cloned from the template of the tests is up to date', async () => {
  url = await cloneDatabase()
  expect(await upToDate()).toBe(true)
})
