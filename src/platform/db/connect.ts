import { Client, type Pool } from 'pg'
import { OperatorError } from '../../config.ts'

const MIN_VERSION = 15
const CONNECT_TIMEOUT_MS = 10_000
/** A pooler that takes its connections in turn may give the same one by chance. */
const ROUNDS = 3

type Setting = 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_READ_URL' | 'DATA_DIR'

/**
 * Checks that a database is reachable, recent enough, and keeps the state of a session, so that a mistake stops the
 * start.
 * @param setting names the database in messages
 * @param options `isPooled`: whether the address may be a pooler that assigns connections by transaction
 * @throws OperatorError with the reason
 */
export async function checkConnection(url: string, setting: Setting, { isPooled = false } = {}): Promise<void> {
  await withClient(url, setting, async (client) => {
    const { rows } = await client.query<{ version: number; encoding: string; hasIcu: boolean }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding,
         EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') AS "hasIcu"`,
    )
    const { version, encoding, hasIcu } = rows[0] ?? { version: 0, encoding: '', hasIcu: false }
    if (version < MIN_VERSION) {
      throw new OperatorError(`${setting}: PostgreSQL ${MIN_VERSION} or newer is required, found ${version}`)
    }
    if (encoding !== 'UTF8') {
      const remedy = "create the database with ENCODING 'UTF8' TEMPLATE template0"
      throw new OperatorError(`${setting}: the encoding must be UTF8, found ${encoding}; ${remedy}`)
    }
    if (!hasIcu) throw new OperatorError(`${setting}: PostgreSQL with ICU is required, found one without it`)
    if (isPooled || !(await withClient(url, setting, (other) => isShared(client, other)))) return
    const remedy =
      setting === 'DATABASE_URL' ? 'set DATABASE_DIRECT_URL to the PostgreSQL server itself' : 'name the server itself'
    throw new OperatorError(`${setting}: is a pooler that assigns connections by transaction; ${remedy}`)
  })
}

/**
 * Checks that two addresses lead to one database of one server.
 * @throws OperatorError when they do not
 */
export async function checkSameDatabase(url: string, directUrl: string): Promise<void> {
  const identity = (client: Client) =>
    client.query(`SELECT oid, pg_postmaster_start_time() FROM pg_database WHERE datname = current_database()`)
  const [pooled, direct] = await Promise.all([
    withClient(url, 'DATABASE_URL', identity),
    withClient(directUrl, 'DATABASE_DIRECT_URL', identity),
  ])
  if (Bun.deepEquals(pooled.rows, direct.rows)) return
  throw new OperatorError('DATABASE_DIRECT_URL: is another database than the one that DATABASE_URL leads to')
}

/**
 * Checks that an address leads to a streaming replica of a server.
 * @throws OperatorError when it does not
 */
export async function checkReplica(url: string, primary: Pick<Pool, 'query'>): Promise<void> {
  const text = `SELECT system_identifier::text AS system, pg_is_in_recovery() AS replays FROM pg_control_system()`
  const [{ rows: replica }, { rows: primarySession }] = await Promise.all([
    withClient(url, 'DATABASE_READ_URL', (client) => client.query(text)),
    primary.query(text),
  ])
  if (!replica[0].replays) {
    throw new OperatorError('DATABASE_READ_URL: is not a replica, because it accepts writes; name a streaming replica')
  }
  if (replica[0].system !== primarySession[0].system) {
    throw new OperatorError('DATABASE_READ_URL: is a replica of another server than the one of DATABASE_URL')
  }
}

export const UNLIMITED = 'the pooler limits no statement'

/** Whether statements through a pooler may take any time. */
export async function isUnlimited(pool: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await pool.query(`SELECT current_setting('statement_timeout') AS value`)
  return rows[0].value === '0'
}

/**
 * Whether transactions of two connections may run in the same session of the server: `other` gets the session of
 * `client`, or `client` another one while `other` has a transaction.
 */
async function isShared(client: Client, other: Client): Promise<boolean> {
  const session = async (one: Client): Promise<number> =>
    (await one.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
  const ownSession = await session(client)
  for (let round = 0; round < ROUNDS; round++) {
    try {
      await other.query('BEGIN')
    } catch {
      // A pooler that assigns connections by statement refuses transactions.
      return true
    }
    if ((await session(other)) === ownSession || (await session(client)) !== ownSession) return true
    await other.query('ROLLBACK')
  }
  return false
}

/** @throws OperatorError with the reason why the database cannot be used */
async function withClient<T>(url: string, setting: Setting, use: (client: Client) => Promise<T>): Promise<T> {
  const timeouts = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: CONNECT_TIMEOUT_MS }
  const client = new Client({ connectionString: url, ...timeouts })
  client.on('error', () => {})
  try {
    await client.connect()
    return await use(client)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${setting}: ${describeFailure(error, url)}`, { cause: error })
  } finally {
    await client.end().catch(() => {})
  }
}

function describeFailure(error: unknown, url: string): string {
  const { code, message } = error as { code?: string; message: string }
  switch (code) {
    case '28P01':
    case '28000':
      return 'the database rejects the user or the password'
    case '3D000':
      return `the database "${decodeURIComponent(new URL(url).pathname.slice(1))}" does not exist; create it first`
    default:
      return `the database cannot be reached (${code ?? message})`
  }
}
