import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm'
import { Client, Pool } from 'pg'
import { locks } from './locks.ts'

export const migrationsDirectory = join(import.meta.dir, 'migrations')
export const schemaFile = join(import.meta.dir, '../../../schema.prisma')

/** Tables that Prisma's engine ignores: none. */
export const filters = { externalTables: [], externalEnums: [] }

/**
 * Applies all pending migrations in this folder, in Prisma's format and history table. One process migrates while
 * others wait.
 * @param url connection string; the role must be allowed to create tables and trusted extensions
 * @returns names of the migrations applied by this call
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [locks.migration])
    // The engine takes most of a second to load, so an up-to-date database skips it.
    if (await isUpToDate(client)) return []
    return await withSchemaEngine(url, async (engine) => {
      const migrationsList = await readMigrations()
      return (await engine.applyMigrations({ migrationsList, filters })).appliedMigrationNames
    })
  } finally {
    await client.end()
  }
}

/** Returns whether the database has any migration of this service. */
export async function hasMigrations(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    if (!(await hasHistory(client))) return false
    const { migrationDirectories } = await readMigrations()
    const names = migrationDirectories.map(({ path }) => path)
    const { rowCount } = await client.query('SELECT 1 FROM _prisma_migrations WHERE migration_name = ANY($1) LIMIT 1', [
      names,
    ])
    return rowCount === 1
  } finally {
    await client.end()
  }
}

async function hasHistory(client: Pick<Client, 'query'>): Promise<boolean> {
  const history = await client.query<{ found: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`,
  )
  return history.rows[0]?.found === true
}

/** Returns whether every migration is applied and unchanged. False for a database without a history. */
export async function isUpToDate(client: Pick<Client, 'query'>): Promise<boolean> {
  if (!(await hasHistory(client))) return false
  const applied = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  )
  const checksums = new Map(applied.rows.map((row) => [row.migration_name, row.checksum]))
  const { migrationDirectories } = await readMigrations()
  return migrationDirectories.every(({ path, migrationFile }) => {
    const checksum = createHash('sha256').update(migrationFile.content.value).digest('hex')
    return checksums.get(path) === checksum
  })
}

/** Reads the migrations in the format of Prisma's engine. */
export async function readMigrations(): Promise<MigrationList> {
  const entries = await readdir(migrationsDirectory, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return {
    baseDir: migrationsDirectory,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (path) => {
        const value = await Bun.file(join(migrationsDirectory, path, 'migration.sql')).text()
        return { path, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } }
      }),
    ),
  }
}

/**
 * Returns the SQL that migrates the database at `url` to schema.prisma; only a comment when they match. Partial
 * indexes, checks and exclusion constraints are not compared.
 */
export async function diffToSchema(url: string): Promise<string> {
  const schema = { files: [{ path: schemaFile, content: await Bun.file(schemaFile).text() }] }
  return withSchemaEngine(url, async (engine) => {
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', ...schema, configDir: '.' },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: null,
      filters: { externalTables: ['public._prisma_migrations'], externalEnums: [] },
    })
    return stdout ?? ''
  })
}

type EngineBindings = typeof import('@prisma/schema-engine-wasm/schema_engine_bg')
let loading: Promise<EngineBindings> | undefined

/** Loaded once per process: its JavaScript half keeps views of the first instance's memory. */
async function loadSchemaEngine(): Promise<EngineBindings> {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg')
  // The engine reports a panic only here; its promise then never settles.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => {
        throw new Error(`Prisma's schema engine panicked: ${message}`)
      },
    },
  })
  const entry = Bun.resolveSync('@prisma/schema-engine-wasm', import.meta.dir)
  const wasm = await Bun.file(join(dirname(entry), 'schema_engine_bg.wasm')).arrayBuffer()
  const { instance } = await WebAssembly.instantiate(wasm, {
    './schema_engine_bg.js': bindings as unknown as Bun.WebAssembly.ModuleImports,
  })
  bindings.__wbg_set_wasm(instance.exports)
  ;(instance.exports.__wbindgen_start as () => void)()
  return bindings
}

/** Runs Prisma's schema engine as WebAssembly on the pg driver. Nothing is downloaded. */
async function withSchemaEngine<T>(url: string, use: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  loading ??= loadSchemaEngine()
  const { SchemaEngine } = await loading
  const datamodel: [string, string] = ['schema.prisma', await Bun.file(schemaFile).text()]
  const pool = new CatalogPool({ connectionString: url, max: 2 })
  const factory = bindMigrationAwareSqlAdapterFactory(new CatalogAdapterFactory(pool))
  const engine = await SchemaEngine.new({ datamodels: [datamodel] }, () => {}, factory)
  try {
    return await use(engine)
  } finally {
    engine.free()
    await pool.end()
  }
}

const CHAR_OID = 18
const CHAR_ARRAY_OID = 1002

/**
 * The engine reads catalog columns of PostgreSQL's internal type "char", which Prisma's pg adapter rejects
 * (prisma#28145). No other column is an array of that type, so the array type marks them through the adapter.
 */
class CatalogPool extends Pool {
  // biome-ignore lint/suspicious/noExplicitAny: pg's query has a dozen overloads; the adapter uses the promise form
  override async query(...args: any[]): Promise<any> {
    const query = super.query as (...all: unknown[]) => Promise<{ fields?: { dataTypeID: number }[] }>
    const result = await query.apply(this, args)
    for (const field of result.fields ?? []) if (field.dataTypeID === CHAR_OID) field.dataTypeID = CHAR_ARRAY_OID
    return result
  }
}

class CatalogAdapterFactory extends PrismaPg {
  readonly #pool: Pool

  constructor(pool: Pool) {
    super(pool)
    this.#pool = pool
  }

  override async connect() {
    const adapter = await super.connect()
    // The adapter splits a script at every semicolon, including those in functions and strings. PostgreSQL accepts the
    // whole script and applies it atomically.
    adapter.executeScript = async (script) => void (await this.#pool.query(script))
    const queryRaw = adapter.queryRaw.bind(adapter)
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query)
      const columnTypes = result.columnTypes.map((type) =>
        type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type,
      )
      return { ...result, columnTypes }
    }
    return adapter
  }
}
