import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { OperatorError } from '../../config.ts'
import { locks } from './locks.ts'

export const migrationsDirectory = join(import.meta.dir, 'migrations')

/** Extensions that the migrations create. */
export const requiredExtensions = ['btree_gin', 'btree_gist', 'pg_trgm'] as const

/** A script in the folder of migrations. */
export interface Migration {
  /** Name of its folder. Migrations are applied in the order of their names. */
  name: string
  script: string
  /** SHA-256 of the script, hexadecimal. */
  checksum: string
  /**
   * Of a contract step, which removes what earlier releases use: the migration that a process must have to work with the
   * database from then on. Null for all others. The first line of the script: `-- Contract: needs NAME`.
   */
  needs: string | null
}

/** A row of Prisma's history. A later attempt at a migration adds a row. */
interface HistoryRow {
  migration_name: string
  checksum: string
  started_at: Date
  finished_at: Date | null
  rolled_back_at: Date | null
  /** `needs NAME` of a contract step, else null. Prisma writes errors to it. */
  logs: string | null
}

type Queryable = Pick<Client, 'query'>

/** Time for which a migration waits for a lock of a table. Requests that need the table queue behind it. */
const LOCK_WAIT_MS = 2_000
/** Pauses between the tries of a migration, in which those requests are answered. */
const RETRY_MS = 1_000
/** Time after which a migration that gets no lock is given up. */
const GIVE_UP_MS = 600_000

/** Times in milliseconds, which tests lower. */
export interface MigrationTiming {
  lockWaitMs?: number
  retryMs?: number
  giveUpMs?: number
}

/**
 * Applies the pending migrations of a folder, each in one transaction with its row in the history. One process migrates
 * while others wait; without pending migrations nothing waits. Migrations that only the database has, and changed
 * scripts of applied ones, are ignored: processes of an earlier release continue to serve, until a contract step of a
 * later one removes what they use.
 *
 * A migration that does not get the lock of a table within 2 s is rolled back and repeated a second later, so that
 * requests of running processes never wait longer for it.
 * @param url connection string; the role must be allowed to create tables and trusted extensions
 * @returns names of the migrations applied by this call
 * @throws OperatorError when an earlier migration is unfinished, when a database without a history has tables, when the
 *   database has a contract step that this release does not fit, or when a migration gets no lock for 10 minutes
 */
export async function migrate(
  url: string,
  directory = migrationsDirectory,
  timing: MigrationTiming = {},
): Promise<string[]> {
  const migrations = await readMigrations(directory)
  return withClient(url, async (client) => {
    const found = await readHistory(client)
    if (found) checkContracts(migrations, found)
    if (found && pendingOf(migrations, found).length === 0) return []
    await client.query('SELECT pg_advisory_lock($1)', [locks.migration])
    const history = (await readHistory(client)) ?? (await createHistory(client))
    checkContracts(migrations, history)
    const pending = pendingOf(migrations, history)
    if (pending.length > 0) checkFinished(history)
    for (const migration of pending) await applyPatiently(client, migration, timing)
    return pending.map(({ name }) => name)
  })
}

/** Contract steps of later releases that a release with these migrations does not fit. */
function unfitContracts(migrations: readonly Migration[], history: readonly HistoryRow[]) {
  const names = new Set(migrations.map(({ name }) => name))
  return history.filter(isApplied).flatMap(({ migration_name, logs }) => {
    const needs = names.has(migration_name) ? undefined : /^needs (\w+)$/.exec(logs ?? '')?.[1]
    return needs === undefined || names.has(needs) ? [] : [{ name: migration_name, needs }]
  })
}

/** @throws OperatorError for a contract step of a later release that this one does not fit */
function checkContracts(migrations: readonly Migration[], history: readonly HistoryRow[]): void {
  const [contract] = unfitContracts(migrations, history)
  if (!contract) return
  throw new OperatorError(
    `the database belongs to a later release: its migration ${contract.name} removed what this release uses; run a release that has the migration ${contract.needs}`,
  )
}

function pendingOf(migrations: readonly Migration[], history: readonly HistoryRow[]): Migration[] {
  const applied = new Set(history.filter(isApplied).map((row) => row.migration_name))
  return migrations.filter(({ name }) => !applied.has(name))
}

/**
 * Applies migrations to an empty database, in the caller's transaction.
 * @throws OperatorError when the database has tables
 */
export async function createTables(client: Queryable, migrations: readonly Migration[]): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [locks.migration])
  await createHistory(client)
  for (const migration of migrations) await run(client, migration)
}

/** Returns whether the database has any migration of this service. */
export async function hasMigrations(url: string): Promise<boolean> {
  const history = (await withClient(url, readHistory)) ?? []
  const names = new Set((await readMigrations()).map(({ name }) => name))
  return history.some((row) => names.has(row.migration_name))
}

/** Migrations of a database, compared with those of this release. */
export interface MigrationState {
  /** Null for a database without a history. */
  applied: number | null
  pending: string[]
  /** Applied ones whose script differs. */
  changed: string[]
  /** Applied ones that this release does not have: a later release has used the database. */
  unknown: string[]
  /** Those of them that removed what this release uses. */
  unfit: string[]
  unfinished: string | null
  /** A table of another program. Only looked for in a database without a history. */
  foreignTable: string | null
}

/** Compares the migrations of a database with those of this release. Changes nothing. */
export async function readMigrationState(client: Queryable): Promise<MigrationState> {
  const [history, migrations] = [await readHistory(client), await readMigrations()]
  const checksums = new Map(history?.filter(isApplied).map((row) => [row.migration_name, row.checksum]))
  const names = new Set(migrations.map(({ name }) => name))
  const isIn = ({ name }: Migration) => checksums.has(name)
  return {
    applied: history && checksums.size,
    pending: migrations.filter((migration) => !isIn(migration)).map(({ name }) => name),
    changed: migrations
      .filter((migration) => isIn(migration) && checksums.get(migration.name) !== migration.checksum)
      .map(({ name }) => name),
    unknown: [...checksums.keys()].filter((name) => !names.has(name)).sort(),
    unfit: unfitContracts(migrations, history ?? []).map(({ name }) => name),
    unfinished: unfinishedOf(history ?? [])?.migration_name ?? null,
    foreignTable: history ? null : await findTable(client),
  }
}

/**
 * Returns whether every migration is applied and unchanged, and no later release removed what this one uses. False for a
 * database without a history.
 */
export async function isUpToDate(client: Queryable): Promise<boolean> {
  const { applied, pending, changed, unfit } = await readMigrationState(client)
  return applied !== null && [pending, changed, unfit].every((names) => names.length === 0)
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  // A lost connection rejects the query in progress; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Reads the migrations of a folder in the order of their names. */
export async function readMigrations(directory = migrationsDirectory): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await Bun.file(join(directory, name, 'migration.sql')).text()
      const needs = /^-- Contract: needs (\w+)\n/.exec(script)?.[1] ?? null
      return { name, script, checksum: createHash('sha256').update(script).digest('hex'), needs }
    }),
  )
}

const isApplied = (row: HistoryRow) => row.finished_at !== null && row.rolled_back_at === null

/** @returns null for a database without a history */
async function readHistory(client: Queryable): Promise<HistoryRow[] | null> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`,
  )
  if (!rows[0]?.found) return null
  const history = await client.query<HistoryRow>(
    'SELECT migration_name, checksum, started_at, finished_at, rolled_back_at, logs FROM _prisma_migrations',
  )
  return history.rows
}

/**
 * Creates the history with the columns that Prisma's tools read.
 * @throws OperatorError for a schema with tables, which are those of another program
 */
async function createHistory(client: Queryable): Promise<HistoryRow[]> {
  const table = await findTable(client)
  if (table) {
    throw new OperatorError(
      `the database has tables of another program, such as "${table}"; create an empty one for this service`,
    )
  }
  await client.query(
    `CREATE TABLE _prisma_migrations (
      id varchar(36) PRIMARY KEY,
      checksum varchar(64) NOT NULL,
      finished_at timestamptz,
      migration_name varchar(255) NOT NULL,
      logs text,
      rolled_back_at timestamptz,
      started_at timestamptz NOT NULL DEFAULT now(),
      applied_steps_count integer NOT NULL DEFAULT 0
    )`,
  )
  return []
}

/** @returns name of any table, null for an empty schema */
export async function findTable(client: Queryable): Promise<string | null> {
  const { rows } = await client.query<{ tablename: string }>(
    'SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename LIMIT 1',
  )
  return rows[0]?.tablename ?? null
}

const unfinishedOf = (history: HistoryRow[]) =>
  history.find((row) => row.finished_at === null && row.rolled_back_at === null)

/**
 * Prisma's engine recorded a migration before its script, so an unfinished row does not show whether the script ran.
 * @throws OperatorError for an unfinished migration
 */
function checkFinished(history: HistoryRow[]): void {
  const unfinished = unfinishedOf(history)
  if (!unfinished) return
  const started = unfinished.started_at.toISOString()
  throw new OperatorError(
    `migration ${unfinished.migration_name}, started at ${started}, is unfinished; restore a backup, ` +
      'or see "Start" in the guide "Troubleshoot"',
  )
}

/** Repeats a migration that gets no lock, until the time is over. */
async function applyPatiently(client: Queryable, migration: Migration, timing: MigrationTiming): Promise<void> {
  const { lockWaitMs = LOCK_WAIT_MS, retryMs = RETRY_MS, giveUpMs = GIVE_UP_MS } = timing
  const began = performance.now()
  for (;;) {
    const failure = await apply(client, migration, lockWaitMs).then(
      () => null,
      (error: Error) => error,
    )
    if (failure === null) return
    if (sqlStateOf(failure.cause) !== LOCK_NOT_AVAILABLE) throw failure
    if (performance.now() - began > giveUpMs) {
      const rule = `waits for a table that another transaction has locked for ${Math.round(giveUpMs / 1000)} s`
      const remedy = 'end that transaction (pg_stat_activity, pg_locks), and start again'
      throw new OperatorError(`migration ${migration.name} ${rule}; ${remedy}`, { cause: failure })
    }
    await Bun.sleep(retryMs)
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
const sqlStateOf = (error: unknown) => (error as { code?: unknown } | undefined)?.code

/** Applies a migration in a transaction. The failed transaction of a lost connection ends with it. */
async function apply(client: Queryable, migration: Migration, lockWaitMs: number): Promise<void> {
  try {
    await client.query('BEGIN')
    await client.query(`SET LOCAL lock_timeout = ${lockWaitMs}`)
    await run(client, migration)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw new Error(`migration ${migration.name} failed: ${(error as Error).message}`, { cause: error })
  }
}

async function run(client: Queryable, { name, script, checksum, needs }: Migration): Promise<void> {
  await client.query(script)
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count, logs)
      VALUES (gen_random_uuid(), $1, $2, clock_timestamp(), 1, $3)`,
    [checksum, name, needs === null ? null : `needs ${needs}`],
  )
}
