// Prisma's schema engine as WebAssembly, for development. The service itself does not load it.
import { dirname, join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import type { SchemaEngine } from '@prisma/schema-engine-wasm'
import { Pool } from 'pg'
import { root } from './once.ts'

const schemaFile = join(root, 'schema.prisma')

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
      filters: { externalTables: ['public.schema_migration', 'public.schema_definition'], externalEnums: [] },
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
export async function withSchemaEngine<T>(url: string, use: (engine: SchemaEngine) => Promise<T>): Promise<T> {
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
