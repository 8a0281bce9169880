import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, Pool } from 'pg'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../config.ts'
import { createTables, findTable, type Migration, readMigrations } from '../../platform/db/migrate.ts'
import { listTables, loadAlone, loadTable, setSequences, type Table } from '../../platform/db/tables.ts'
import { nameSecretOrigin, readSecret, storeSecret } from '../../platform/identity/secret.ts'
import { createSigning } from '../../platform/identity/signing.ts'
import { hasJobs, migrateQueue, readQueueMigration } from '../../platform/jobs/task.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { version } from '../../platform/version.ts'
import { inDataDir } from '../data-dir.ts'
import {
  FILES_FOLDER,
  hashBackupFile,
  type ListedObject,
  type Manifest,
  OBJECTS,
  openBackup,
  readLines,
  SECRET_FILE,
  toTableFile,
} from './format.ts'
import { checkObjects, eachInOrder, type ObjectReport } from './objects.ts'
import { type BackupPlace, type OpenedBackup, toSharedKey, withPlaceFile } from './place.ts'

/** Interval of notes on the progress. */
const NOTE_MS = 5_000
/** Files copied at once. */
const COPIES = 4
/** Partitions of the ledger by month. */
const MONTH = /^play_event_(\d{4})_(\d{2})$/

export interface RestoreOptions {
  folder: string
  /** Prints a text for people. */
  note: (text: string) => void
  now?: () => Date
}

export interface RestoreReport extends ObjectReport {
  /** Time and release of the backup. */
  created_at: string
  version: string
  tables: number
  rows: number
  /** Objects copied into storage. */
  files: number
  /** Migrations that the next start applies. */
  pending_migrations: string[]
}

/** A backup that fits this release and this secret. */
export interface CheckedBackup {
  folder: string
  /** Has the bytes of the objects. Null if the folder has them, or no backup. */
  place: BackupPlace | null
  manifest: Manifest
  /** Migrations of the backup. */
  migrations: Migration[]
  /** Migrations that this release has in addition. */
  pending: string[]
  /** The secret of the backup, to be stored in DATA_DIR. Null if SECRET or DATA_DIR has it already. */
  secret: string | null
}

/**
 * Checks a backup before anything is changed.
 * @throws OperatorError for a damaged backup, one of a later release, or one with another secret
 */
export async function checkBackup(
  config: Config,
  { folder, place }: Pick<OpenedBackup, 'folder' | 'place'>,
): Promise<CheckedBackup> {
  const manifest = await openBackup(folder)
  if (manifest.objects.is_shared && !place) {
    throw new OperatorError(
      `--from: the objects of ${folder} are in the folder that it was made in; name a backup in that folder`,
    )
  }
  const releaseMigrations = new Map((await readMigrations()).map((migration) => [migration.name, migration]))
  const migrations = manifest.migrations.map(({ name, checksum }) => {
    const migration = releaseMigrations.get(name)
    if (migration?.checksum === checksum) return migration
    const rule = migration ? 'has another content in this release' : 'does not exist in this release'
    throw new OperatorError(
      `--from: the backup is of release ${manifest.version}, whose migration ${name} ${rule} (${version}); restore it with that release or a later one`,
    )
  })
  const restored = new Set(manifest.migrations.map(({ name }) => name))
  const pending = [...releaseMigrations.keys()].filter((name) => !restored.has(name))
  return {
    folder,
    manifest,
    migrations,
    pending,
    place: manifest.objects.is_shared ? place : null,
    secret: await secretFor(config, folder, manifest),
  }
}

/** @returns the secret of the backup if this installation has no secret, else null */
async function secretFor(
  { secret, dataDir }: Config,
  folder: string,
  { has_secret, secret_fingerprint }: Manifest,
): Promise<string | null> {
  const installedSecret = secret ?? (await inDataDir(dataDir, () => readSecret(dataDir)))
  const stored = has_secret ? await readFile(join(folder, SECRET_FILE), 'utf8') : null
  if (installedSecret === null && stored === null) {
    throw new OperatorError(
      `SECRET: the backup does not contain the secret; set SECRET, or write the original one to ${join(dataDir, 'secret')}`,
    )
  }
  const originalSecret = installedSecret ?? stored ?? ''
  if (createSigning(originalSecret).fingerprint === secret_fingerprint) return installedSecret === null ? stored : null
  const origin = installedSecret === null ? join(folder, SECRET_FILE) : nameSecretOrigin(secret, dataDir)
  throw new OperatorError(
    `SECRET: ${origin} is not the secret of the backup; set that one, since stored secrets and issued addresses depend on it`,
  )
}

/**
 * Restores a backup into an empty database: all of its rows or none. Objects that storage already has, with the same
 * size, are not copied.
 * @throws OperatorError for a database that is not empty, or a queue of another version
 */
export async function restore(
  { url, storage, config }: { url: string; storage: Storage; config: Config },
  { folder, place, manifest, migrations, pending, secret }: CheckedBackup,
  { note, now = () => new Date() }: Omit<RestoreOptions, 'folder'>,
): Promise<RestoreReport> {
  const client = new Client({ connectionString: url, statement_timeout: 0, keepAlive: true })
  client.on('error', () => {})
  await client.connect()
  try {
    await checkEmpty(client)
    await prepareQueue(client, url, manifest)
    const list = join(folder, OBJECTS)
    const files = manifest.objects.has_files ? await copyFiles(storage, { folder, place }, readLines(list), note) : 0
    await client.query('BEGIN')
    await load(client, folder, manifest, migrations)
    // Before the commit, so that no database exists whose secret is lost.
    if (secret !== null) await inDataDir(config.dataDir, () => storeSecret(config.dataDir, secret))
    await client.query('COMMIT')
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    note(`database: ${rows} rows of ${manifest.tables.length} tables`)
    await client.query('ANALYZE')
    const report = await checkObjects(storage, readLines(list), {
      isDeep: false,
      now: now(),
      onProgress: progress(note),
    })
    note(
      `objects: ${report.objects}, ${report.bytes} bytes; missing: ${report.missing}, differing: ${report.differing}`,
    )
    const { created_at, version } = manifest
    return { created_at, version, tables: manifest.tables.length, rows, files, pending_migrations: pending, ...report }
  } finally {
    // A COPY that was interrupted is not ended in order. PostgreSQL rolls back.
    ;(client as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy()
  }
}

async function checkEmpty(client: Client): Promise<void> {
  const table = await findTable(client)
  if (table) {
    throw new OperatorError(`the database is not empty: it has the table "${table}"; restore into a new database`)
  }
}

/** The tables of the queue are not part of the transaction. Empty ones do no harm. */
async function prepareQueue(
  client: Client,
  url: string,
  { queue_migration, version: release }: Manifest,
): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 2 })
  pool.on('error', () => {})
  try {
    await migrateQueue(pool)
    if (await hasJobs(client))
      throw new OperatorError('the database is not empty: its queue has jobs; restore into a new database')
  } finally {
    await pool.end()
  }
  const releaseVersion = await readQueueMigration(client)
  if (releaseVersion !== queue_migration) {
    throw new OperatorError(
      `--from: the queue of the backup has version ${queue_migration}, that of this release ${releaseVersion}; restore it with release ${release}, then upgrade`,
    )
  }
}

/** Creates the tables as they were, and loads their rows. In the caller's transaction. */
async function load(
  client: Client,
  folder: string,
  manifest: Manifest,
  migrations: readonly Migration[],
): Promise<void> {
  await checkEmpty(client)
  await createTables(client, migrations)
  for (const { schema, name } of manifest.tables) {
    if (schema === 'ledger' && MONTH.test(name)) await addPartition(client, name)
  }
  const tables = matched(manifest, await listTables(client))
  await loadAlone(client, tables, async () => {
    for (const table of manifest.tables) {
      const rows = await loadTable(client, table, join(folder, toTableFile(table)))
      if (rows === table.rows) continue
      throw new OperatorError(`--from: the backup is damaged: ${toTableFile(table)} has ${rows} of ${table.rows} rows`)
    }
  })
  await setSequences(
    client,
    manifest.sequences.map(({ is_called, ...sequence }) => ({ ...sequence, isCalled: is_called })),
  )
}

/** Creates the partition of a month, unless the migrations have. The functions of the database do not exist yet. */
async function addPartition(client: Client, name: string): Promise<void> {
  const [, year, month] = (MONTH.exec(name) ?? []).map(Number)
  const [start, end] = [0, 1].map((n) => new Date(Date.UTC(year ?? 0, (month ?? 0) - 1 + n)).toISOString())
  await client.query(
    `CREATE TABLE IF NOT EXISTS ledger.${name} PARTITION OF play_event FOR VALUES FROM ('${start}') TO ('${end}')`,
  )
}

/** @returns all tables. @throws OperatorError when a table or a column of the backup does not exist */
function matched({ tables }: Manifest, existing: readonly Table[]): readonly Table[] {
  const columnsOf = new Map(existing.map((table) => [toTableFile(table), new Set(table.columns)]))
  for (const table of tables) {
    const columns = columnsOf.get(toTableFile(table))
    const unknown = table.columns.find((column) => !columns?.has(column))
    if (!columns || unknown) {
      const part = columns ? `column ${unknown} of ` : ''
      throw new OperatorError(
        `--from: the backup does not fit its migrations: ${part}${table.schema}.${table.name} is unknown`,
      )
    }
  }
  return existing
}

/**
 * Copies the files of a backup into storage.
 * @returns the number of copied files
 * @throws OperatorError for a file that differs from its checksum
 */
async function copyFiles(
  storage: Storage,
  { folder, place }: Pick<CheckedBackup, 'folder' | 'place'>,
  objects: AsyncIterable<ListedObject>,
  note: (text: string) => void,
): Promise<number> {
  const putFile = async (file: string, fileName: string, { key, sha256, content_type }: ListedObject) => {
    const fileSha256 = await hashBackupFile(file).catch(() => null)
    if (fileSha256 === null) throw new OperatorError(`--from: the backup is damaged: ${fileName} cannot be read`)
    if (fileSha256 !== sha256) {
      throw new OperatorError(`--from: the backup is damaged: ${fileName} differs from its checksum`)
    }
    await storage.put(key, file, content_type)
  }
  const copy = async (object: ListedObject): Promise<number> => {
    const { key, bytes, sha256 } = object
    if (bytes === null || (await storage.size(key)) === bytes) return 0
    const fileName = place ? toSharedKey(sha256 ?? '') : `${FILES_FOLDER}/${key}`
    if (place) await withPlaceFile(place, fileName, (file) => putFile(file, fileName, object))
    else await putFile(join(folder, fileName), fileName, object)
    return 1
  }
  const report = progress(note)
  let [examined, copied] = [0, 0]
  for await (const count of eachInOrder(objects, copy, COPIES)) {
    copied += count
    examined += 1
    report(examined)
  }
  note(`files: ${copied} of ${examined} were copied`)
  return copied
}

/** Notes every few seconds how many objects are done. */
function progress(note: (text: string) => void): (count: number) => void {
  let notedMs = performance.now()
  return (count) => {
    if (performance.now() - notedMs < NOTE_MS) return
    notedMs = performance.now()
    note(`objects: ${count}`)
  }
}
