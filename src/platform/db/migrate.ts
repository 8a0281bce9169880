import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { OperatorError } from '../../config.ts'
import { version } from '../version.ts'
import {
  type AppliedDefinition,
  applyDefinition,
  changedDefinitions,
  checkRemoved,
  createDefinitionHistory,
  type Definition,
  forgetDefinitions,
  isOfLaterRelease,
  readAppliedDefinitions,
  readDefinitions,
} from './definitions.ts'
import { locks } from './locks.ts'

/** Folder of `migrations` and `sql`. */
export const schemaDirectory = import.meta.dir

/** Extensions that the migrations create. */
export const requiredExtensions = ['btree_gin', 'btree_gist', 'pg_trgm'] as const

/** A script of `migrations`, which changes tables. */
export interface Migration {
  /** Name of the file, without its extension. Migrations are applied in the order of their names. */
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

/** A row of `schema_migration`. */
type AppliedMigration = Pick<Migration, 'name' | 'checksum' | 'needs'>

/** The migrations and definitions of a database. */
interface History {
  migrations: AppliedMigration[]
  definitions: AppliedDefinition[]
}

type Queryable = Pick<Client, 'query'>

/** Time for which a script waits for a lock of a table. Requests that need the table queue behind it. */
const LOCK_WAIT_MS = 2_000
/** Pauses between the tries of a script, in which those requests are answered. */
const RETRY_MS = 1_000
/** Time after which a script that gets no lock is given up. */
const GIVE_UP_MS = 600_000

/** Folder, release and times in milliseconds, which tests change. */
export interface MigrationOptions {
  /** Contains the folders `migrations` and `sql`. */
  directory?: string
  release?: string
  lockWaitMs?: number
  retryMs?: number
  giveUpMs?: number
}

/**
 * Applies the pending migrations and the definitions that have changed, each in one transaction with its row in the
 * history. One process does so while others wait; without changes nothing waits.
 *
 * Migrations that only the database has, and changed scripts of applied ones, are ignored: processes of an earlier
 * release continue to serve, until a contract step of a later one removes what they use. They leave the definitions of
 * the later release as they are (decision 0064).
 *
 * A script that does not get the lock of a table within 2 s is rolled back and repeated a second later, so that
 * requests of running processes never wait longer for it.
 * @param url connection string; the role must be allowed to create tables and trusted extensions
 * @returns names of the migrations and definitions applied by this call, in order
 * @throws OperatorError when a database without a history has tables, when the database has a contract step that this
 *   release does not fit, or a definition whose file was removed, or when a script gets no lock for 10 minutes
 */
export async function migrate(
  url: string,
  { directory = schemaDirectory, release = version, ...timing }: MigrationOptions = {},
): Promise<string[]> {
  const migrations = await readMigrations(directory)
  const definitions = await readDefinitions(join(directory, 'sql'))
  return withClient(url, async (client) => {
    const before = await readHistory(client)
    if (before) checkContracts(migrations, before)
    if (before && isCurrent(migrations, definitions, before, release)) return []
    await client.query('SELECT pg_advisory_lock($1)', [locks.migration])
    const history = (await readHistory(client)) ?? (await createHistory(client))
    checkContracts(migrations, history)
    const isOlder = isOlderRelease(migrations, history, release)
    const pending = findPending(migrations, history)
    for (const migration of pending) {
      await applyPatiently(client, `migration ${migration.name}`, timing, async () => {
        await applyMigration(client, migration)
        if (!isOlder) await forgetDefinitions(client)
      })
    }
    const changed = isOlder ? [] : await readChangedDefinitions(client, definitions)
    for (const definition of changed) {
      const apply = () => applyDefinition(client, definition, release)
      await applyPatiently(client, `definition ${definition.name}`, timing, apply)
    }
    return [...pending, ...changed].map(({ name }) => name)
  })
}

/** @throws OperatorError when the file of a definition was removed */
async function readChangedDefinitions(client: Queryable, definitions: readonly Definition[]): Promise<Definition[]> {
  const applied = await readAppliedDefinitions(client)
  checkRemoved(definitions, applied)
  return changedDefinitions(definitions, applied)
}

/** Whether a later release has used the database: it has migrations of its own, or definitions of its own. */
function isOlderRelease(migrations: readonly Migration[], history: History, release: string): boolean {
  const names = new Set(migrations.map(({ name }) => name))
  return history.migrations.some(({ name }) => !names.has(name)) || isOfLaterRelease(history.definitions, release)
}

function isCurrent(
  migrations: readonly Migration[],
  definitions: readonly Definition[],
  history: History,
  release: string,
): boolean {
  if (findPending(migrations, history).length > 0) return false
  if (isOlderRelease(migrations, history, release)) return true
  return (
    definitions.length === history.definitions.length &&
    changedDefinitions(definitions, history.definitions).length === 0
  )
}

/** Contract steps of later releases that a release with these migrations does not fit. */
function unfitContracts(migrations: readonly Migration[], history: History) {
  const names = new Set(migrations.map(({ name }) => name))
  return history.migrations.flatMap(({ name, needs }) =>
    names.has(name) || needs === null || names.has(needs) ? [] : [{ name, needs }],
  )
}

/** @throws OperatorError for a contract step of a later release that this one does not fit */
function checkContracts(migrations: readonly Migration[], history: History): void {
  const [contract] = unfitContracts(migrations, history)
  if (!contract) return
  throw new OperatorError(
    `the database belongs to a later release: its migration ${contract.name} removed what this release uses; run a release that has the migration ${contract.needs}`,
  )
}

function findPending(migrations: readonly Migration[], history: History): Migration[] {
  const applied = new Set(history.migrations.map(({ name }) => name))
  return migrations.filter(({ name }) => !applied.has(name))
}

/**
 * Applies migrations to an empty database, in the caller's transaction. The next start applies the definitions.
 * @throws OperatorError when the database has tables
 */
export async function createTables(client: Queryable, migrations: readonly Migration[]): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [locks.migration])
  await createHistory(client)
  for (const migration of migrations) await applyMigration(client, migration)
}

/** Returns whether the database has any migration of this service. */
export async function hasMigrations(url: string): Promise<boolean> {
  const history = await withClient(url, readHistory)
  const names = new Set((await readMigrations()).map(({ name }) => name))
  return history?.migrations.some(({ name }) => names.has(name)) ?? false
}

/** Migrations and definitions of a database, compared with those of this release. */
export interface MigrationState {
  /** Number of migrations. Null for a database without a history. */
  applied: number | null
  pending: string[]
  /** Applied ones whose script differs. */
  changed: string[]
  /** Applied ones that this release does not have: a later release has used the database. */
  unknown: string[]
  /** Those of them that removed what this release uses. */
  unfit: string[]
  /** Definitions that the next start applies. */
  definitions: string[]
  /** A table of another program. Only looked for in a database without a history. */
  foreignTable: string | null
}

/** Compares the migrations and definitions of a database with those of this release. Changes nothing. */
export async function readMigrationState(client: Queryable): Promise<MigrationState> {
  const [migrations, definitions] = [await readMigrations(), await readDefinitions(join(schemaDirectory, 'sql'))]
  const recordedHistory = await readHistory(client)
  const history = recordedHistory ?? { migrations: [], definitions: [] }
  const checksums = new Map(history.migrations.map(({ name, checksum }) => [name, checksum]))
  const names = new Set(migrations.map(({ name }) => name))
  const isOlder = isOlderRelease(migrations, history, version)
  return {
    applied: recordedHistory && checksums.size,
    pending: findPending(migrations, history).map(({ name }) => name),
    changed: migrations
      .filter(({ name, checksum }) => checksums.has(name) && checksums.get(name) !== checksum)
      .map(({ name }) => name),
    unknown: [...checksums.keys()].filter((name) => !names.has(name)).sort(),
    unfit: unfitContracts(migrations, history).map(({ name }) => name),
    definitions: isOlder ? [] : changedDefinitions(definitions, history.definitions).map(({ name }) => name),
    foreignTable: recordedHistory ? null : await findTable(client),
  }
}

/**
 * Returns whether every migration and definition is applied and unchanged, and no later release removed what this one
 * uses. Definitions may be of a later release. False for a database without a history.
 */
export async function isUpToDate(client: Queryable): Promise<boolean> {
  const { applied, pending, changed, unfit, definitions } = await readMigrationState(client)
  return applied !== null && [pending, changed, unfit, definitions].every((names) => names.length === 0)
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
export async function readMigrations(directory = schemaDirectory): Promise<Migration[]> {
  const files = await readdir(join(directory, 'migrations'))
  return Promise.all(
    files.sort().map(async (file) => {
      const script = await Bun.file(join(directory, 'migrations', file)).text()
      const needs = /^-- Contract: needs (\w+)\n/.exec(script)?.[1] ?? null
      const checksum = createHash('sha256').update(script).digest('hex')
      return { name: file.replace(/\.sql$/, ''), script, checksum, needs }
    }),
  )
}

/** @returns null for a database without a history */
async function readHistory(client: Queryable): Promise<History | null> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('schema_migration') IS NOT NULL AS exists`,
  )
  if (!rows[0]?.exists) return null
  const migrations = await client.query<AppliedMigration>('SELECT name, checksum, needs FROM schema_migration')
  return { migrations: migrations.rows, definitions: await readAppliedDefinitions(client) }
}

/** @throws OperatorError for a schema with tables, which are those of another program */
async function createHistory(client: Queryable): Promise<History> {
  const table = await findTable(client)
  if (table) {
    throw new OperatorError(
      `the database has tables of another program, such as "${table}"; create an empty one for this service`,
    )
  }
  await createDefinitionHistory(client)
  await client.query(
    `CREATE TABLE schema_migration (
      name text PRIMARY KEY,
      checksum text NOT NULL,
      needs text,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`,
  )
  return { migrations: [], definitions: [] }
}

/** @returns name of any table, null for an empty schema */
export async function findTable(client: Queryable): Promise<string | null> {
  const { rows } = await client.query<{ tablename: string }>(
    'SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename LIMIT 1',
  )
  return rows[0]?.tablename ?? null
}

type Timing = Pick<MigrationOptions, 'lockWaitMs' | 'retryMs' | 'giveUpMs'>

/** Applies a script, and repeats it while it gets no lock, until the time is over. */
async function applyPatiently(
  client: Queryable,
  script: string,
  { lockWaitMs = LOCK_WAIT_MS, retryMs = RETRY_MS, giveUpMs = GIVE_UP_MS }: Timing,
  apply: () => Promise<void>,
): Promise<void> {
  const began = performance.now()
  for (;;) {
    const failure = await inTransaction(client, script, lockWaitMs, apply).then(
      () => null,
      (error: Error) => error,
    )
    if (failure === null) return
    if (sqlStateOf(failure.cause) !== LOCK_NOT_AVAILABLE) throw failure
    if (performance.now() - began > giveUpMs) {
      const rule = `waits for a table that another transaction has locked for ${Math.round(giveUpMs / 1000)} s`
      const remedy = 'end that transaction (pg_stat_activity, pg_locks), and start again'
      throw new OperatorError(`${script} ${rule}; ${remedy}`, { cause: failure })
    }
    await Bun.sleep(retryMs)
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
const sqlStateOf = (error: unknown) => (error as { code?: unknown } | undefined)?.code

/** Applies a script in a transaction. The failed transaction of a lost connection ends with it. */
async function inTransaction(
  client: Queryable,
  script: string,
  lockWaitMs: number,
  apply: () => Promise<void>,
): Promise<void> {
  try {
    await client.query('BEGIN')
    await client.query(`SET LOCAL lock_timeout = ${lockWaitMs}`)
    await apply()
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw new Error(`${script} failed: ${(error as Error).message}`, { cause: error })
  }
}

/** Applies a migration and records it, in the caller's transaction. */
async function applyMigration(client: Queryable, { name, script, checksum, needs }: Migration): Promise<void> {
  await client.query(script)
  await client.query('INSERT INTO schema_migration (name, checksum, needs) VALUES ($1, $2, $3)', [
    name,
    checksum,
    needs,
  ])
}
