import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { Client } from 'pg'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../config.ts'
import { recordBackup } from '../../platform/db/backup-times.ts'
import { locks } from '../../platform/db/locks.ts'
import { readMigrationState, readMigrations } from '../../platform/db/migrate.ts'
import {
  dumpTable,
  listTables,
  readSequences,
  type Table,
  writeCompressed,
  writeTableName,
} from '../../platform/db/tables.ts'
import { nameSecretOrigin, readFingerprint, rootSecret } from '../../platform/identity/secret.ts'
import { createSigning } from '../../platform/identity/signing.ts'
import { readQueueMigration } from '../../platform/jobs/task.ts'
import { type Storage, StorageError } from '../../platform/storage/storage.ts'
import { version } from '../../platform/version.ts'
import { inDataDir } from '../data-dir.ts'
import {
  FILES_FOLDER,
  type ListedObject,
  MANIFEST,
  type Manifest,
  OBJECTS,
  readLines,
  SECRET_FILE,
  SUMS,
  toTableFile,
} from './format.ts'
import {
  eachInOrder,
  emptyReport,
  type ObjectReport,
  type ObjectVerdict,
  objectsOfRows,
  record,
  toListed,
} from './objects.ts'

/** Time to wait for another backup, a migration or the purge. */
const LOCK_WAIT_MS = 600_000
/** Interval of notes on the progress. */
const NOTE_MS = 5_000
/** Files copied at once. */
const COPIES = 4

export interface BackupOptions {
  /** A folder that is empty or does not exist. */
  folder: string
  /** Copy the bytes of all objects. */
  hasFiles: boolean
  /** Stores the bytes of objects outside of the folder. Replaces `hasFiles`. */
  shared?: SharedObjects
  /** Write SECRET to the backup. */
  hasSecret: boolean
  /** Prints a text for people. */
  note: (text: string) => void
  now?: () => Date
}

/** Bytes of objects that several backups share. */
export interface SharedObjects {
  /** Called with the database locked against other backups, before anything is written. */
  open: (fingerprint: string) => Promise<void>
  /** Stores an object unless it is stored. @returns its checksum. Null if it does not exist any more */
  store: StoreObject
  /** Called with the complete folder. The database is still locked against other backups. */
  complete: () => Promise<void>
  /** Removes old backups. */
  removeOld: () => Promise<void>
}

/** Stores the bytes of an object of the given size. @returns its checksum. Null if it does not exist any more */
type StoreObject = (object: ListedObject, size: number) => Promise<{ sha256: string } | null>

export interface BackupReport extends ObjectReport {
  folder: string
  created_at: string
  version: string
  tables: number
  rows: number
  database_bytes: number
}

/**
 * Writes a backup of a database and its storage, while the service runs. The rows are of one snapshot. Until the backup
 * ends, no object is purged, no month of the ledger is dropped and no migration begins.
 * @throws OperatorError for a folder with files, pending migrations, another SECRET, or another backup that runs
 */
export async function backUp(
  { url, storage, config }: { url: string; storage: Storage; config: Config },
  options: BackupOptions,
): Promise<BackupReport> {
  const { folder } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const entries = await readdir(folder)
  if (entries.length > 0) throw new OperatorError(`--to: ${folder} is not empty; name a new folder for each backup`)
  await mkdir(join(folder, 'database'), { mode: 0o700 })
  const client = new Client({ connectionString: url, statement_timeout: 0, keepAlive: true })
  // A lost connection rejects the query in progress.
  client.on('error', () => {})
  await client.connect()
  try {
    return await write(client, storage, config, options)
  } finally {
    // A COPY that was interrupted has unread rows: the connection is not ended in order.
    ;(client as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy()
  }
}

async function write(client: Client, storage: Storage, config: Config, options: BackupOptions): Promise<BackupReport> {
  const { folder, hasSecret, shared, note, now = () => new Date() } = options
  const hasFiles = options.hasFiles || shared !== undefined
  const secret =
    config.secret ?? (await inDataDir(config.dataDir, () => rootSecret(config.dataDir, { isCreated: false })))
  const { fingerprint } = createSigning(secret)
  if (shared) await lockBackup(client)
  await shared?.open(fingerprint)
  await lockOut(client, note)
  await checkState(client, fingerprint, nameSecretOrigin(config.secret, config.dataDir))
  const migrations = (await readMigrations()).map(({ name, checksum }) => ({ name, checksum }))

  const tables = await beginSnapshot(client)
  const created = now().toISOString()
  const database = await dumpDatabase(client, tables, folder)
  note(`database: ${database.rows} rows of ${tables.length} tables, ${database.bytes} bytes`)
  const rowObjects = join(folder, `${OBJECTS}.rows`)
  await writeCompressed(Readable.from(toLines(objectsOfRows(client, config), toListed)), rowObjects)
  await client.query('COMMIT')

  const copy: StoreObject = ({ key }, size) => copyOut(storage, key, size, join(folder, FILES_FOLDER, key))
  const store = hasFiles ? (shared?.store ?? copy) : null
  const objects = await completeObjects(storage, readLines(rowObjects), { folder, store, note })
  await rm(rowObjects)
  // Unlocked by a statement: after a closed connection the server may keep the locks for a while. Fails if the connection,
  // and with it the locks, was lost before.
  await client.query('SELECT pg_advisory_unlock_shared($1), pg_advisory_unlock($2), pg_advisory_unlock($3)', [
    locks.migration,
    locks.purge,
    locks.ledgerMonths,
  ])

  const manifest: Manifest = {
    format: 1,
    created_at: created,
    version,
    postgresql: database.postgresql,
    migrations,
    queue_migration: database.queueMigration,
    secret_fingerprint: fingerprint,
    has_secret: hasSecret,
    tables: database.tables,
    sequences: database.sequences,
    objects: {
      count: objects.objects,
      bytes: objects.bytes,
      missing: objects.missing,
      has_files: hasFiles,
      is_shared: shared !== undefined,
    },
  }
  const { sha256, ...counts } = objects
  const sums = [
    ...database.sums,
    [OBJECTS, sha256],
    ...(hasSecret ? [[SECRET_FILE, await writeText(join(folder, SECRET_FILE), secret)]] : []),
    [MANIFEST, await writeText(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)],
  ]
  await writeText(join(folder, SUMS), sums.map(([file, sha256]) => `${sha256}  ${file}\n`).join(''))
  if (shared) {
    await shared.complete()
    await recordBackup(client, new Date(created))
    await shared.removeOld()
    await client.query('SELECT pg_advisory_unlock($1)', [locks.backup])
  }
  return {
    folder,
    created_at: created,
    version,
    tables: tables.length,
    rows: database.rows,
    database_bytes: database.bytes,
    ...counts,
  }
}

/** Writes the rows of all tables. Sequences are outside of the snapshot, and are read after the rows. */
async function dumpDatabase(client: Client, tables: readonly Table[], folder: string) {
  const queueMigration = await readQueueMigration(client)
  const server = await client.query<{ major: number }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major`,
  )
  const dumped: Manifest['tables'] = []
  const sums: [file: string, sha256: string][] = []
  let total = 0
  for (const table of tables) {
    const file = toTableFile(table)
    const { rows, bytes, sha256 } = await dumpTable(client, table, join(folder, file))
    sums.push([file, sha256])
    dumped.push({ ...table, rows })
    total += bytes
  }
  const sequences = await readSequences(client)
  return {
    tables: dumped,
    rows: dumped.reduce((sum, { rows }) => sum + rows, 0),
    bytes: total,
    sums,
    queueMigration,
    postgresql: server.rows[0]?.major ?? 0,
    sequences: sequences.map(({ isCalled, ...sequence }) => ({ ...sequence, is_called: isCalled })),
  }
}

/** @throws OperatorError for a database of another release, or with another secret */
async function checkState(client: Client, fingerprint: string, origin: string): Promise<void> {
  const { applied, pending, changed, unknown } = await readMigrationState(client)
  if (applied === null)
    throw new OperatorError('the database has no tables of this service; there is nothing to back up')
  const [other] = [...changed, ...unknown, ...pending]
  if (other !== undefined) {
    const state = pending.includes(other) ? 'does not have yet' : 'has from another release'
    throw new OperatorError(
      `the database ${state} the migration ${other}; make the backup with the release that serves it, this one is ${version}`,
    )
  }
  const stored = await readFingerprint(client)
  if (stored === null || stored === fingerprint) return
  throw new OperatorError(`SECRET: ${origin} is not the secret that this database was set up with`)
}

/** @throws OperatorError if another process writes a backup of this database to a place */
async function lockBackup(client: Client): Promise<void> {
  const { rows } = await client.query<{ isLocked: boolean }>('SELECT pg_try_advisory_lock($1) AS "isLocked"', [
    locks.backup,
  ])
  if (rows[0]?.isLocked !== true) throw new OperatorError('another backup of this database is running')
}

/** Keeps the purge, the removal of months, migrations and other backups from running until the connection ends. */
async function lockOut(client: Client, note: (text: string) => void): Promise<void> {
  const waiting = setTimeout(() => note('waiting for the purge, a migration or another backup'), 1_000)
  try {
    await client.query(`SET lock_timeout = ${LOCK_WAIT_MS}; SET idle_session_timeout = 0`)
    await client.query('SELECT pg_advisory_lock_shared($1)', [locks.migration])
    await client.query('SELECT pg_advisory_lock($1)', [locks.purge])
    await client.query('SELECT pg_advisory_lock($1)', [locks.ledgerMonths])
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error
    throw new OperatorError(
      'another backup, a migration or the purge has been running for 10 minutes; try again later',
      {
        cause: error,
      },
    )
  } finally {
    clearTimeout(waiting)
  }
}

/**
 * Begins a transaction with one snapshot of all tables. They are locked before the snapshot is taken, so that none of
 * them is dropped in between. The lock conflicts with changes of tables only.
 */
async function beginSnapshot(client: Client): Promise<Table[]> {
  const tables = await listTables(client)
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const names = tables.map(writeTableName)
  await client.query(`LOCK TABLE ONLY ${names.join(', ONLY ')} IN ACCESS SHARE MODE`)
  return tables
}

/** Writes the list of objects with their sizes in storage, and copies their bytes. */
async function completeObjects(
  storage: Storage,
  listed: AsyncIterable<ListedObject>,
  { folder, store, note }: { folder: string; store: StoreObject | null; note: (text: string) => void },
): Promise<ObjectReport & { sha256: string }> {
  const counts = emptyReport()
  let notedMs = performance.now()
  async function* completed() {
    const complete = (object: ListedObject) => examine(storage, object, store)
    for await (const { object, verdict } of eachInOrder(listed, complete, store ? COPIES : undefined)) {
      counts.objects += 1
      counts.bytes += object.bytes ?? 0
      record(counts, verdict, object.key)
      if (performance.now() - notedMs > NOTE_MS) {
        notedMs = performance.now()
        note(`objects: ${counts.objects}, ${counts.bytes} bytes`)
      }
      yield object
    }
  }
  const lines = Readable.from(toLines(completed(), (object) => object))
  const { sha256 } = await writeCompressed(lines, join(folder, OBJECTS))
  note(`objects: ${counts.objects}, ${counts.bytes} bytes; missing: ${counts.missing}, differing: ${counts.differing}`)
  return { ...counts, sha256 }
}

/**
 * Compares an object with storage, and stores its bytes in the backup.
 * @param store null for a backup without the bytes of objects
 * @returns the object with size and checksum of storage. The size is null if it is missing
 */
async function examine(
  storage: Storage,
  object: ListedObject,
  store: StoreObject | null,
): Promise<{ object: ListedObject; verdict: ObjectVerdict }> {
  const size = await storage.size(object.key)
  const copy = size === null || store === null ? null : await store(object, size)
  if (size === null || (store !== null && copy === null)) {
    return { object: { ...object, bytes: null }, verdict: 'missing' }
  }
  const sha256 = copy?.sha256 ?? object.sha256
  const isSame = (object.bytes ?? size) === size && (object.sha256 ?? sha256) === sha256
  return { object: { ...object, bytes: size, sha256 }, verdict: isSame ? 'ok' : 'differing' }
}

async function* toLines<T>(items: AsyncIterable<T>, toObject: (item: T) => ListedObject): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(toObject(item))}\n`
}

/** Copies an object into a new file. @returns its checksum. Null if it does not exist any more */
async function copyOut(
  storage: Storage,
  key: string,
  size: number,
  target: string,
): Promise<{ sha256: string } | null> {
  const content = await storage.read(key, 0, size)
  if (content === null) return null
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await using file = await open(target, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of content instanceof Blob ? content.stream() : content) {
    hash.update(chunk)
    bytes += chunk.byteLength
    await file.writeFile(chunk)
  }
  await file.sync()
  if (bytes === size) return { sha256: hash.digest('hex') }
  throw new StorageError('read', key, new Error(`${bytes} of ${size} bytes arrived`))
}

/** Writes a text that only its owner can read. @returns its SHA-256 */
async function writeText(file: string, text: string): Promise<string> {
  await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true })
  return createHash('sha256').update(text).digest('hex')
}
