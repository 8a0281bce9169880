import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type Client, escapeIdentifier } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

type Queryable = Pick<Client, 'query'>

/** A table that has rows itself: a partition, but not the table that it is a part of. */
export interface Table {
  schema: string
  name: string
  /** In their order. Without generated columns. */
  columns: string[]
}

/** A file that was written, for its list of checksums. */
export interface WrittenFile {
  bytes: number
  /** SHA-256 of the file, lower-case hexadecimal. */
  sha256: string
}

/** Schemas of the service. */
const SCHEMAS = ['public', 'ledger', 'graphile_worker']
/** Histories of migrations and definitions. The code that creates the tables writes them. */
const HISTORIES = ['schema_migration', 'schema_definition', 'migrations']
/** Level 3 takes less time than 1 and 6 with the rows of this service, and has the size of 6 (decision 0033). */
const GZIP_LEVEL = 3

export const writeTableName = ({ schema, name }: Pick<Table, 'schema' | 'name'>) =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`

/** Lists the tables of the service with rows of their own, in the order of their names. Not those that a crash empties. */
export async function listTables(client: Queryable): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT n.nspname AS schema, c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname = ANY($1::text[]) AND c.relname <> ALL($2::text[])
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [SCHEMAS, HISTORIES],
  )
  return rows
}

/** Writes the rows of a table to a compressed file, in the text format of COPY. @returns the number of rows too */
export async function dumpTable(client: Client, table: Table, file: string): Promise<WrittenFile & { rows: number }> {
  const columns = table.columns.map(escapeIdentifier).join(', ')
  const copy = client.query(copyTo(`COPY ${writeTableName(table)} (${columns}) TO STDOUT`))
  const written = await writeCompressed(copy, file)
  return { ...written, rows: copy.rowCount }
}

/**
 * Compresses a stream into a new file that only its owner can read. The file is durable when this returns.
 * @param content ends with an error to abort; the file then remains incomplete
 */
export async function writeCompressed(content: NodeJS.ReadableStream, file: string): Promise<WrittenFile> {
  const hash = createHash('sha256')
  let bytes = 0
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  await pipeline(content, createGzip({ level: GZIP_LEVEL }), count, target)
  return { bytes, sha256: hash.digest('hex') }
}

/** Adds the rows of a file of `dumpTable` to a table. @returns their number */
export async function loadTable(client: Client, table: Table, file: string): Promise<number> {
  const columns = table.columns.map(escapeIdentifier).join(', ')
  const copy = client.query(copyFrom(`COPY ${writeTableName(table)} (${columns}) FROM STDIN`))
  await pipeline(createReadStream(file), createGunzip(), copy)
  return copy.rowCount
}

/**
 * Removes all rows, foreign keys and triggers of tables while rows are loaded, in the caller's transaction. Foreign keys
 * are then checked once for all rows, and tables can be loaded in any order.
 */
export async function loadAlone(client: Queryable, tables: readonly Table[], load: () => Promise<void>): Promise<void> {
  const { rows: keys } = await client.query<{ owner: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS owner, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace::regnamespace::text = ANY($1::text[])`,
    [SCHEMAS],
  )
  const names = tables.map(writeTableName)
  for (const { owner, name } of keys) await client.query(`ALTER TABLE ${owner} DROP CONSTRAINT ${name}`)
  for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  if (names.length > 0) await client.query(`TRUNCATE ${names.join(', ')}`)
  await load()
  for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
  for (const { owner, name, definition } of keys) {
    await client.query(`ALTER TABLE ${owner} ADD CONSTRAINT ${name} ${definition}`)
  }
}

/** State of a sequence. */
export interface Sequence {
  schema: string
  name: string
  /** A bigint in decimal. */
  value: string
  isCalled: boolean
}

/** Reads the sequences of the service. They are outside of snapshots: read them after the rows. */
export async function readSequences(client: Queryable): Promise<Sequence[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `SELECT schemaname AS schema, sequencename AS name FROM pg_sequences WHERE schemaname = ANY($1::text[]) ORDER BY 1, 2`,
    [SCHEMAS],
  )
  const sequences: Sequence[] = []
  for (const { schema, name } of rows) {
    const state = await client.query<{ value: string; called: boolean }>(
      `SELECT last_value::text AS value, is_called AS called FROM ${writeTableName({ schema, name })}`,
    )
    const { value = '1', called = false } = state.rows[0] ?? {}
    sequences.push({ schema, name, value, isCalled: called })
  }
  return sequences
}

/** Sets sequences to a state. They must exist. */
export async function setSequences(client: Queryable, sequences: readonly Sequence[]): Promise<void> {
  for (const sequence of sequences) {
    await client.query('SELECT setval($1::regclass, $2::bigint, $3)', [
      writeTableName(sequence),
      sequence.value,
      sequence.isCalled,
    ])
  }
}
