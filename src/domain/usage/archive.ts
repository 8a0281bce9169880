import { createHash } from 'node:crypto'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { ClientBase, Pool, PoolClient } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Services } from '../../platform/context.ts'
import { StorageError } from '../../platform/storage/storage.ts'
import type { StoredObject } from '../../platform/storage/stored-object.ts'
import { type KeepMonth, type Month, parseMonth } from './ledger.ts'

/** The purge removes only objects that are listed for removal, and none of these ever is. */
const PREFIX = 'archive/plays/'
const CONTENT_TYPE = 'application/gzip'
const GZIP_LEVEL = 6

/**
 * Columns of the archive, in their order. Readers rely on them: add new ones at the end. Times are ISO 8601 with
 * milliseconds in UTC. Null is an empty field without quotes.
 */
const COLUMNS: Record<string, string> = {
  id: 'id',
  created_at: `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  organization_id: 'organization_id',
  creator_id: 'creator_id',
  collection_id: 'collection_id',
  track_id: 'track_id',
  variant_id: 'variant_id',
  key_id: 'key_id',
  listener: 'listener',
  referrer_host: 'referrer_host',
  exclusion: 'exclusion',
}

const writeCopyStatement = ({ partition }: Month) =>
  `COPY (SELECT ${Object.entries(COLUMNS)
    .map(([name, expression]) => `${expression} AS ${name}`)
    .join(', ')} FROM ${partition}) TO STDOUT (FORMAT csv, HEADER)`

/** The object is stored while the transaction waits. */
const BEGIN = `BEGIN READ ONLY; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '1h'`

interface ArchivedPart {
  key: string
  rows: number
  bytes: number
  sha256: string
}

/**
 * Archives months as compressed CSV, one object for each. A month whose rows arrive after it was archived gets another
 * object. The object is read back and compared before the partition is dropped.
 */
export const archiveMonths =
  (
    { pool, storage, clock, log }: Pick<Services, 'pool' | 'storage' | 'clock' | 'log'>,
    signal?: AbortSignal,
  ): KeepMonth =>
  async (month) => {
    const part = await store({ pool, storage }, month, signal)
    if (part === null) return null
    const { key, rows, bytes, sha256 } = part
    await verify(storage, part)
    log.info({ month: month.name, key, rows, bytes }, 'a month of plays was archived')
    return async (client) => {
      await client.query(`LOCK TABLE ${month.partition} IN SHARE MODE`)
      const now = await client.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${month.partition}`)
      if (Number(now.rows[0]?.rows) !== rows) throw new Error(`${month.partition} has changed since it was archived`)
      await client.query(
        `INSERT INTO play_archive (storage_key, month, rows, bytes, sha256, archived_at) VALUES ($1, $2, $3, $4, $5, $6)`,
        [key, `${month.name}-01`, rows, bytes, sha256, clock()],
      )
    }
  }

/** Writes a month into storage. @returns null for a month without rows */
async function store(
  { pool, storage }: Pick<Services, 'pool' | 'storage'>,
  month: Month,
  signal?: AbortSignal,
): Promise<ArchivedPart | null> {
  const parts = await readParts(pool, month)
  const key = `${PREFIX}${month.name}.${parts.length + 1}.csv.gz`
  const client = await pool.connect()
  let isEnded = false
  try {
    await client.query(BEGIN)
    const { rows: firstRows } = await client.query(`SELECT FROM ${month.partition} LIMIT 1`)
    if (firstRows.length === 0) {
      isEnded = true
      await client.query('COMMIT')
      return null
    }
    const copy = client.query(copyTo(writeCopyStatement(month)))
    const packed = createGzip({ level: GZIP_LEVEL })
    const copying = pipeline(copy, packed, { signal })
    // Rejects through `packed` too, which ends the object.
    copying.catch(() => {})
    // An object of an interrupted attempt, which no row names, is replaced.
    const incoming = await storage.receive(key, packed, { maxBytes: Number.MAX_SAFE_INTEGER, signal })
    try {
      await copying
      await client.query('COMMIT')
      isEnded = true
      await incoming.commit()
    } catch (error) {
      await incoming.discard()
      throw error
    }
    return { key, rows: copy.rowCount, bytes: incoming.bytes, sha256: incoming.sha256 }
  } finally {
    client.release(!isEnded)
  }
}

/** @throws StorageError when the stored object is not what was sent */
async function verify(storage: Services['storage'], { key, bytes, sha256 }: ArchivedPart): Promise<void> {
  const size = await storage.size(key)
  const content = size === bytes ? await storage.read(key, 0, bytes) : null
  const hash = createHash('sha256')
  for await (const chunk of content ? toChunks(content) : []) hash.update(chunk)
  if (hash.digest('hex') !== sha256) throw new StorageError('archive', key, new Error('differs from what was sent'))
}

const toChunks = (content: ReadableStream<Uint8Array> | Blob): ReadableStream<Uint8Array> =>
  content instanceof Blob ? content.stream() : content

/** Reads the objects of the archive, of a month or of all. */
async function readParts(client: Pick<Pool, 'query'>, month?: Month): Promise<ArchivedPart[]> {
  const { rows } = await client.query<Record<keyof ArchivedPart, string>>(
    `SELECT storage_key AS key, rows, bytes, sha256 FROM play_archive
     WHERE $1::date IS NULL OR month = $1::date ORDER BY month, archived_at, storage_key`,
    [month ? `${month.name}-01` : null],
  )
  return rows.map(({ key, rows, bytes, sha256 }) => ({ key, rows: Number(rows), bytes: Number(bytes), sha256 }))
}

/** Reads the objects of the archive, for backups. One for each month, so they fit in memory. */
export async function* objectsOfArchive(client: Pick<ClientBase, 'query'>): AsyncGenerator<StoredObject> {
  for (const { key, bytes, sha256 } of await readParts(client as Pick<Pool, 'query'>)) {
    yield { key, bytes, sha256, contentType: CONTENT_TYPE, expiresAt: null }
  }
}

/**
 * Reads the plays of a month as CSV with one line of names: its archive, and what the ledger has. Ends with an error if
 * an object differs from its checksum.
 * @param name as in `2026-01`
 * @returns null for a month without archive and partition
 */
export async function readMonth(
  { pool, storage }: Pick<Services, 'pool' | 'storage'>,
  name: string,
): Promise<AsyncGenerator<Uint8Array> | null> {
  const month = parseMonth(name)
  const parts = await readParts(pool, month)
  const { rows } = await pool.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    month.partition,
  ])
  const isInLedger = rows[0]?.exists ?? false
  if (parts.length === 0 && !isInLedger) return null
  return (async function* () {
    const sources = [
      ...parts.map((part) => () => unpacked(storage, part)),
      ...(isInLedger ? [() => fromLedger(pool, month)] : []),
    ]
    for (const [place, open] of sources.entries()) yield* place === 0 ? open() : withoutFirstLine(open())
  })()
}

async function* unpacked(
  storage: Services['storage'],
  { key, bytes, sha256 }: ArchivedPart,
): AsyncGenerator<Uint8Array> {
  const content = await storage.read(key, 0, bytes)
  if (content === null) throw new StorageError('read', key, new Error('the object does not exist'))
  const hash = createHash('sha256')
  const check = new Transform({
    transform(chunk: Uint8Array, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      const isSame = hash.digest('hex') === sha256
      done(isSame ? null : new StorageError('read', key, new Error('differs from its checksum')))
    },
  })
  const rows = createGunzip()
  const reading = pipeline(Readable.from(toChunks(content)), check, rows)
  reading.catch(() => {})
  yield* rows
  await reading
}

async function* fromLedger(pool: Pool, month: Month): AsyncGenerator<Uint8Array> {
  const client: PoolClient = await pool.connect()
  let isEnded = false
  try {
    await client.query(BEGIN)
    yield* client.query(copyTo(writeCopyStatement(month)))
    await client.query('COMMIT')
    isEnded = true
  } finally {
    client.release(!isEnded)
  }
}

/** No name has a line break, so the first line ends at the first one. */
async function* withoutFirstLine(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isInside = false
  for await (const chunk of chunks) {
    const end = isInside ? 0 : chunk.indexOf(10) + 1
    if (!isInside && end === 0) continue
    isInside = true
    if (end < chunk.length) yield chunk.subarray(end)
  }
}
